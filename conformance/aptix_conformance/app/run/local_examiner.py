"""Answers the requests of a run: lists tools, reads their declarations, and examines them.

A run's worker holds one. The run itself holds another, and uses it where it has no worker.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from aptix_conformance.app.run.reports import RunReports
from aptix_conformance.app.run.requests import ExamineTool, ListTools, ReadDeclaration, ToolExamined
from aptix_conformance.core.errors import ConformanceError, HostError, ShortageError, harness_phase
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.schemas import result_shape
from aptix_conformance.examine import (
    Options,
    ReadTool,
    Suite,
    ToolUnderTest,
    Watch,
    check_length,
    examine,
    exemptions,
)
from aptix_conformance.examine.step_limit import StepLimit
from aptix_conformance.examine.watch import Notify
from aptix_conformance.examine.working_call import working_call
from aptix_conformance.hosts import Environment
from aptix_conformance.hosts.host import Listing
from aptix_conformance.hosts.required_containment import UNKNOWN, check_containment
from aptix_conformance.systems.pools import Systems
from aptix_conformance.systems.registry import SystemRegistry
from aptix_conformance.systems.rulebook import suite_for
from aptix_conformance.targets import Place, Target, ToolSettings

_T = TypeVar("_T")


@dataclass(slots=True)
class LocalExaminer:
    """Examines tools from the process that it is in. `close` ends the tools' processes."""

    environment: Environment
    systems: SystemRegistry
    suites: Mapping[str, Suite]
    options: Options
    reports: RunReports
    inline: bool = False
    _hosts: Systems | None = None
    _is_closed: bool = False

    @property
    def hosts(self) -> Systems:
        """The host pools, made on first use.

        Raises:
            HostError: the run is closed.
        """
        self.check_open()
        if self._hosts is None:
            self._hosts = Systems(self.environment, inline=self.inline, systems=self.systems)
        return self._hosts

    def check_open(self) -> None:
        """Refuse work after `close`.

        Raises:
            HostError: the run is closed.
        """
        if self._is_closed:
            raise HostError("the run has ended")

    def serve(self, request: object, notify: Notify, limit: StepLimit) -> object:
        """Answer a request in a worker: see `run.worker.Serve`."""
        match request:
            case ListTools():
                return self._list_module(request)
            case ReadDeclaration():
                return self._read(request.target, request.settings, limit)
            case ExamineTool():
                return self.examine(request, Watch(notify), limit)
        raise TypeError(request)

    def list_each(self, places: Sequence[Place]) -> list[Listing | ConformanceError]:
        """See `finding.Reader`."""
        return [_attempt(partial(self._list_tools, *place)) for place in places]

    def read_each(self, tools: Sequence[tuple[Target, ToolSettings]]) -> list[ReadTool | ConformanceError]:
        """See `finding.Reader`."""
        return [_attempt(partial(self._read, *tool)) for tool in tools]

    def _list_tools(self, prefix: str, module: str, settings: ToolSettings) -> Listing:
        with harness_phase(f"listing the tools of {module}"):
            return self.hosts.list_tools(prefix, module, settings)

    def _list_module(self, request: ListTools) -> Listing | Mapping[str, Any]:
        with harness_phase(f"listing the tools of {request.module}"):
            return self.hosts.list_module(request.prefix, request.module, request.settings)

    def _read(self, target: Target, settings: ToolSettings, limit: StepLimit | None = None) -> ReadTool:
        with harness_phase("reading what the tool declares"):
            declaration, containment = self.hosts.read(target, settings)
            check_containment(containment or UNKNOWN, self.environment.least_containment, target.spec)
            check_length(declaration)
            suite = suite_for(self.suites, target, declaration, self.systems)
            return ReadTool(
                target, declaration, containment, exemptions(suite, declaration, limit or StepLimit())
            )

    def examine(self, request: ExamineTool, watch: Watch, limit: StepLimit | None = None) -> ToolExamined:
        """Examine a tool and make its report.

        Raises:
            TargetError: it cannot be loaded or read any more.
            HostError: no process could be started or kept.
        """
        suite = suite_for(self.suites, request.target, request.declaration, self.systems)
        probes = tuple(probe for probe in suite.probes if probe.name in request.probes)
        tool = ToolUnderTest(
            request.name,
            request.target,
            request.settings,
            request.declaration,
            replace(suite, probes=probes, restarts=request.restarts),
            request.containment,
        )
        examination = examine(self.hosts, tool.target, tool.settings, tool.suite, self.options, watch, limit)
        shape = examination.harness.attempt(
            "reading the shape of the results",
            (),
            lambda: None if examination.quick else result_shape(examination.exploration.calls),
            lambda: None,
        )
        report = self.reports.tool_report(tool, examination, deselected=request.deselected)
        return ToolExamined(report, shape, working_call(examination.exploration.calls))

    def close(self) -> None:
        """End every process of the tools. Harmless when repeated."""
        self._is_closed = True
        if self._hosts is not None:
            self._hosts.close()
            self._hosts = None


def _attempt(step: Callable[[], _T]) -> _T | ConformanceError:
    try:
        return step()
    except ConformanceError as error:
        return ShortageError.behind(error) or error
