"""Watching and ending families of processes that may not want to be ended.

A family is some processes and everything below them. It is looked at through the kernel's own lists alone, and never
by what a process says of itself.
"""

import contextlib
import os
import select
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import psutil

_GRACE: Final = 5.0
"""Seconds that a killed process may take to be gone: what sleeps in the kernel wakes up first."""


@dataclass(frozen=True, slots=True)
class Census:
    """What a family holds at a moment: processes that live, threads of all together, bytes of resident memory.

    A zombie counts as a thread: it keeps its number until somebody asks for its exit status. Memory that two
    processes share counts twice; `proportional_bytes` knows better and takes longer.
    """

    living: int
    threads: int
    resident: int


def census(pids: Iterable[int]) -> Census:
    """Count; processes that are gone by now count nothing."""
    living = threads = pages = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat", "rb") as stream:  # noqa: PTH123 - read very often
                fields = stream.read().rpartition(b")")[2].split()
        except OSError:
            continue
        is_there = fields[0] not in (b"Z", b"X")
        living += is_there
        threads += int(fields[17]) if is_there else 1
        pages += int(fields[21])
    return Census(living, threads, pages * os.sysconf("SC_PAGE_SIZE"))


def proportional_bytes(pids: Iterable[int]) -> int:
    """Resident memory, each shared page divided by those who share it; plainly resident where that is not told."""
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as stream:  # noqa: PTH123 - as above
                found = [line for line in stream if line.startswith("Pss:")]
            total += int(found[0].split()[1]) * 1024
        except (OSError, IndexError):
            total += census([pid]).resident
    return total


def children(pid: int) -> list[int]:
    """The processes that a process is the parent of, zombies too; none where it is gone."""
    if not _are_listed():
        with contextlib.suppress(psutil.Error):
            return [child.pid for child in psutil.Process(pid).children()]
        return []
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - as above
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/children", "rb") as stream:  # noqa: PTH123
                found += map(int, stream.read().split())
    return found


@cache
def _are_listed() -> bool:
    return os.path.exists("/proc/thread-self/children")  # noqa: PTH110 - as above


def family(roots: Iterable[int]) -> list[int]:
    """Some processes and everything below them, each before what is below it."""
    found = list(dict.fromkeys(roots))
    known = set(found)
    for pid in found:  # grows meanwhile
        for child in children(pid):
            if child not in known:
                known.add(child)
                found.append(child)
    return found


def kill_tree(pid: int) -> None:
    """End a process, its process group and everything below it, until nothing of it is left but zombies.

    `pid` must be a process that nobody has reaped, so that the number still means it. A process that is stopped
    starts nothing, does not end and reaps nobody: so all are stopped, from the top down, until no new one is found,
    and only then are they killed, while each number still means what it meant.
    """
    stopped: list[int] = []
    seen: set[int] = set()
    deadline = time.monotonic() + _GRACE
    while time.monotonic() < deadline:
        before = len(stopped)
        todo = [pid]
        walked: set[int] = set()
        while todo:
            found = todo.pop()
            if found not in seen:
                _signal(found, signal.SIGSTOP)
                seen.add(found)
                stopped.append(found)
            walked.add(found)
            todo += [child for child in children(found) if child not in walked]
        if len(stopped) == before:
            break
    for found in stopped[1:]:
        _signal(found, signal.SIGKILL)
    with contextlib.suppress(OSError):
        if os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)
    kill(pid)


def kill(pid: int) -> None:
    """Kill one process that nobody has reaped, and wait until it is gone."""
    _signal(pid, signal.SIGKILL)
    # A signal is only a wish: whoever goes on before it is granted does not see the orphans that it makes.
    pidfd = open_pidfd(pid)
    has_ended(pid, pidfd, _GRACE)
    if pidfd is not None:
        os.close(pidfd)


def named(inner: int, parent: int) -> int | None:
    """The number that a child of `parent` has here, which in its own namespace has the number `inner`."""
    for child in children(parent):
        if _own_number(child) == inner:
            return child
    return None


def _own_number(pid: int) -> int:
    lines: list[str] = []
    with contextlib.suppress(OSError):
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    numbers = next((line.split() for line in lines if line.startswith("NSpid:")), [str(pid)])
    return int(numbers[-1])


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, number)


def open_pidfd(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends, or None where the system has none."""
    opener = getattr(os, "pidfd_open", None)
    if opener is None:
        return None
    try:
        return int(opener(pid))
    except OSError:
        return None


def has_ended(pid: int, pidfd: int | None, timeout: float) -> bool:
    """Whether a process that nobody has reaped has ended, waiting up to `timeout` seconds for it."""
    if pidfd is not None:
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        return bool(poll.poll(timeout * 1000))
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.Error:
            return True
        time.sleep(0.01)
    return False


def describe_exit(status: int | None) -> str:
    """An exit status, negative for a signal as in `subprocess`, in words."""
    if status is None:
        return "the process ended, nobody knows how"
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by signal {-status} ({signal.Signals(-status).name})"
    except ValueError:
        return f"killed by signal {-status}"
