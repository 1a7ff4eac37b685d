"""Examines the next tools of a run while one is waited for, each in a worker.

A run asks for one tool after another, and an examination waits half of its time: for processes that start, and for time limits.
So the tools that the run will ask for are known beforehand (`plan`), and further workers examine them in that order. The results
do not depend on how many there are. Tools that work in the same folder of their author are examined by one worker, one after
another: they would meet each other's calls. So are the tools of one server, where its processes are not kept apart. Where they are,
further workers take such tools when nothing else is left: each worker has to read the server's declarations for itself.

A tool whose examination ends the worker is examined once more without the step that did it; its rules are inconclusive
then, and the others keep their verdicts.
"""

import math
import os
import time
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path
from typing import Final

from aptix_conformance.app.run.lanes import SECONDS
from aptix_conformance.app.run.requests import NOT_EXAMINED, ExamineTool, ToolExamined
from aptix_conformance.app.run.worker import StoppedError, Worker
from aptix_conformance.core.errors import ConformanceError, DeadlineError, HostError
from aptix_conformance.examine.watch import Notify
from aptix_conformance.hosts import MIB

MOST_LOST: Final = 5
"""Workers that the examination of one tool may lose."""
MOST_JOBS: Final = 16
"""Workers that examine at the same time where nobody says how many, however many processors there are."""
_MEMORY: Final = 1024 * MIB
"""Bytes of free memory for each worker and the processes of its tool."""
_CGROUP: Final = Path("/sys/fs/cgroup")
_MEMINFO: Final = Path("/proc/meminfo")
_MOST_AHEAD: Final = 100
"""Answers that wait to be asked for."""
_LEAST: Final = 2_000_000_000
"""Nanoseconds that workers must have wanted a processor before anything is said of how often they had one."""
_LOOK: Final = 0.1
"""Seconds from one look at the workers to the next."""


def usual_jobs() -> int:
    """How many workers examine at the same time: as many as there are processors, or fewer where memory is short.

    A container may have less of both than its machine.
    """
    processors: float = len(os.sched_getaffinity(0))
    quota, period = (*_numbers(_CGROUP / "cpu.max"), math.inf, 1)[:2]
    if period and quota != math.inf:
        processors = min(processors, quota / period)
    free = dict(line.split(":") for line in _lines(_MEMINFO)).get("MemAvailable", "0 kB")
    memory: float = int(free.split()[0]) * 1024
    for limit in _numbers(_CGROUP / "memory.max"):
        memory = min(memory, limit - sum(_numbers(_CGROUP / "memory.current")))
    return max(1, int(min(processors, memory / _MEMORY, MOST_JOBS)))


def _lines(path: Path) -> list[str]:
    """The lines of a file of the kernel's; none where it cannot be read."""
    try:
        return path.read_text(encoding="ascii").splitlines()
    except OSError:
        return []


def _numbers(path: Path) -> list[float]:
    """The numbers in such a file, `max` being infinite."""
    return [math.inf if word == "max" else float(word) for line in _lines(path) for word in line.split()]


@dataclass(slots=True, eq=False)
class _Examination:
    """A request that a worker works on, and its last notice."""

    request: ExamineTool
    worker: Worker
    excluded: dict[str, str] = field(default_factory=dict)
    """The steps that ended a worker, each with the reason: they are left out when it is begun again."""
    until: float = 0.0
    notices: list[tuple[str, int, str]] = field(default_factory=list)
    """The last notice."""

    def begin(self, latest: float) -> None:
        """Put the request to the worker.

        Raises:
            DeadlineError: the deadline of the run was reached.
            StoppedError, HostError: as `Worker.begin`.
        """
        now = time.monotonic()
        if latest <= now:
            raise DeadlineError(NOT_EXAMINED)
        self.until = min(now + SECONDS, latest)
        self.worker.begin(self.request, self.excluded)

    def hear(self, step: str, calls: int, broken: str) -> None:
        self.notices[:] = [(step, calls, broken)]


