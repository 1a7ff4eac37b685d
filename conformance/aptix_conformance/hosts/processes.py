"""Watches and ends families of processes that may resist.

A family is some processes and all their descendants. Only the kernel's lists are used, never what a process says about
itself.
"""

import contextlib
import ctypes
import os
import platform
import select
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import psutil

_GRACE: Final = 5.0
"""Seconds that a killed process may take to end: one that sleeps in the kernel must wake up first."""


_BLOCK: Final = 512
"""Bytes of the unit in which the kernel counts the blocks of a file."""
_ENDED: Final = (b"Z", b"X")
_KCMP: Final = {"x86_64": 312, "aarch64": 272}
"""The number of the system call `kcmp`, by machine."""
_KCMP_FILES: Final = 2
_NAMELESS: Final = ("/memfd:", "/dev/zero (deleted)")
"""How links to files without a name begin; the second is shared memory of a mapping without a file."""


@dataclass(frozen=True, slots=True)
class Census:
    """The resources that a family uses now: living processes, threads of all processes, bytes of resident memory.

    A zombie counts as a thread, because it keeps its PID until it is reaped. Memory that two processes share counts
    twice; `held_bytes` is exact but slower.
    """

    living: int
    threads: int
    resident: int


def census(pids: Iterable[int]) -> Census:
    """Count the resources of some processes. A process that has ended counts nothing."""
    living = threads = pages = 0
    for pid in pids:
        fields = _status(f"/proc/{pid}/stat")
        if fields and fields[0] in _ENDED and int(fields[17]) > 1:
            # Its first thread has ended, and others run on.
            statuses = (_status(f"/proc/{pid}/task/{thread}/stat") for thread in _threads(pid))
            fields = next((status for status in statuses if status and status[0] not in _ENDED), fields)
        if not fields:
            continue
        is_there = fields[0] not in _ENDED
        living += is_there
        threads += int(fields[17]) if is_there else 1
        pages += int(fields[21])
    return Census(living, threads, pages * os.sysconf("SC_PAGE_SIZE"))


def _status(path: str) -> list[bytes]:
    """The fields of a process or a thread behind its name; empty where it has ended."""
    try:
        with open(path, "rb") as stream:  # noqa: PTH123 - read very often
            return stream.read().rpartition(b")")[2].split()
    except OSError:
        return []


def _threads(pid: int) -> list[str]:
    """The ids of the threads of a process; empty where it has ended."""
    with contextlib.suppress(OSError):
        return os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - as above
    return []


def _shares_files(pid: int, thread: str) -> bool:
    """Whether a thread has the open files of its process; not where the kernel does not say."""
    number = _KCMP.get(platform.machine())
    return number is not None and _libc().syscall(number, pid, int(thread), _KCMP_FILES, 0, 0) == 0


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def held_bytes(pids: Iterable[int], anonymous: int) -> int:
    """Memory in bytes that some processes hold, with each shared page divided among its processes.

    `anonymous` is their `anonymous_file_bytes`. Their mapped part of it counts once.
    """
    total = shared = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as stream:  # noqa: PTH123 - as above
                sizes = dict(line.split(":") for line in stream if line.startswith("Pss"))
            total += int(sizes["Pss"].split()[0]) * 1024
            shared += int(sizes.get("Pss_Shmem", "0").split()[0]) * 1024
        except (OSError, LookupError):  # ended, or the kernel has no such file
            total += census([pid]).resident
    return total - shared + max(shared, anonymous)


def anonymous_file_bytes(pids: Sequence[int], *, mapped: bool = False) -> int:
    """Bytes of the files without a name (memfd) that some processes hold open: they belong to no process.

    With `mapped`, also of those that they map, as shared memory without a name is: a process holds what it has never read
    or does not look at any more. That takes longer, and only root can see it. The part that is in the resident memory counts there too.
    Then the files of threads count that share none with their process.
    """
    held: dict[tuple[int, int], int] = {}
    places = [f"/proc/{pid}" for pid in pids]
    if mapped:
        places += [
            f"/proc/{pid}/task/{thread}"
            for pid in pids
            for thread in _threads(pid)
            if not _shares_files(pid, thread)
        ]
    for place in (*_entries(places, "fd"), *(_entries(places, "map_files") if mapped else ())):
        with contextlib.suppress(OSError):  # it is closed by now
            if os.readlink(place).startswith(_NAMELESS):  # noqa: PTH115 - as above
                status = os.stat(place)  # noqa: PTH116 - as above
                held[status.st_dev, status.st_ino] = status.st_blocks * _BLOCK
    return sum(held.values())


def machine_shared_memory() -> int:
    """Bytes of memory of all files without a name and in file systems in memory on this machine; 0 where nothing tells."""
    with contextlib.suppress(OSError, ValueError), open("/proc/meminfo", "rb") as stream:  # noqa: PTH123 - as above
        line = next((line for line in stream if line.startswith(b"Shmem:")), b"Shmem: 0 kB")
        return int(line.split()[1]) * 1024
    return 0


