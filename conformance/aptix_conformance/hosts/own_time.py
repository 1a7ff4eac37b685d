"""Bounds the time that a family of processes uses itself: the clock is the most, the clock less its waits for a processor the least.

On a busy machine a process waits, ready to run, for its turn on a processor. Linux counts that wait for each thread, in
`/proc/PID/task/TID/schedstat`, which is readable from outside the PID namespace of the process. The time in which the quota of a
control group lets a thread not run counts as such a wait, too.

Nothing tells what the family did while one of its threads waited. The wait may have delayed the family. Or the family slept, or another
thread worked, and that is its own time. So a call whose own time must be long is judged by the least, and one whose own time must be
short by the most; where these disagree, the verdict is inconclusive (`examine/untimed.py`).

Threads and child processes may wait at the same time, so the sum of their waits may be longer than the clock says. It is
never counted past the clock. And a family needs at least the time in which all processors together do what it ran: a
tool that keeps every processor busy with processes of its own waits for itself, not for others. Its time is never shorter
than what one of its threads ran, which no other processor can do for it.
"""

import contextlib
import math
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Final

HARD_FACTOR: Final = 8.0
"""A limit on the clock, in limits on the own time: nothing takes longer, however busy the machine is."""
SHORTEST_HARD: Final = 40.0
"""Seconds of a limit on the clock, at least: a process may get no processor for longer than a short limit."""

_NANOSECONDS: Final = 1e9
_MOST_THREADS: Final = 512
"""The most threads of a family that are read: each takes some microseconds."""
_SHORTEST_WAIT: Final = 0.001
"""Seconds between two looks at a deadline, at least."""
_IDLE_SHARE: Final = 0.5
"""The share of a limit that a family may compute and still count as waiting for something."""
_PAUSE_FACTOR: Final = 10.0
"""Reading pauses for this many times as long as it took, so that many threads do not cost a processor."""

Figures = tuple[int, int]
"""The nanoseconds that a thread ran, and that it waited for a processor, since it was started."""


@cache
def is_measured() -> bool:
    """Whether this machine counts how long a thread waits for a processor."""
    with contextlib.suppress(OSError, ValueError):
        _read_file(f"/proc/self/task/{os.getpid()}/schedstat")
        return True
    return False


class ThreadFigures:
    """The figures of one thread, through a descriptor that stays open. `tid` is by default the first thread."""

    def __init__(self, pid: int, tid: int | None = None) -> None:
        self.tid = tid or pid
        self._fd = -1
        with contextlib.suppress(OSError):
            self._fd = os.open(f"/proc/{pid}/task/{self.tid}/schedstat", os.O_RDONLY | os.O_CLOEXEC)

    def read(self) -> Figures | None:
        """The figures; None where the thread has ended, or nothing counts them."""
        try:
            ran, waited = os.pread(self._fd, 64, 0).split()[:2]
            return int(ran), int(waited)
        except (OSError, ValueError):
            return None

    def close(self) -> None:
        """Close the descriptor. Harmless when repeated."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class ThreadClock:
    """A clock in seconds that stops while the thread that made it waits for a processor."""

    def __init__(self) -> None:
        self._thread = ThreadFigures(os.getpid(), threading.get_native_id())
        self._latest = -math.inf

    def __call__(self) -> float:
        """Seconds, from any start. They never go back, though the kernel counts a wait only when it is over."""
        figures = self._thread.read()
        now = time.monotonic() - (figures[1] / _NANOSECONDS if figures else 0.0)
        self._latest = max(self._latest, now)
        return self._latest

    def close(self) -> None:
        """Close its descriptor. Harmless when repeated."""
        self._thread.close()


class Stopwatch:
    """Measures the least of the own time of a family during one wait. `clock` counts seconds, and must not go back.

    The figures of the main thread are read at the start and at the end, which is cheap enough for a call of a
    millisecond. `sample` reads those of all threads, for a wait that lasts; what a thread waits between the last sample
    and its end is not seen.
    """

    def __init__(
        self, main: ThreadFigures, clock: Callable[[], float], processors: int | None = None
    ) -> None:
        self._processors = processors or _processors()
        self._main = main
        self._clock = clock
        self._began = clock()
        self._ran = self._waited = 0
        self._ran_by: Counter[int] = Counter()
        self._known: dict[int, Figures] = {}
        self._is_sampled = False
        self._next = 0.0
        figures = main.read()
        if figures is not None:
            self._known[main.tid] = figures

    def sample(self, threads: Iterable[tuple[int, Figures]]) -> None:
        """Add what these threads, each with its id, have run and waited since the last sample.

        A thread that was not there in the last sample was started since. The first sample only notes what it finds.
        `threads` is not read where reading takes too much of the time.
        """
        now = self._clock()
        if now < self._next:
            return
        for tid, figures in threads:
            self._add(tid, figures, (0, 0) if self._is_sampled else figures)
        self._is_sampled = True
        self._next = now + _PAUSE_FACTOR * (self._clock() - now)

    @property
    def wall(self) -> float:
        """Seconds since the start, by the clock."""
        return max(0.0, self._clock() - self._began)

    @property
    def own(self) -> float:
        """The least of the family's own time: seconds since the start, less those in which any of its threads waited for a processor."""
        wall, figures = self.wall, self._main.read()
        if figures is not None:
            self._add(self._main.tid, figures, figures)
        least = max(self._ran / self._processors, *self._ran_by.values(), 0) / _NANOSECONDS
        return min(wall, max(least, wall - self._waited / _NANOSECONDS))

    @property
    def computed(self) -> float | None:
        """Seconds that the threads of the family have run, added up; None where nothing counts them."""
        return self._ran / _NANOSECONDS if self._known else None

    def _add(self, tid: int, figures: Figures, otherwise: Figures) -> None:
        before = self._known.get(tid, otherwise)
        ran = max(0, figures[0] - before[0])
        self._ran += ran
        self._ran_by[tid] += ran
        self._waited += max(0, figures[1] - before[1])
        self._known[tid] = figures


