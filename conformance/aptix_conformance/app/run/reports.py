"""The reports of a run: of each tool, with where it comes from, of what could not be examined, and of the whole."""

import datetime
import platform
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from aptix_conformance import __version__
from aptix_conformance.app.run.setup import RunSetup
from aptix_conformance.core.errors import UNEXAMINED, ConformanceError
from aptix_conformance.core.extension import extensions
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import (
    LoadedReport,
    Report,
    RunReport,
    SourceReport,
    SuiteReport,
    ToolReport,
    VerdictReport,
)
from aptix_conformance.examine import Examination, FoundTools, ToolUnderTest, split_waivers
from aptix_conformance.hosts.own_time import is_measured
from aptix_conformance.hosts.refused_access import with_refusals
from aptix_conformance.present.reports import (
    failed_target_report,
    harness_errors_in,
    harness_errors_of,
    make_report,
    tool_report,
)
from aptix_conformance.targets import SourcedSpec, is_covered, settings_for, short_specs
from aptix_conformance.targets.provenance import (
    Origin,
    configured_at,
    likely_file,
    project_name,
    provenance,
    revision_of,
)
from aptix_conformance.targets.sources import CONFIGURED

_MOST_SHARED: Final = 100_000
"""Verdicts that are kept for later tools: a run of many that differ must not hold them all."""


def origin_of(tool: ToolUnderTest) -> Origin:
    """The origin of a tool, as far as discovery knows it."""
    return Origin(tool.declaration.source, tool.settings.python, tool.containment)


def loaded_extensions() -> tuple[LoadedReport, ...]:
    """The entry points of the suite's groups that this process loads."""
    return tuple(
        LoadedReport(point.group, point.name, f"{point.dist.name} {point.dist.version}" if point.dist else "")
        for point in extensions()
    )


def _declared_name(tool: ToolReport) -> str:
    """The name that a tool declares, without what tells it from others of that name."""
    name, _, end = tool.tool.rpartition("@")
    return name if name and tool.target.endswith(end) else tool.tool


