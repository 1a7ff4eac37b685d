"""The event for which a hanging call waits, as the kernel sees it: for a person who looks for the cause of a hang.

Two looks are taken, after half of the time limit and at its end. A process counts as waiting only where both find it in
the same system call and it has not run in between: one that polls or computes has. So the same hang gives the same words.

A wrong cause is worse than none. From the process that makes the calls, the search goes down to a child only where the
parent waits for that child: for its end, or for its output. A child that is older than the call is the tool itself, which a
shell or another wrapper has started, and no cause. Where the kernel does not show the system call, nothing is said.
"""

import contextlib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from aptix_conformance.core.text import printable
from aptix_conformance.hosts import processes
from aptix_conformance.hosts.system_calls import Listed, Sleeping, link, listed, read_from, sleeping

_STDIN: Final = 0
_OUTPUTS: Final = (1, 2)
_FUTEX_WAITS: Final = frozenset({0, 6, 9, 13})
"""FUTEX_WAIT, FUTEX_LOCK_PI, FUTEX_WAIT_BITSET and FUTEX_LOCK_PI2."""
_FUTEX_COMMAND: Final = 0x7F
"""The bits of an operation of `futex` that are its command."""
_FCNTL_WAITS: Final = frozenset({7, 38})
"""F_SETLKW and F_OFD_SETLKW."""
_P_PID: Final = 1
_P_ALL: Final = 0
_INT: Final = 0xFFFFFFFF
"""The bits of an argument that is an int."""
_DEEPEST: Final = 8
"""Processes that wait for each other which are followed."""
_LONGEST_NAME: Final = 20
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_ONE_TURN: Final = 10_000
"""A PID is lower by more than this where the kernel began to give out low ones again."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time that tells which processes were started after it.

    The kernel counts a start in ticks of 10 ms. In one tick the order is that of the PIDs, which are given out in turn.
    """

    ticks: int
    last_pid: int

    @classmethod
    def now(cls) -> "Moment":
        """This moment."""
        last_pid = 0
        suppressed = contextlib.suppress(OSError, ValueError, IndexError)
        with suppressed, open("/proc/loadavg", "rb") as stream:  # noqa: PTH123 - read for every call
            last_pid = int(stream.read().split()[4])
        return cls(int(time.clock_gettime(time.CLOCK_BOOTTIME) * _TICKS), last_pid)

    def is_before(self, process: Listed) -> bool:
        """Whether a process was started after this moment."""
        later = process.pid - self.last_pid
        return process.started > self.ticks or (
            process.started == self.ticks and (later > 0 or later < -_ONE_TURN)
        )


@dataclass(frozen=True, slots=True)
class Caller:
    """The process that makes the calls of a tool.

    Attributes:
        pid: its PID; with `is_below`, that of its parent, which has no other child.
        calls_in_main_thread: whether a lock for which its main thread waits stops the call for sure.
    """

    pid: int
    is_below: bool = False
    calls_in_main_thread: bool = False


@dataclass(frozen=True, slots=True)
class _Wait:
    """A process that waits for a child, or for the event in `words`. The event is unknown where it has neither."""

    sleep: Sleeping
    is_new: bool
    child: Listed | None = None
    words: str = ""


