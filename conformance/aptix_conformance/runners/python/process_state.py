"""Notices what a call changes in its process and leaves changed: in an agent, many tools share one process.

What the import of a library changes does not count, nor does a handler for a root logger that had none. An agent has set up
logging before it calls a tool, so that `logging.basicConfig` does nothing there.
"""

import asyncio
import gc
import locale
import logging
import os
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any, Final

from .dump_watchdog import has_watchdog_since, threads
from .foreign import attempt, cut_text
from .kernel_state import TIMERS, has_run_out, kernel_state
from .loop_state import OF_LOOP, REPLACED, loop_state, replaced_since

_MOST: Final = 20
_LONGEST: Final = 100
_DRAWN_BITS: Final = 64

_SIGNALS: Final = (
    "SIGHUP",
    "SIGINT",
    "SIGQUIT",
    "SIGUSR1",
    "SIGUSR2",
    "SIGALRM",
    "SIGTERM",
    "SIGCHLD",
    "SIGPIPE",
)
_HANDLERS: Final = tuple((f"the handler of {name}", int(signal.Signals[name])) for name in _SIGNALS)
_get_handler: Final = vars(signal)["_signal"].getsignal
"""The function of the module `signal` searches for an enumeration's member, which takes 20 times as long."""

_DIRECTORY: Final = "the working directory"
_ENVIRONMENT: Final = "the environment"
_HANDLERS_OF_ROOT: Final = "the handlers of the root logger"
_LEVEL_OF_ROOT: Final = "the level of the root logger"
_DECIMAL: Final = "the context of decimal"
_RANDOM: Final = "the seed of random"
_MODULES: Final = "sys.modules, which lacks modules"
_STREAMS: Final = ("sys.stdin", "sys.stdout", "sys.stderr")
_TIMEOUT: Final = "the default timeout of sockets"
_WATCHDOG: Final = "the timeout of faulthandler"
_NEVER_BY_IMPORT: Final = frozenset({_DIRECTORY, _DECIMAL, _RANDOM, _TIMEOUT, *_STREAMS, *TIMERS, *OF_LOOP})
"""State that no library changes when it is imported."""

_KNOWN: Final = sys.stdlib_module_names | {"_aptix_runners", "aptix_conformance", "aptix_harness"}
"""Packages whose import changes nothing."""
_PLAIN: Final = (str, int, float, tuple, dict, set, type(None))
_next: Final[dict[int, int]] = {}
"""The number that `random` gave after each call, by the number that it gave after the call before."""
_last: Final = [0]
_root: Final = logging.root
_get_loop: Final = asyncio.get_running_loop


