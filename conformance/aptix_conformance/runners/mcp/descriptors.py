"""Counts what a server and the processes that it started have open, and what else they hold."""

import contextlib
import os
import time
from typing import Final

_PROC: Final = "/proc"
_MOST: Final = 200
"""Processes whose descriptors are counted."""
_MOST_THREADS: Final = 2_000
"""Threads, of all these processes together, whose children are read."""
_STARTED: Final = ("child processes", "threads")
"""What may end by itself a little after a call."""
_OF_POOLS: Final = 2
"""Calls that leave something without being watched, as the first calls do that make a pool."""
_PATIENT: Final = 20
"""Calls that leave something, after which none is watched any more."""
_PATIENCE: Final = 0.2
"""Seconds for which what a call left is watched, in case that it ends."""
_USES_IDLE_THREADS: Final = ("python", "node")
"""How programs are named whose pools make no thread while one is idle, as those of Java do."""


def open_descriptors(pid: int | None) -> int | None:
    """How many file descriptors a server's processes have open together; None where that cannot be read, or it runs elsewhere."""
    processes = _processes(pid)
    try:
        return sum(len(os.listdir(f"{_PROC}/{each}/fd")) for each in processes) if processes else None
    except OSError:  # a process has ended meanwhile, or the kernel does not list them
        return None


def held_now(pid: int | None) -> dict[str, int]:
    """How many `child processes` and `threads` a server has, and `temporary files` in its folder; what cannot be read is missing."""
    processes = _processes(pid)
    if not processes:
        return {}
    found = {"child processes": len(processes) - 1, "threads": sum(map(_threads_of, processes))}
    with contextlib.suppress(OSError):
        found["temporary files"] = len(os.listdir(_temporary(processes[0])))
    return found


class HeldByCalls:
    """What a server holds before and after each call. Its processes or its threads count no more once some have ended by themselves."""

    def __init__(self) -> None:
        self._pid: int | None = None
        self._stayed = 0
        self._last: dict[str, int] = {}
        self._ending: set[str] = set()

    def before(self, pid: int | None) -> dict[str, int]:
        """What it holds before a call."""
        now = held_now(pid)
        if pid != self._pid:  # another process of the server
            self._pid, self._stayed, self._last, self._ending = pid, 0, now, set()
        if now:
            self._ending |= _grown(now, self._last)
        return now

    def since(self, before: dict[str, int], pid: int | None) -> dict[str, list[int]]:
        """By kind, how much it held before a call, and how much it holds now."""
        now = held_now(pid)
        if _grown(before, now) - self._ending:
            if _OF_POOLS <= self._stayed < _PATIENT:
                now = _when_ended(before, now, pid)
            self._stayed += bool(_grown(before, now) - self._ending)
        self._last = now
        return {
            kind: [before[kind], now[kind]] for kind in before.keys() & now.keys() if kind not in self._ending
        }


def _grown(before: dict[str, int], now: dict[str, int]) -> set[str]:
    return {kind for kind in _STARTED if now.get(kind, 0) > before.get(kind, 0)}


def _when_ended(before: dict[str, int], now: dict[str, int], pid: int | None) -> dict[str, int]:
    """What a server holds once all has ended that a call started, or patience has."""
    deadline = time.monotonic() + _PATIENCE
    while _grown(before, now) and time.monotonic() < deadline:
        time.sleep(_PATIENCE / 20)
        now = held_now(pid)
    return now


def _threads_of(pid: int) -> int:
    """How many threads a process of Python or Node.js has; 0 for another, and for one that has ended."""
    with contextlib.suppress(OSError):
        program = os.path.basename(os.readlink(f"{_PROC}/{pid}/exe"))
        return len(os.listdir(f"{_PROC}/{pid}/task")) if program.startswith(_USES_IDLE_THREADS) else 0
    return 0


def _temporary(pid: int) -> str:
    """The folder for temporary files that a server was started with.

    Raises:
        OSError: its environment cannot be read, or names none.
    """
    with open(f"{_PROC}/{pid}/environ", "rb") as file:
        environment = file.read().split(b"\0")
    named = [each for each in environment if each.startswith(b"TMPDIR=")]
    if not named:
        raise FileNotFoundError("TMPDIR")
    return os.fsdecode(named[-1].partition(b"=")[2])


def _processes(pid: int | None) -> list[int]:
    """A server's processes, its own the first; none where they cannot be read.

    Its children are read from the process itself: to search all processes of the machine for them would take longer than the call.
    """
    if pid is None:
        return []
    found, threads = [pid], 0
    try:
        for each in found:
            tasks = os.listdir(f"{_PROC}/{each}/task")
            threads += len(tasks)
            if threads > _MOST_THREADS:
                return []
            for thread in tasks:
                found += _children_of(f"{_PROC}/{each}/task/{thread}")
            if len(found) > _MOST:
                return []
    except (OSError, ValueError):  # a process has ended meanwhile, or the kernel does not list them
        return []
    return found


def _children_of(thread: str) -> list[int]:
    """The processes that a thread started; none where it has ended meanwhile.

    Raises:
        OSError: the kernel does not list them.
    """
    try:
        with open(f"{thread}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        if os.path.exists(thread):
            raise
        return []
