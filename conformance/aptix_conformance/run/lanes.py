"""Puts requests to workers: one after another, and the next ones beside those that take long.

What hangs costs the time of its limit. Waited for one after another, several tools that hang would cost minutes, and a shorter
limit for the later ones would refuse an honest tool that is slow. So a request that has no answer after some seconds is waited for
beside the others, which further workers answer. What is answered does not depend on that, only how long it takes: what fails
beside others is asked once more alone, by the worker that has imported most of them.
"""

import math
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from typing import Any, Final

from aptix_conformance.errors import ConformanceError, HungImportError
from aptix_conformance.run.worker import StoppedError, Worker
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
class Asked:
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
    """What hung when it was imported, with the answer to every request that imports it."""

    def answers(self, waiting: deque[Asked]) -> Iterator[tuple[Asked, Any | ConformanceError]]:
        """Each request with its answer, or with an error in place of it, in the order in which they come.

        They are begun from the left, and only one at a time that imports the same. More may be added meanwhile.
        """
        workers = [self.first]
        busy: dict[Worker, tuple[Asked, float]] = {}
        try:
            while waiting or busy:
                asked = _next(waiting, busy)
                if asked is not None:
                    worker = next((each for each in workers if each not in busy), None)
                    if worker is None:
                        workers.append(worker := self.first.another())
                    now = time.monotonic()
                    asked = replace(asked, until=min(asked.until, now + SECONDS, self.latest))
                    found = self._begin(worker, asked, now)
                    if found:
                        yield asked, found[0]
                    else:
                        busy[worker] = asked, now
                    continue
                wait([each.channel for each in busy], _LOOK)
                for worker, (asked, _) in list(busy.items()):
                    found = self._take(worker, asked)
                    if not found:
                        continue
                    del busy[worker]
                    if len(workers) > 1 and not asked.alone and _may_be_for_others(found[0]):
                        waiting.append(replace(asked, alone=True))
                    else:
                        yield asked, found[0]
        finally:
            for worker in workers:
                if worker in busy or worker is not self.first:
                    worker.close()

    def _begin(self, worker: Worker, asked: Asked, now: float) -> tuple[()] | tuple[ConformanceError]:
        """Put a request to a worker. Returns an error that is known without it, or that it had to be put with."""
        if asked.until <= now:
            return (StoppedError("", "its time was over"),)
        for place, error in self._hung:
            if place == asked.place:
                return (error,)
        try:
            worker.begin(asked.request, {})
        except ConformanceError as error:
            return (error,)
        return ()

    def _take(self, worker: Worker, asked: Asked) -> tuple[()] | tuple[Any | ConformanceError]:
        """The answer of a worker, or the error in place of it, if it has come."""
        try:
            return worker.answer(lambda *_: None, asked.until, seconds=0.0)
        except ConformanceError as error:
            if isinstance(error, HungImportError):
                self._hung.append((asked.place, error))
            return (error,)


def _may_be_for_others(answer: Any) -> bool:
    """Whether an answer may be another one where nothing is asked beside it: a module may need that others were imported before."""
    return isinstance(answer, ConformanceError) and not isinstance(answer, HungImportError | StoppedError)


def _next(waiting: deque[Asked], busy: dict[Worker, tuple[Asked, float]]) -> Asked | None:
    """Take out the next request to begin, if it is time for one."""
    now = time.monotonic()
    if len(busy) < MOST and all(
        now - since >= PATIENCE and not asked.alone for asked, since in busy.values()
    ):
        # Whatever the settings: a module may lock what it uses.
        modules = [asked.place[:2] for asked, _ in busy.values()]
        for number, asked in enumerate(waiting):
            if asked.place[:2] not in modules and not (asked.alone and busy):
                del waiting[number]
                return asked
    return None
