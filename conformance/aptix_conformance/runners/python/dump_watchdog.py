"""Notices that a call left `faulthandler.dump_traceback_later` pending, which may end the process later.

Nothing tells whether it is pending. But it waits in a thread of its own, of which `threading` does not know and in which
all signals are blocked. Threads of C libraries may look the same, so it is looked for only where `faulthandler` is imported.
"""

import os
import signal
import sys
import threading
import time
from typing import Final

from .foreign import attempt

_THREADS: Final = "/proc/self/task"
_BLOCKED: Final = "SigBlk:"
_WATCHED: Final = sum(
    1 << number - 1 for number in (signal.SIGINT, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT)
)
_LOOKS: Final = 20
_PAUSE: Final = 0.002
"""Seconds between looks: a cancelled watchdog is there for a moment longer than `cancel_dump_traceback_later`."""
_listdir, _sleep, _enumerate = os.listdir, time.sleep, threading.enumerate


def threads() -> frozenset[str]:
    """The numbers of the process's threads; nothing where no watchdog can be, or the system does not tell."""
    if "faulthandler" not in sys.modules:
        return frozenset()
    return frozenset(attempt(lambda: _listdir(_THREADS))[0] or ())


def has_watchdog_since(earlier: frozenset[str]) -> bool:
    """Whether there is a watchdog that was not among the earlier threads."""
    new = threads() - earlier
    for _ in range(_LOOKS):
        new = frozenset(filter(_is_watchdog, new))
        if not new:
            return False
        _sleep(_PAUSE)
    return True


def _is_watchdog(thread: str) -> bool:
    """Whether a thread looks like a watchdog; one that has ended does not."""
    return bool(attempt(lambda: _blocks_all(thread))[0])


def _blocks_all(thread: str) -> bool:
    """Whether `threading` does not know a thread, and signals are blocked in it. Raises FileNotFoundError where it has ended."""
    if any(known.native_id == int(thread) for known in _enumerate()):
        return False
    with open(f"{_THREADS}/{thread}/status", encoding="ascii", errors="replace") as stream:
        masks = [int(line.removeprefix(_BLOCKED), 16) for line in stream if line.startswith(_BLOCKED)]
    return bool(masks) and masks[0] & _WATCHED == _WATCHED
