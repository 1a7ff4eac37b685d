"""What a run asks of its workers, and what it does where one is lost.

A tool whose examination ends the worker is examined once more without the step that did it; its rules are inconclusive
then, and the others keep their verdicts.
"""

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from aptix_conformance.errors import UNEXAMINED, ConformanceError, DeadlineError, HostError, TargetError
from aptix_conformance.examination import ReadTool, ToolUnderTest, Watch, needed_probes, needs_restarts
from aptix_conformance.hosts.host import Listing
from aptix_conformance.hosts.listing import PackageListing
from aptix_conformance.model import Declaration
from aptix_conformance.model.containment import Containment
from aptix_conformance.model.report import ToolReport
from aptix_conformance.rules import Rule
from aptix_conformance.run.lanes import SECONDS, Asked, Lanes
from aptix_conformance.run.worker import StoppedError
from aptix_conformance.schemas import Shape
from aptix_conformance.targets import Place, Target, ToolSettings

MOST_LOST: Final = 5
"""Workers that the examination of one tool may lose."""


@dataclass(frozen=True, slots=True)
class ListTools:
    """List the tools of a place, or of one module (`hosts.host.HostPool.list_module`)."""

    prefix: str
    module: str
    settings: ToolSettings


@dataclass(frozen=True, slots=True)
class ReadDeclaration:
    """Read what a tool declares."""

    target: Target
    settings: ToolSettings


@dataclass(frozen=True, slots=True)
class ExamineTool:
    """Examine a tool and make its report.

    `probes` are the names of those to run, `deselected` the rules that nobody asked for. `restarts` is whether the declaration
    is read in other processes too.
    """

    name: str
    target: Target
    settings: ToolSettings
    declaration: Declaration
    containment: Containment | None
    probes: tuple[str, ...]
    deselected: frozenset[str] = frozenset()
    restarts: bool = True

    @classmethod
    def of(cls, tool: ToolUnderTest, rules: Sequence[Rule] | None = None) -> Self:
        """The request for one tool; `rules` are those that are asked for, None means all."""
        bound = {each.rule.code for each in tool.applicable_rules() if not each.exempt}
        chosen = tool.suite.rules if rules is None else rules
        probes = tool.suite.probes if rules is None else needed_probes(chosen, tool.suite.probes)
        return cls(
            name=tool.name,
            target=tool.target,
            settings=tool.settings,
            declaration=tool.declaration,
            containment=tool.containment,
            probes=tuple(probe.name for probe in probes),
            restarts=rules is None or needs_restarts(chosen),
            deselected=frozenset(bound - {rule.code for rule in chosen}),
        )


@dataclass(frozen=True, slots=True)
class ToolExamined:
    """The report of a tool, and the shape of the results of its fixed calls."""

    report: ToolReport
    result_shape: Shape | None


@dataclass(slots=True)
class Examiner:
    """Puts requests to workers until there is an answer, or until the deadline of the run: that of the lanes."""

    lanes: Lanes

    def list_each(self, places: Sequence[Place]) -> list[Listing | ConformanceError]:
        """See `finding.Reader`. The modules of a package are requests of their own."""
        found = [PackageListing(module) for _, module, _ in places]
        waiting = deque(Asked(ListTools(*place), place, number) for number, place in enumerate(places))
        for asked, answer in self._answers(waiting, "listing the tools of {0.module}"):
            below = found[asked.number].take(asked.request.module, answer)
            # At once, while the worker has what the package has imported.
            prefix, _, settings = asked.place
            parts = [(prefix, name, settings) for name in reversed(below)]
            waiting.extendleft(replace(asked, request=ListTools(*part), place=part) for part in parts)
        return [each.result() for each in found]

    def read_each(self, tools: Sequence[tuple[Target, ToolSettings]]) -> list[ReadTool | ConformanceError]:
        """See `finding.Reader`."""
        waiting = deque(
            Asked(ReadDeclaration(target, settings), (target.spelling, target.module, settings), number)
            for number, (target, settings) in enumerate(tools)
        )
        found = {
            asked.number: answer
            for asked, answer in self._answers(waiting, "reading what {0.target.spec} declares")
        }
        return [found[number] for number in range(len(tools))]

    def _answers(self, waiting: deque[Asked], what: str) -> Iterator[tuple[Asked, Any]]:
        """Each request with its answer or an error. `what` is a format: what a request asks for, in words."""
        for asked, answer in self.lanes.answers(waiting):
            if not isinstance(answer, StoppedError):
                yield asked, answer
            elif self.lanes.latest <= time.monotonic():
                yield asked, DeadlineError(NOT_EXAMINED)
            else:
                yield asked, TargetError(f"{what.format(asked.request)} did not work: {answer}")

    def examine(self, request: ExamineTool, watch: Watch) -> ToolExamined:
        """Examine a tool, without the steps that end the worker.

        Raises:
            TargetError: the tool cannot be loaded or read any more.
            HostError: no process could be started, or too many workers were lost.
            DeadlineError: the deadline of the run was reached.
        """
        excluded: dict[str, str] = {}
        while True:
            try:
                found: ToolExamined = self._ask(request, excluded, watch)
            except StoppedError as lost:
                if not lost.step or lost.step in excluded or len(excluded) >= MOST_LOST:
                    raise HostError(f"the examination was stopped: {lost}") from None
                excluded[lost.step] = lost.reason
            else:
                return found

    def close(self) -> None:
        """End the worker and every process below it. Harmless when repeated."""
        self.lanes.first.close()

    def _ask(self, request: Any, excluded: Mapping[str, str], watch: Watch) -> Any:
        now, latest = time.monotonic(), self.lanes.latest
        if latest <= now:
            raise DeadlineError(NOT_EXAMINED)
        try:
            return self.lanes.first.ask(request, excluded, watch.notify, min(now + SECONDS, latest))
        except StoppedError:
            if latest <= time.monotonic():
                raise DeadlineError(NOT_EXAMINED) from None
            raise


NOT_EXAMINED: Final = f"{UNEXAMINED}the deadline of the run was reached"
"""What is said of a tool that the deadline stopped or left out."""