class Deadline:
    """The end of a wait: after `limit` seconds of own time, or on the clock `HARD_FACTOR` times as many or `SHORTEST_HARD`.

    A family that hardly computes may take `idle_limit` seconds, if that is given and longer.
    """

    def __init__(
        self,
        limit: float,
        main: ThreadFigures,
        clock: Callable[[], float] = time.perf_counter,
        idle_limit: float = 0.0,
    ) -> None:
        self.stopwatch = Stopwatch(main, clock)
        self._clock = clock
        self._at = clock() + limit
        self._limit = limit
        self._idle_limit = idle_limit
        self._hard = max(HARD_FACTOR * limit, SHORTEST_HARD, idle_limit)

    @property
    def limit(self) -> float:
        """Seconds of own time that the family may take, as far as it has computed until now."""
        computed = self.stopwatch.computed
        is_idle = computed is not None and computed < _IDLE_SHARE * self._limit
        return max(self._limit, self._idle_limit) if is_idle else self._limit

    @property
    def remaining(self) -> float:
        """Seconds on the clock, at least, until the wait may be over; not below 0."""
        return max(0.0, self._at - self._clock())

    @property
    def is_half_over(self) -> bool:
        """Whether the family has taken half of the usual limit."""
        return self.stopwatch.own >= self._limit / 2

    def is_over(self, members: Callable[[], list[int]]) -> bool:
        """Whether the wait must end now. `members` returns the PIDs of the family."""
        now = self._clock()
        if now < self._at:
            return False
        self.stopwatch.sample(threads_of(members()))
        own = self.stopwatch.own  # first: it reads what the main thread has computed
        remaining = min(self.limit - own, self._hard - self.stopwatch.wall)
        # What is idle now may begin to compute, so it is looked at again after the usual limit.
        self._at = now + max(min(remaining, self._limit), _SHORTEST_WAIT)
        return remaining <= 0


def threads_of(pids: Iterable[int]) -> Iterator[tuple[int, Figures]]:
    """The ids of the threads of some processes, with their figures. A process that has ended has none."""
    count = 0
    for pid in pids:
        try:
            tids = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - read very often
        except OSError:
            continue
        for tid in tids:
            count += 1
            if count > _MOST_THREADS:
                return
            with contextlib.suppress(OSError, ValueError):
                yield int(tid), _read_file(f"/proc/{pid}/task/{tid}/schedstat")


def _read_file(path: str) -> Figures:
    with open(path, "rb") as stream:  # noqa: PTH123 - as above
        ran, waited = stream.read().split()[:2]
    return int(ran), int(waited)


@cache
def _processors() -> int:
    return max(1, len(os.sched_getaffinity(0)))
