"""What a run asks of its worker, and what it does where the worker is lost.

A tool whose examination ends the worker is examined once more without the step that did it; its rules are inconclusive
then, and the others keep their verdicts.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from aptix_conformance.errors import DeadlineError, HostError, TargetError
from aptix_conformance.examination import ReadTool, ToolUnderTest, Watch, needed_probes, needs_restarts
from aptix_conformance.hosts.host import Listing
from aptix_conformance.model import Declaration
from aptix_conformance.model.containment import Containment
from aptix_conformance.model.report import ToolReport
from aptix_conformance.rules import Rule
from aptix_conformance.run.worker import StoppedError, Worker
from aptix_conformance.schemas import Shape
from aptix_conformance.targets import Target, ToolSettings

MOST_LOST: Final = 5
"""Workers that the examination of one tool may lose."""
SECONDS: Final = 3_600.0
"""Seconds that the examination of one tool, or the reading of one package, may take on the clock."""


@dataclass(frozen=True, slots=True)
class ListTools:
    """List the tools of a place (`hosts.host.HostPool.list_tools`)."""

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
    """Puts requests to a worker until there is an answer, or until a deadline; `until` is on the monotonic clock."""

    worker: Worker
    until: float | None = None

    def list_tools(self, prefix: str, module: str, settings: ToolSettings) -> Listing:
        """The tools of a place.

        Raises:
            TargetError: it does not exist or cannot be loaded.
            DeadlineError: the deadline of the run was reached.
        """
        found: Listing = self._ask_once(ListTools(prefix, module, settings), f"listing the tools of {module}")
        return found

    def read(self, target: Target, settings: ToolSettings) -> ReadTool:
        """What a tool declares.

        Raises:
            TargetError: it cannot be loaded or read.
            HostError: no process could be started.
            DeadlineError: the deadline of the run was reached.
        """
        found: ReadTool = self._ask_once(
            ReadDeclaration(target, settings), f"reading what {target.spec} declares"
        )
        return found

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
        self.worker.close()

    def _ask_once(self, request: ListTools | ReadDeclaration, what: str) -> Any:
        try:
            return self._ask(request, {}, Watch())
        except StoppedError as lost:
            raise TargetError(f"{what} did not work: {lost}") from None

    def _ask(self, request: Any, excluded: Mapping[str, str], watch: Watch) -> Any:
        until = time.monotonic() + SECONDS
        if self.until is not None and self.until <= time.monotonic():
            raise DeadlineError(NOT_EXAMINED)
        try:
            return self.worker.ask(request, excluded, watch.notify, min(until, self.until or until))
        except StoppedError:
            if self.until is not None and self.until <= time.monotonic():
                raise DeadlineError(NOT_EXAMINED) from None
            raise


NOT_EXAMINED: Final = "not examined: the deadline of the run was reached"
"""What is said of a tool that the deadline stopped or left out."""
