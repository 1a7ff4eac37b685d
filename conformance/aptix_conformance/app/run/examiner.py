"""Lists, reads and examines tools by workers."""

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aptix_conformance.app.run.lanes import Job, Lanes
from aptix_conformance.app.run.requests import (
    NOT_EXAMINED,
    ExamineTool,
    ListTools,
    ReadDeclaration,
    ToolExamined,
)
from aptix_conformance.app.run.scheduler import Scheduler
from aptix_conformance.app.run.worker import StoppedError
from aptix_conformance.core.errors import ConformanceError, DeadlineError, TargetError
from aptix_conformance.examine import ReadTool, Watch
from aptix_conformance.hosts.host import Listing
from aptix_conformance.hosts.listing import PackageListing
from aptix_conformance.targets import Place, Target, ToolSettings


@dataclass(slots=True)
class Examiner:
    """Puts requests to workers until there is an answer, or until the deadline of the run: that of the lanes."""

    lanes: Lanes
    ahead: Scheduler

    def list_each(self, places: Sequence[Place]) -> list[Listing | ConformanceError]:
        """See `finding.Reader`. The modules of a package are requests of their own."""
        listings = [PackageListing(module) for _, module, _ in places]
        waiting = deque(Job(ListTools(*place), place, number) for number, place in enumerate(places))
        for job, answer in self._answers(waiting, "listing the tools of {0.module}"):
            below = listings[job.number].take(job.request.module, answer)
            # At once, while the worker has what the package has imported.
            prefix, _, settings = job.place
            parts = [(prefix, name, settings) for name in reversed(below)]
            waiting.extendleft(replace(job, request=ListTools(*part), place=part) for part in parts)
        return [listing.result() for listing in listings]

    def read_each(self, tools: Sequence[tuple[Target, ToolSettings]]) -> list[ReadTool | ConformanceError]:
        """See `finding.Reader`."""
        waiting = deque(
            Job(ReadDeclaration(target, settings), (target.spelling, target.module, settings), number)
            for number, (target, settings) in enumerate(tools)
        )
        answers = {
            job.number: answer
            for job, answer in self._answers(waiting, "reading what {0.target.spec} declares")
        }
        return [answers[number] for number in range(len(tools))]

    def _answers(self, waiting: deque[Job], what: str) -> Iterator[tuple[Job, Any]]:
        """Each request with its answer or an error. `what` is a format for the task of a request."""
        for job, answer in self.lanes.answers(waiting):
            if not isinstance(answer, StoppedError):
                yield job, answer
            elif self.lanes.latest <= time.monotonic():
                yield job, DeadlineError(NOT_EXAMINED)
            else:
                yield job, TargetError(f"{what.format(job.request)} did not work: {answer}")

    def plan(self, requests: Iterable[ExamineTool]) -> None:
        """Say which tools will be asked for, in this order: they may be examined ahead."""
        self.ahead.plan(requests)

    def examine(self, request: ExamineTool, watch: Watch) -> ToolExamined:
        """See `ahead.Ahead`."""
        return self.ahead.examine(request, watch.notify)

    def close(self) -> None:
        """End the workers and every process below them. Harmless when repeated."""
        self.ahead.close()
        self.lanes.first.close()