@dataclass(slots=True)
class Scheduler:
    """Gives the reports of tools in the order in which they are asked for. `close` ends its workers."""

    first: Worker
    latest: float
    """When every answer must be there, on the monotonic clock."""
    jobs: int
    _waiting: list[ExamineTool] = field(default_factory=list)
    _running: list[_Examination] = field(default_factory=list)
    _answers: list[tuple[ExamineTool, ToolExamined | ConformanceError]] = field(default_factory=list)
    _workers: list[Worker] = field(default_factory=list)
    _last: dict[Hashable, list[Worker]] = field(default_factory=dict)
    """By group: the workers that examine its tools."""

    def plan(self, requests: Iterable[ExamineTool]) -> None:
        """Set the requests that will be asked for, in this order. None is begun before the first of them is asked for."""
        self._waiting = list(requests)

    def examine(self, request: ExamineTool, notify: Notify) -> ToolExamined:
        """The answer to one request; it need not be planned.

        Raises:
            TargetError: the tool cannot be loaded or read any more.
            HostError: no process could be started, or too many workers were lost.
            DeadlineError: the deadline of the run was reached.
        """
        if not any(known == request for known in self._known()):
            self._waiting.insert(0, request)
        while (answer := self._take_answer(request)) is None:
            self._begin(request)
            if self._running:
                wait([examination.worker.channel for examination in self._running], _LOOK)
            for examination in list(self._running):
                self._look_at(examination)
                if examination.request == request and examination.notices:
                    notify(*examination.notices.pop())
        if isinstance(answer, ConformanceError):
            raise answer
        return answer

    @property
    def is_short_of_processors(self) -> bool:
        """Whether the workers waited for a processor longer than they had one."""
        figures = [pair for pair in (worker.figures() for worker in self._workers) if pair is not None]
        ran, waited = (sum(pair[place] for pair in figures) for place in (0, 1))
        return waited > ran and ran + waited >= _LEAST

    def close(self) -> None:
        """End all work that is not asked for any more. Harmless when repeated."""
        self._waiting.clear()
        self._running.clear()
        self._last.clear()
        while self._workers:
            self._workers.pop().close()

    def _known(self) -> Iterator[ExamineTool]:
        """The requests that wait, are examined or have an answer."""
        yield from self._waiting
        yield from (examination.request for examination in self._running)
        yield from (request for request, _ in self._answers)

    def _take_answer(self, request: ExamineTool) -> ToolExamined | ConformanceError | None:
        """Take out the answer to a request; None where there is none yet."""
        for number, (known, answer) in enumerate(self._answers):
            if known == request:
                del self._answers[number]
                return answer
        return None

    def _begin(self, urgent: ExamineTool) -> None:
        """Begin waiting requests: first `urgent`, then the others, and last those for which a worker has to read a server anew."""
        order = sorted(self._waiting, key=lambda request: request != urgent)
        for request, anew in [*((job, False) for job in order), *((job, True) for job in order)]:
            is_ahead = request != urgent
            if len(self._running) >= self.jobs or (is_ahead and len(self._answers) >= _MOST_AHEAD):
                return
            worker = self._worker_for(request, anew=anew) if request in self._waiting else None
            if worker is not None:
                self._waiting.remove(request)
                examination = _Examination(request, worker)
                self._running.append(examination)
                self._attempt(examination)

    def _worker_for(self, request: ExamineTool, *, anew: bool) -> Worker | None:
        """The worker for a request; None where it has to wait. `anew` is whether it may be one that knows nothing of its server."""
        busy = [examination.worker for examination in self._running]
        group = _group(request)
        known = self._last.get(group, []) if group is not None else []
        if known:
            free = next((worker for worker in known if worker not in busy), None)
            if free is not None or not (anew and _are_kept_apart(request)):
                return free
        if not self._workers:
            self._workers.append(self.first)
        free = next((worker for worker in self._workers if worker not in busy), None)
        if free is None:
            self._workers.append(free := self.first.another())
        if group is not None:
            self._last.setdefault(group, []).append(free)
        return free

    def _attempt(self, examination: _Examination) -> None:
        """Begin an examination, or keep the error in place of its answer."""
        try:
            examination.begin(self.latest)
        except ConformanceError as error:
            self._fail(examination, error)

    def _look_at(self, examination: _Examination) -> None:
        try:
            answer = examination.worker.answer(examination.hear, examination.until, seconds=0.0)
        except ConformanceError as error:
            self._fail(examination, error)
        else:
            if answer:
                self._running.remove(examination)
                self._answers.append((examination.request, answer[0]))

    def _fail(self, examination: _Examination, error: ConformanceError) -> None:
        """Keep an error as the answer; after a lost worker, begin once more without the step that ended it."""
        if isinstance(error, StoppedError):
            excluded = examination.excluded
            if self.latest <= time.monotonic():
                error = DeadlineError(NOT_EXAMINED)
            elif not error.step or error.step in excluded or len(excluded) >= MOST_LOST:
                error = HostError(f"the examination was stopped: {error}")
            else:
                excluded[error.step] = error.reason
                self._attempt(examination)
                return
        self._running.remove(examination)
        self._answers.append((examination.request, error))


def _group(request: ExamineTool) -> Hashable:
    """The folder or the server that the tool shares with others; None where there is none."""
    if request.settings.directory:
        return request.settings.directory
    target = request.target
    return (target.spelling, target.module) if request.declaration.traits.has_servers else None


def _are_kept_apart(request: ExamineTool) -> bool:
    """Whether the processes of two tools of a server do not meet: each has files and a network of its own."""
    contained, settings = request.containment, request.settings
    if contained is None or settings.directory or settings.side_effects != "contained":
        return False
    return not contained.is_below("full") and not contained.opens_network