@dataclass(frozen=True, slots=True)
class RunReports:
    """Makes the reports of one run."""

    setup: RunSetup
    specs: tuple[SourcedSpec, ...]
    """Every target spec of the run."""
    sys_path: tuple[str, ...]
    """`setup.sys_path`, which is read from files."""
    _verdicts: dict[VerdictReport, VerdictReport] = field(default_factory=dict)
    """The verdicts without findings that earlier reports of the run have."""

    def tool_report(
        self,
        tool: ToolUnderTest,
        examination: Examination,
        *,
        deselected: frozenset[str] = frozenset(),
    ) -> ToolReport:
        """The report of one tool."""
        report = tool_report(examination, tool=tool.name, deselected=deselected)
        return examination.harness.attempt(
            "finding out where the tool comes from",
            (),
            lambda: self.with_origin(report, origin_of(tool)),
            lambda: replace(
                report,
                status=examination.status_without(deselected),
                harness_errors=harness_errors_of(examination),
            ),
        )

    def sharing(self, report: ToolReport) -> ToolReport:
        """The same report, whose verdicts are those of earlier reports where they are equal: most are, and memory holds them once."""
        return replace(report, verdicts=tuple(map(self._shared, report.verdicts)))

    def _shared(self, verdict: VerdictReport) -> VerdictReport:
        if verdict.findings or verdict.other_causes:
            return verdict
        if len(self._verdicts) < _MOST_SHARED:
            return self._verdicts.setdefault(verdict, verdict)
        return self._verdicts.get(verdict, verdict)

    def with_origin(self, report: ToolReport, origin: Origin) -> ToolReport:
        """A report with the source, the distribution and the containment of its tool, as far as they are known."""
        facts = provenance(origin.declared_at, self.setup.root, self.sys_path, origin.python)
        containment = report.containment_reached or origin.containment
        return replace(
            report,
            source=facts.source,
            distribution=facts.distribution,
            containment=containment.confinement if containment else None,
            containment_reached=containment,
            configured=self._configured_at(report.target),
        )

    def _configured_at(self, target: str) -> SourceReport | None:
        specs = [spec.text for spec in self.specs if spec.origin == CONFIGURED]
        naming = [
            spec for spec in specs if spec == target or is_covered(target, [spec], self.setup.settings.specs)
        ]
        return configured_at(self.setup.pyproject, naming)

    def failed_reports(self, found_tools: FoundTools) -> list[ToolReport]:
        """The reports of the specs that led to no tool, each named by an end of its spec that no other tool has.

        A spec that ends with a folder such as `.` is named for the project in the folder. A server keeps its spec as its
        name, as it does where it is examined.
        """
        named = [failure.spec for failure in found_tools.failures]
        servers = {spec: spec for spec in named if self.setup.settings.specs.names_server(spec)}
        short = short_specs(spec for spec in named if spec not in servers) | servers
        for spec in [spec for spec, end in short.items() if not end.strip(".")]:
            project = project_name(spec, self.setup.settings.specs, self.setup.root)
            short[spec] = spec if project in short.values() else project
        used_names = {tool.name.casefold() for tool in found_tools.tools}
        return [
            replace(
                self.failed_report(failure.spec, failure.message),
                tool=failure.spec if short[failure.spec].casefold() in used_names else short[failure.spec],
                harness_errors=harness_errors_in(failure.fault),
            )
            for failure in found_tools.failures
        ]

    def failed_report(self, spec: str, message: str) -> ToolReport:
        """The report of a spec that could not be resolved, or whose tool could not be examined."""
        spelling = self.setup.settings.specs.spelling_of(spec)
        # A custom host's system is unknown until the host has answered, so its edition is empty.
        edition = (
            self.setup.suites[spelling.system].edition.name if spelling.system in self.setup.suites else ""
        )
        report = failed_target_report(spec, spelling.prefix, edition, with_refusals(message))
        if self.setup.settings.specs.names_server(spec):
            report = replace(report, kind="server")
        file = likely_file(spec, self.setup.settings.specs, self.setup.root, self.sys_path)
        return self.with_origin(report, Origin(file))

    def failed_tool(self, tool: ToolUnderTest, error: ConformanceError) -> ToolReport:
        """The report of a tool that could not be examined."""
        report = self.failed_report(tool.target.spec, str(error))
        report = replace(
            report, tool=tool.name, kind=tool.declaration.kind, harness_errors=harness_errors_in(error)
        )
        return self.with_origin(report, origin_of(tool))

    def whole(
        self,
        tools: Iterable[ToolReport],
        *,
        complete: bool = True,
        stopped: str = "",
        unneeded: tuple[str, ...] = (),
    ) -> Report:
        """The report of the run with these tools.

        `complete` is False where the run was ended early, `stopped` says by what, and `unneeded` is what `Run.unneeded_waivers` found.
        """
        seconds = (datetime.datetime.now(datetime.UTC) - self.setup.started).total_seconds()
        options, reports = self.setup.options, tuple(tools)
        errors = (tool.error or "" for tool in reports)
        unfinished = next((error for error in errors if error.startswith(UNEXAMINED)), "")
        suite = SuiteReport(
            version=__version__,
            seed=options.seed,
            examples=options.drawn,
            thoroughness=options.thoroughness,
            complete=complete and not unfinished,
            isolated=not options.inline,
            budget=options.budget,
            timeout=options.timeout,
            memory=options.memory,
            deadline=self.setup.deadline,
            own_time=is_measured(),
            stopped=stopped or unfinished.removeprefix(UNEXAMINED),
        )
        run = RunReport(
            started=self.setup.started.isoformat(timespec="seconds"),
            seconds=round(seconds, 3),
            python=platform.python_version(),
            platform=f"{platform.system()}-{platform.release()}-{platform.machine()}",
            sys_path=self.sys_path,
            loaded=loaded_extensions(),
        )
        report = make_report(reports, suite, run, revision_of(self.setup.root))
        return replace(report, unneeded_waivers=unneeded)

    def split_waivers(
        self, tools: Iterable[ToolReport], others: Iterable[str] = ()
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The sentences on waivers of modules and packages: those that a tool under them may need, and those that none needs.

        `others` are the declared names of tools of the run that are not among `tools`.
        """
        if not self.setup.options.waivers:
            return (), ()
        specs = [spec.text for spec in self.specs]
        named = [(tool, _declared_name(tool)) for tool in tools]
        counts = Counter([*(name for _, name in named), *others])
        shared = frozenset(name for name, count in counts.items() if count > 1)
        judged = [
            (waiver, next((v.verdict for v in tool.verdicts if v.rule == waiver.rule), None))
            for tool, name in named
            for waiver in settings_for(self.setup.settings, name, tool.target, shared=shared).waivers
            if waiver.table and is_covered(waiver.table, specs, self.setup.settings.specs)
        ]
        needed, unneeded = (sorted({waiver.not_needed for waiver in each}) for each in split_waivers(judged))
        return tuple(needed), tuple(unneeded)
