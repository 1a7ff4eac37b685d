"""Watching and ending trees of processes that may not want to be ended."""

import contextlib
import os
import select
import signal
import time
from typing import Final

import psutil

_ROUNDS: Final = 50
"""How often the tree is walked again before what is left is left: a fork bomb loses the race long before."""

_GRACE: Final = 5.0
"""Seconds that a killed process may take to be gone: what sleeps in the kernel wakes up first."""


def resident_bytes(pid: int) -> int:
    """The resident memory of a process and everything below it; 0 where it is gone."""
    total = 0
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        total = process.memory_info().rss
        for child in process.children(recursive=True):
            with contextlib.suppress(psutil.Error):
                total += child.memory_info().rss
    return total


def kill_tree(pid: int) -> None:
    """End a process, its process group and everything below it, until nothing of it is left but zombies.

    `pid` must be a process that nobody has reaped, so that the number still means it.
    """
    # Stopped first, so that it starts nothing new while its descendants are counted.
    _signal(pid, signal.SIGSTOP)
    for _ in range(_ROUNDS):
        below = [child for child in children(pid) if child != pid]
        if not below:
            break
        for child in below:
            _signal(child, signal.SIGKILL)
    with contextlib.suppress(OSError):
        if os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)
    _signal(pid, signal.SIGKILL)
    # A signal is only a wish: whoever goes on before it is granted does not see the orphans that it makes.
    pidfd = open_pidfd(pid)
    has_ended(pid, pidfd, _GRACE)
    if pidfd is not None:
        os.close(pidfd)


def children(pid: int, *, recursive: bool = True) -> list[int]:
    """The living processes below one; empty where it is gone."""
    found = []
    with contextlib.suppress(psutil.Error):
        for child in psutil.Process(pid).children(recursive=recursive):
            with contextlib.suppress(psutil.Error):
                if child.status() != psutil.STATUS_ZOMBIE:
                    found.append(child.pid)
    return found


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