class ProcessState:
    """State that the tools of this process share, as it was at the last `note`."""

    def __init__(self) -> None:
        self._modules: frozenset[str] = frozenset()
        self._context: Any = None
        self._loop: Any = None
        self._threads: frozenset[str] = frozenset()
        self._values: dict[str, Any] = {}
        self.note()

    def note(self) -> None:
        """Read the state before the call."""
        if len(self._modules) != len(sys.modules):
            self._modules = frozenset(sys.modules)
        self._context, _ = attempt(_decimal_context)
        self._loop, _ = attempt(_get_loop)
        self._threads = threads()
        self._values = attempt(self._read)[0] or {}

    def left_changed(self) -> list[str]:
        """Phrases for what differs since the last `note`, at most 20; empty where the tool broke what reads it."""
        return (attempt(self._differences)[0] or [])[:_MOST]

    def _differences(self) -> list[str]:
        before, after = self._values, self._read()
        names = [name for name, value in after.items() if name in before and _is_changed(before[name], value)]
        if _HANDLERS_OF_ROOT in names and not before[_HANDLERS_OF_ROOT]:
            names = [name for name in names if name not in (_HANDLERS_OF_ROOT, _LEVEL_OF_ROOT)]
        if _ENVIRONMENT in names:
            names.remove(_ENVIRONMENT)
            names += _variables(before[_ENVIRONMENT], after[_ENVIRONMENT])
        if _is_seeded():
            names.append(_RANDOM)
        if has_watchdog_since(self._threads):
            names.append(_WATCHDOG)
        if len(self._modules) != len(sys.modules):
            now = frozenset(sys.modules)
            if self._modules - now:
                names.append(_MODULES)
            if any(name.partition(".")[0] not in _KNOWN for name in now - self._modules):
                names = [name for name in names if name in _NEVER_BY_IMPORT]
        if REPLACED in names:
            names.remove(REPLACED)
            names += replaced_since(before[REPLACED], after[REPLACED])
        return names

    def _read(self) -> dict[str, Any]:
        values = {
            _DIRECTORY: attempt(os.getcwd)[0],
            _ENVIRONMENT: attempt(lambda: dict(vars(os.environ)["_data"]))[0],
            "the umask": _umask(),
            "the locale": attempt(lambda: locale.setlocale(locale.LC_ALL))[0],
            "the recursion limit": sys.getrecursionlimit(),
            "the garbage collector": gc.isenabled(),
            "sys.path": attempt(lambda: tuple(sys.path))[0],
            "sys.excepthook": sys.excepthook,
            "threading.excepthook": threading.excepthook,
            "the filters of warnings": attempt(lambda: tuple(warnings.filters))[0],
            "warnings.showwarning": warnings.showwarning,
            "logging.disable": _root.manager.disable,
            _LEVEL_OF_ROOT: _root.level,
            _HANDLERS_OF_ROOT: attempt(lambda: tuple(_root.handlers))[0],
            _TIMEOUT: socket.getdefaulttimeout(),
            "socket.socket": socket.socket,
            "the check of certificates by ssl": attempt(lambda: vars(sys.modules["ssl"])["_create_default_https_context"])[0],
            _DECIMAL: _settings(self._context),
        }  # fmt: skip
        values.update((name, getattr(sys, name[4:], None)) for name in _STREAMS)
        values.update((name, _get_handler(number)) for name, number in _HANDLERS)
        return values | kernel_state() | loop_state(self._loop)


def _is_changed(before: Any, after: Any) -> bool:
    """Whether a call has left another value; a timer that ran out meanwhile is due to the call that set it."""
    return not _same(before, after) and not has_run_out(before, after)


def _same(before: Any, after: Any) -> bool:
    """Whether two values are equal; objects of the tool's are equal to themselves only."""
    if before is after:
        return True
    equal, _ = attempt(lambda: type(before) is type(after) and type(after) in _PLAIN and before == after)
    return equal is True


def _variables(before: dict[bytes, bytes] | None, after: dict[bytes, bytes] | None) -> Iterator[str]:
    """The names of the variables that differ between two environments; None where the tool has replaced os.environ."""
    if before is None or after is None:
        yield "os.environ"
        return
    for name in sorted(after.keys() | before.keys()):
        if before.get(name) != after.get(name):
            yield f"the environment variable {cut_text(os.fsdecode(name), _LONGEST)}"


def _umask() -> int:
    """The umask; it can only be read by setting it."""
    now = os.umask(0o077)
    os.umask(now)
    return now


def _decimal_context() -> Any:
    """The context by which `decimal` calculates here. Raises KeyError where it is not imported."""
    return vars(sys.modules["decimal"])["getcontext"]()


def _settings(context: Any) -> tuple[Any, ...] | None:
    """The settings of `decimal` in the context in which the call began; None where it is not imported."""
    if context is None:
        return None
    read = attempt(
        lambda: (context.prec, context.rounding, context.Emin, context.Emax, *context.traps.items())
    )
    settings: tuple[Any, ...] | None = read[0]
    return settings


def _is_seeded() -> bool:
    """Whether `random` gives a number that it gave after an earlier call: without a seed that never happens.

    Numbers that follow each other as they did before are due to the call that set the seed, not to those after it.
    """
    drawn, _ = attempt(lambda: sys.modules["random"].getrandbits(_DRAWN_BITS))
    if type(drawn) is not int:
        return False
    is_known = drawn in _next or drawn == _last[0]
    goes_on = _next.get(_last[0]) == drawn
    _next[_last[0]], _last[0] = drawn, drawn
    return is_known and not goes_on
