"""What processes wait for that did not answer, as far as the kernel tells it: for a person who looks for the cause of a hang."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from aptix_conformance.hosts import processes
from aptix_conformance.text import printable

_WAITS: Final[Mapping[str, str]] = {
    "pipe_w": "it waits to write into a pipe that is full",
    "anon_pipe_write": "it waits to write into a pipe that is full",
    "locks_lock_inode_wait": "it waits for a lock on a file",
    "flock_lock_inode_wait": "it waits for a lock on a file",
    "fcntl_setlk": "it waits for a lock on a file",
    "do_wait": "it waits for a process that it started",
    "futex_": "it waits for a lock",
}
"""What a main thread waits for, by how the name of the kernel's function begins in which it sleeps; the plainest first."""


def what_is_waited_for(pid: int) -> str:
    """What a process or what it started waits for, as a clause; empty where the kernel does not tell.

    A child that has the standard input of its parent takes what was sent to the parent. Only main threads are looked at: others
    often wait for work.
    """
    family = processes.family([pid])
    holder = next(_holders(family), "")
    if holder:
        return f"a process that it started, {holder}, has the same standard input"
    slept_in = [_read(f"/proc/{pid}/wchan") for pid in family]
    return next(
        (said for begin, said in _WAITS.items() if any(each.startswith(begin) for each in slept_in)), ""
    )


def _holders(family: Sequence[int]) -> Iterator[str]:
    """The names of processes that read from the same pipe or socket as their parents."""
    for parent in family:
        for child in processes.children(parent):
            with contextlib.suppress(OSError):
                read = Path(f"/proc/{child}/fd/0").readlink()
                if read == Path(f"/proc/{parent}/fd/0").readlink() and not read.is_absolute():
                    yield printable(_read(f"/proc/{child}/comm"), 20)


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="backslashreplace").strip()
    except OSError:
        return ""