class HangWatch:
    """Watches the process that makes a call. Made when the call is sent: what is started later belongs to the call."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._since = Moment.now()
        self._first: Sequence[_Wait] = ()

    def look(self) -> None:
        """Take the first look, or do nothing where one has found something that waits."""
        self._first = self._first or self._chain()

    def cause(self) -> str:
        """Take the second look. Returns a clause that begins with "it"; empty where nothing is sure."""
        same: _Wait | None = None
        for first, second in zip(self._first, self._chain() if self._first else (), strict=False):
            if first != second:
                break
            same = first
        return _words(same, self._since) if same else ""

    def _chain(self) -> list[_Wait]:
        """The process that makes the calls, the child that it waits for, and so on, down to one that waits for no child."""
        chain: list[_Wait] = []
        pid, stdin = _root(self._caller), ""
        while pid is not None and len(chain) < _DEEPEST and (sleep := sleeping(pid)):
            is_new = bool(chain) and self._since.is_before(sleep.process)
            stdin = stdin if is_new else link(pid, _STDIN)
            is_alone = sleep.process.threads == 1 or (not chain and self._caller.calls_in_main_thread)
            child = _awaited(sleep, self._since, stdin)
            words = "" if child else _wait_phrase(sleep, stdin if is_new else "", is_alone=is_alone)
            chain.append(_Wait(sleep, is_new, child, words))
            pid = child.pid if child else None
        return chain


def _root(caller: Caller) -> int | None:
    if not caller.is_below:
        return caller.pid
    below = _living(caller.pid)
    return below[0].pid if len(below) == 1 else None


def _living(pid: int) -> list[Listed]:
    return [process for child in processes.children(pid) if (process := listed(child))]


def _awaited(sleep: Sleeping, since: Moment, stdin: str) -> Listed | None:
    """The child for which a process waits; None where it waits for none, or for any of several.

    An older child counts only where it has the tool's standard input `stdin`, and where its end is awaited: it may write
    for as long as the tool lives, as a pool's child does.
    """
    pid = sleep.process.pid
    child = _ending(sleep) if sleep.call in ("wait4", "waitid") else None
    if child:
        return child if since.is_before(child) or (stdin and link(child.pid, _STDIN) == stdin) else None
    pipes = {link(pid, descriptor) for descriptor in read_from(sleep)}
    if not pipes or "" in pipes:
        return None
    writers = [
        child
        for child in _living(pid)
        if since.is_before(child) and pipes <= {link(child.pid, descriptor) for descriptor in _OUTPUTS}
    ]
    return writers[0] if len(writers) == 1 else None


def _ending(sleep: Sleeping) -> Listed | None:
    """The child whose end a process awaits in `wait4` or `waitid`; None where that may be one of several."""
    pid, first, second = sleep.process.pid, *sleep.arguments[:2]
    if sleep.call == "waitid" and first not in (_P_ALL, _P_PID):
        return None
    inner = first & _INT if sleep.call == "wait4" else second & _INT if first == _P_PID else _INT
    living = _living(pid)
    if inner == _INT:
        return living[0] if len(living) == 1 else None
    outer = processes.find_child(inner, pid)
    return next((child for child in living if child.pid == outer), None)


def _wait_phrase(sleep: Sleeping, stdin: str, *, is_alone: bool) -> str:
    """The rest of "it ..." for a process that waits for no child; empty where the cause is not sure.

    `stdin` is the tool's standard input, where that is no business of this process. `is_alone`: no other thread of it does the work.
    """
    pid, first, second = sleep.process.pid, *sleep.arguments[:2]
    if stdin and {link(pid, descriptor) for descriptor in read_from(sleep)} == {stdin} == {link(pid, _STDIN)}:
        return "reads the tool's standard input"
    if sleep.call == "write" and link(pid, first).startswith("pipe:"):
        return "waits to write into a full pipe"
    if sleep.call == "flock" or (sleep.call == "fcntl" and second in _FCNTL_WAITS):
        return "waits for a lock on a file"
    if sleep.call == "futex" and second & _FUTEX_COMMAND in _FUTEX_WAITS and is_alone:
        return "waits for a lock or another thread"
    return ""


def _words(last: _Wait, since: Moment) -> str:
    """The clause on the last process of a chain that waits."""
    process = last.child or last.sleep.process
    if not (last.is_new or (last.child and since.is_before(process))):
        return f"it {last.words}" if last.words else ""
    more = f", which {last.words}" if last.words else ""
    return f"it waits for the process `{printable(process.name, _LONGEST_NAME)}` that it started{more}"