def has_files_in_flight(pids: Iterable[int]) -> bool:
    """Whether some processes have sent files through sockets that nobody has received: no process has them open."""
    for place in _entries([f"/proc/{pid}" for pid in pids], "fdinfo"):
        with contextlib.suppress(OSError), open(place, encoding="ascii") as stream:  # noqa: PTH123 - as above
            if any(line.startswith("scm_fds:") and line.split()[1] != "0" for line in stream):
                return True
    return False


def _entries(places: Iterable[str], folder: str) -> Iterator[str]:
    """The entries of a folder of some processes or threads, given by their places below /proc. One that has ended has none."""
    for place in places:
        with contextlib.suppress(OSError):
            yield from [f"{place}/{folder}/{name}" for name in os.listdir(f"{place}/{folder}")]  # noqa: PTH208 - as above


def children(pid: int) -> list[int]:
    """The children of a process, with zombies. Empty where the process has ended."""
    if not _are_listed():
        with contextlib.suppress(psutil.Error):
            return [child.pid for child in psutil.Process(pid).children()]
        return []
    pids: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - as above
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/children", "rb") as stream:  # noqa: PTH123
                pids += map(int, stream.read().split())
    return pids


@cache
def _are_listed() -> bool:
    return os.path.exists("/proc/thread-self/children")  # noqa: PTH110 - as above


def family(roots: Iterable[int]) -> list[int]:
    """Some processes and all their descendants, each parent before its children."""
    pids = list(dict.fromkeys(roots))
    known = set(pids)
    for pid in pids:  # the loop appends to `pids`
        for child in children(pid):
            if child not in known:
                known.add(child)
                pids.append(child)
    return pids


def kill_tree(pid: int) -> None:
    """End a process, its process group and all its descendants, until only zombies are left.

    `pid` must not be reaped yet, so that the PID still belongs to the process. A stopped process starts no process,
    does not end and reaps none. So all processes are stopped first, from the top down, until no new one is found. Only
    then are they killed, while each PID still belongs to the same process.
    """
    stopped: list[int] = []
    try:
        _stop_tree(pid, stopped)
    finally:  # an interrupt in between would leave them stopped for ever
        for descendant in stopped[1:]:
            _signal(descendant, signal.SIGKILL)
        with contextlib.suppress(OSError):
            if os.getpgid(pid) == pid:
                os.killpg(pid, signal.SIGKILL)
        kill(pid)


def kill_parent(pid: int) -> None:
    """Kill a process that is not reaped yet, whose children end when it does, and wait until all have ended.

    Nothing is stopped before: what is stopped when this process is killed stays so.
    """
    below = {child: open_pidfd(child) for child in children(pid)}
    own = set(children(pid))  # another process may have got the number of one that ended in between
    kill(pid)
    for child, pidfd in below.items():
        if child in own and not has_ended(child, pidfd, _GRACE) and pidfd is not None:
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        if pidfd is not None:
            os.close(pidfd)


def _stop_tree(pid: int, stopped: list[int]) -> None:
    """Stop a process and all its descendants, from the top down, and add each to a list."""
    known: set[int] = set()
    deadline = time.monotonic() + _GRACE
    while time.monotonic() < deadline:
        before = len(stopped)
        todo = [pid]
        walked: set[int] = set()
        while todo:
            current = todo.pop()
            if current not in known:
                known.add(current)
                stopped.append(current)
                _signal(current, signal.SIGSTOP)
            walked.add(current)
            todo += [child for child in children(current) if child not in walked]
        if len(stopped) == before:
            break


def kill(pid: int) -> None:
    """Kill one process that is not reaped yet, and wait until it has ended."""
    _signal(pid, signal.SIGKILL)
    # The signal takes effect later: without the wait, the caller would miss the orphans of this process.
    pidfd = open_pidfd(pid)
    has_ended(pid, pidfd, _GRACE)
    if pidfd is not None:
        os.close(pidfd)


def find_child(inner: int, parent: int) -> int | None:
    """The PID in our namespace of the child of `parent` that has the PID `inner` in its own namespace."""
    for child in children(parent):
        if _pid_in_own_namespace(child) == inner:
            return child
    return None


def _pid_in_own_namespace(pid: int) -> int:
    lines: list[str] = []
    with contextlib.suppress(OSError):
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    numbers = next((line.split() for line in lines if line.startswith("NSpid:")), [str(pid)])
    return int(numbers[-1])


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, number)


def open_pidfd(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends; None where the kernel has no such descriptors."""
    opener = getattr(os, "pidfd_open", None)
    if opener is None:
        return None
    try:
        return int(opener(pid))
    except OSError:
        return None


def has_ended(pid: int, pidfd: int | None, timeout: float) -> bool:
    """Whether a process that is not reaped yet has ended. Waits up to `timeout` seconds."""
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
    """An exit status in words. A negative status is a signal, as in `subprocess`."""
    if status is None:
        return "the process ended with an unknown exit status"
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by signal {-status} ({signal.Signals(-status).name})"
    except ValueError:
        return f"killed by signal {-status}"
