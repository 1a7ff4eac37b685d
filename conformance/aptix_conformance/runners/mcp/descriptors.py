"""Counts what a server and the processes that it started have open, and what else they hold."""

import contextlib
import os
from typing import Final

_PROC: Final = "/proc"
_MOST: Final = 200
"""Processes whose descriptors are counted."""
_MOST_THREADS: Final = 2_000
"""Threads, of all these processes together, whose children are read."""


def open_descriptors(pid: int | None) -> int | None:
    """How many file descriptors a server's processes have open together; None where that cannot be read, or it runs elsewhere."""
    processes = _processes(pid)
    try:
        return sum(len(os.listdir(f"{_PROC}/{each}/fd")) for each in processes) if processes else None
    except OSError:  # a process has ended meanwhile, or the kernel does not list them
        return None


def held_now(pid: int | None) -> dict[str, int]:
    """How many `child processes` a server has, and `temporary files` in its folder; what cannot be read is missing."""
    processes = _processes(pid)
    if not processes:
        return {}
    found = {"child processes": len(processes) - 1}
    with contextlib.suppress(OSError):
        found["temporary files"] = len(os.listdir(_temporary(processes[0])))
    return found


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
