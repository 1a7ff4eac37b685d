"""The processes of a server, as the kernel lists them: which there are, and how much work they have."""

import contextlib
import os
import time
from typing import Final

_NANOSECONDS: Final = 1e9
_MOST: Final = 200
"""Processes that are told apart."""
_LONGEST_NAME: Final = 60
_ENDED: Final = ("Z", "X")


Processes = dict[tuple[int, int], str]
"""The names of processes, by PID and time of start: a PID may be given out again."""


Work = dict[tuple[int, str], float]
"""Seconds of work, by the PID and the id of the thread that had it. The work of threads that have ended is not counted."""


class Family:
    """A server's process and all its descendants; none where `pid` is None, because the server runs elsewhere."""

    def __init__(self, pid: int | None) -> None:
        self._pid = pid

    def members(self) -> Processes:
        """Those that run now."""
        if self._pid is None:
            return {}
        table = _running()
        pids = {self._pid}
        grown = True
        while grown:
            more = {pid for pid, (parent, _, _) in table.items() if parent in pids and pid not in pids}
            pids |= more
            grown = bool(more)
        return {(pid, table[pid][1]): table[pid][2] for pid in sorted(pids)[:_MOST] if pid in table}

    def work(self) -> Work:
        """The work of those that run now."""
        return work_of(self.members())

    def now(self) -> float:
        """Seconds by a clock that stands still while the server, or this process, is ready and has no processor."""
        waited = waited_for_processor(os.getpid())
        if self._pid is not None:
            waited += waited_for_processor(self._pid)
        return time.monotonic() - waited


def work_of(processes: Processes) -> Work:
    """By thread, the seconds in which it had work: it ran, or was ready and waited for a processor."""
    seconds = {}
    for pid, _ in processes:
        with contextlib.suppress(OSError):
            for tid in os.listdir(f"/proc/{pid}/task"):
                seconds[pid, tid] = sum(_figures(f"/proc/{pid}/task/{tid}/schedstat"))
    return seconds


class Watch:
    """How much work some processes have from now on."""

    def __init__(self, processes: Processes) -> None:
        self._before = work_of(processes)
        self._began = time.monotonic()

    def share(self, processes: Processes) -> float:
        """The share of the time since then in which these had work; with several threads it may be more than 1."""
        worked = sum(seconds - self._before.get(key, 0.0) for key, seconds in work_of(processes).items())
        return worked / max(time.monotonic() - self._began, 1e-9)


def still_running(processes: Processes) -> Processes:
    """Those of some processes that have not ended, whoever their parent is now."""
    running = {(pid, started) for pid, (_, started, _) in _running().items()}
    return {key: name for key, name in processes.items() if key in running}


def waited_for_processor(pid: int) -> float:
    """Seconds in which a process was ready and had no processor; 0 where that is not counted or it is gone."""
    return _figures(f"/proc/{pid}/schedstat")[1]


def _figures(path: str) -> tuple[float, float]:
    """Seconds that a thread ran, and that it waited for a processor."""
    with contextlib.suppress(OSError, ValueError, IndexError), open(path, encoding="ascii") as file:
        fields = file.read().split()
        return int(fields[0]) / _NANOSECONDS, int(fields[1]) / _NANOSECONDS
    return 0.0, 0.0


def _running() -> dict[int, tuple[int, int, str]]:
    """Every process that can be seen and has not ended, by its PID: the PID of its parent, its time of start, its name."""
    processes = {}
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                before, _, after = file.read().rpartition(")")
            fields = after.split()
            if fields[0] not in _ENDED:
                name = before.partition("(")[2][:_LONGEST_NAME]
                processes[int(pid)] = (int(fields[1]), int(fields[19]), name)
    return processes
