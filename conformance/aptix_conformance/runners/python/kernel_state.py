"""Reads what the kernel keeps for a process: its timers, its resource limits and how it is scheduled.

Affinity, policy and priority are those of the thread that reads them. Here that is the thread of the event loop, where calls run.
"""

import functools
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

from .foreign import attempt

try:
    import resource
except ImportError:  # not on every platform
    resource = None  # type: ignore[assignment]

_OFF: Final = "off"
_ONCE: Final = "once"
_TIMERS: Final = ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF")

Reader = Callable[[], Any]


def _timer(get: Callable[[int], tuple[float, float]], number: int) -> str:
    """Whether a timer will go off, and how often; not how soon, since that changes with each reading."""
    remaining, interval = get(number)
    return f"every {interval} s" if interval else _ONCE if remaining else _OFF


def _timers() -> Iterator[tuple[str, Reader]]:
    if hasattr(signal, "getitimer"):
        for name in _TIMERS:
            yield f"the timer {name}", functools.partial(_timer, signal.getitimer, getattr(signal, name))


def _limits() -> Iterator[tuple[str, Reader]]:
    numbers: dict[int, str] = {}
    for name, number in vars(resource).items() if resource is not None else ():
        if name.startswith("RLIMIT_"):
            numbers.setdefault(number, name)  # some platforms have two names for one limit
    for number, name in numbers.items():
        yield f"the resource limit {name}", functools.partial(resource.getrlimit, number)


def _scheduling() -> Iterator[tuple[str, Reader]]:
    yield "the switch interval of threads", sys.getswitchinterval
    for phrase, name, arguments in (
        ("the processors that the process may use", "sched_getaffinity", (0,)),
        ("the scheduling policy", "sched_getscheduler", (0,)),
        ("the priority of the process", "getpriority", (getattr(os, "PRIO_PROCESS", 0), 0)),
    ):
        read = getattr(os, name, None)
        if read is not None:
            yield phrase, functools.partial(read, *arguments)


_OF_TIMERS: Final = tuple(_timers())
_READERS: Final = (*_OF_TIMERS, *_limits(), *_scheduling())
TIMERS: Final = tuple(phrase for phrase, _ in _OF_TIMERS)
"""The phrases of the timers."""


def kernel_state() -> dict[str, Any]:
    """The values by phrase; None where the kernel refuses to tell. Those that this platform lacks are left out."""
    return {phrase: attempt(read)[0] for phrase, read in _READERS}


def has_run_out(before: object, after: object) -> bool:
    """Whether these are the values of a timer that was pending before the call and went off since."""
    return type(before) is type(after) is str and (before, after) == (_ONCE, _OFF)
