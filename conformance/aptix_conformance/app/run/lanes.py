"""Puts requests to workers: one after another, and the next ones beside those that take long.

A tool that hangs costs the time of its limit. Waited for one after another, several of them would cost minutes, and a shorter
limit for the later ones would refuse an honest tool that is slow. So a request that has no answer after some seconds is waited for
beside the others, which further workers answer. The answers do not depend on that, only how long they take: a request that fails
beside others is asked once more alone, by the worker that has imported most of them.
"""

import math
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from typing import Any, Final

from aptix_conformance.app.run.worker import StoppedError, Worker
from aptix_conformance.core.errors import ConformanceError, HungImportError
from aptix_conformance.targets import Place

SECONDS: Final = 3_600.0
"""Seconds that the examination of one tool, or the reading of one package, may take on the clock."""
PATIENCE: Final = 2.0
"""Seconds on the clock that a request takes before the next one is begun beside it."""
MOST: Final = 8
"""Workers that answer at the same time."""
_LOOK: Final = 0.1
"""Seconds from one look at the workers to the next."""


@dataclass(frozen=True, slots=True)
class Job:
    """A request, what it imports, the caller's number for it, and when its answer must be there, on the monotonic clock.

    `alone`: nothing is asked beside it.
    """

    request: Any
    place: Place
    number: int
    until: float = math.inf
    alone: bool = False
    """Whether nothing else may be asked meanwhile."""


@dataclass(slots=True)
class Lanes:
    """Workers that answer at the same time. `first` answers alone as long as nothing takes long."""

    first: Worker
    latest: float = math.inf
    """When every answer must be there, on the monotonic clock."""
    _hung: list[tuple[Place, HungImportError]] = field(default_factory=list)
    """Places that hung when they were imported, with the answer to every request that imports them."""

    def answers(self, waiting: deque[Job]) -> Iterator[tuple[Job, Any | ConformanceError]]:
        """Each request with its answer, or with an error in place of it, in the order in which they come.

        They are begun from the left, and only one at a time that imports the same. More may be added meanwhile.
        """
        workers = [self.first]
        busy: dict[Worker, tuple[Job, float]] = {}
        try:
            while waiting or busy:
                job = _next(waiting, busy)
                if job is not None:
                    worker = next((candidate for candidate in workers if candidate not in busy), None)
                    if worker is None:
                        workers.append(worker := self.first.another())
                    now = time.monotonic()
                    job = replace(job, until=min(job.until, now + SECONDS, self.latest))
                    answer = self._begin(worker, job, now)
                    if answer:
                        yield job, answer[0]
                    else:
                        busy[worker] = job, now
                    continue
                wait([candidate.channel for candidate in busy], _LOOK)
                for worker, (job, _) in list(busy.items()):
                    answer = self._take(worker, job)
                    if not answer:
                        continue
                    del busy[worker]
                    if len(workers) > 1 and not job.alone and _may_depend_on_others(answer[0]):
                        waiting.append(replace(job, alone=True))
                    else:
                        yield job, answer[0]
        finally:
            for worker in workers:
                if worker in busy or worker is not self.first:
                    worker.close()

    def _begin(self, worker: Worker, job: Job, now: float) -> tuple[()] | tuple[ConformanceError]:
        """Put a request to a worker. Returns an error that is known without it, or that it had to be put with."""
        if job.until <= now:
            return (StoppedError("", "its time was over"),)
        for place, error in self._hung:
            if place == job.place:
                return (error,)
        try:
            worker.begin(job.request, {})
        except ConformanceError as error:
            return (error,)
        return ()

    def _take(self, worker: Worker, job: Job) -> tuple[()] | tuple[Any | ConformanceError]:
        """The answer of a worker, or the error in place of it, if it has come."""
        try:
            return worker.answer(lambda *_: None, job.until, seconds=0.0)
        except ConformanceError as error:
            if isinstance(error, HungImportError):
                self._hung.append((job.place, error))
            return (error,)


def _may_depend_on_others(answer: Any) -> bool:
    """Whether an answer may be another one where nothing is asked beside it: a module may need that others were imported before."""
    return isinstance(answer, ConformanceError) and not isinstance(answer, HungImportError | StoppedError)


def _next(waiting: deque[Job], busy: dict[Worker, tuple[Job, float]]) -> Job | None:
    """Take out the next request to begin, if it is time for one."""
    now = time.monotonic()
    if len(busy) < MOST and all(now - since >= PATIENCE and not job.alone for job, since in busy.values()):
        # Whatever the settings: a module may lock the resources that it uses.
        modules = [job.place[:2] for job, _ in busy.values()]
        for number, job in enumerate(waiting):
            if job.place[:2] not in modules and not (job.alone and busy):
                del waiting[number]
                return job
    return None
