"""The one way in: from a project's configuration and target specs to tools, examinations and a report.

    with Run.open("pyproject.toml") as run:
        report = run.examine_all()
        run.write_report("report.json", report)

The pytest plugin, the commands, the golden matrix and the benchmarks all use it. Nothing else puts contracts, hosts
and examinations together.
"""

import datetime
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from aptix_conformance import canaries
from aptix_conformance.contracts import Inventory
from aptix_conformance.errors import (
    ConfigurationError,
    ConformanceError,
    DeadlineError,
    TargetError,
    own_fault,
)
from aptix_conformance.examination import (
    Examination,
    FoundTools,
    Options,
    ReadTool,
    Suite,
    ToolUnderTest,
    Watch,
    check_narrowings,
    check_waivers,
    examine,
    narrow,
    needed_probes,
    needs_restarts,
    tell_apart,
)
from aptix_conformance.examination.watch import OTHER_STEPS
from aptix_conformance.hosts import MIB, Environment, Limits, ToolHost
from aptix_conformance.hosts.host import WrappedHosts
from aptix_conformance.hosts.own_time import is_measured
from aptix_conformance.hosts.program_pool import ProgramHostPool
from aptix_conformance.hosts.required import INLINE, SWITCHED_OFF, check_containment
from aptix_conformance.model.codec import replace
from aptix_conformance.model.containment import ContainmentLevel
from aptix_conformance.model.report import Report, ToolReport
from aptix_conformance.reports import JSON, write_report
from aptix_conformance.reports.baseline import KnownFindings, read_baseline
from aptix_conformance.rules import Rule
from aptix_conformance.run.examiner import (
    NOT_EXAMINED,
    Examiner,
    ExamineTool,
    ToolExamined,
)
from aptix_conformance.run.local_examiner import LocalExaminer
from aptix_conformance.run.options import ALLOW_SIDE_EFFECTS, BOUNDS, RunOptions
from aptix_conformance.run.reports import RunReports
from aptix_conformance.systems.pools import Systems, program_pool
from aptix_conformance.systems.registry import SystemRegistry, installed
from aptix_conformance.systems.rulebook import suite_for, suites
from aptix_conformance.targets import (
    Settings,
    SourcedSpec,
    Target,
    TargetFailure,
    discover,
    distributions_with_tools,
    entry_point_specs,
    granted_by_name,
    is_covered,
    nothing_found,
    pytest_paths,
    settings_for,
    unmatched,
)
from aptix_conformance.targets.sources import CONFIGURED, OPTION
from aptix_conformance.text import printable
from aptix_conformance.worker import Worker

__all__ = ["BOUNDS", "FoundTools", "Run", "RunOptions"]

_DEFAULTS: Final = RunOptions()
_T = TypeVar("_T")


def _attempt(failures: list[TargetFailure], target: Target, step: Callable[[], _T]) -> _T | None:
    """What a step gives for a target; None, and a failure of this target alone, where it raises."""
    try:
        return step()
    except ConfigurationError:
        raise
    except ConformanceError as error:
        message = str(error)
    except Exception as error:  # noqa: BLE001 - what a tool declares may be anything
        message = str(own_fault(error))
    failures.append(TargetFailure(target.spec, target.origin, message))
    return None


_BY_THE_CLOCK: Final = (
    "this machine does not count how long a process waits for a processor (no /proc/…/schedstat): time limits go by the "
    "clock, so other work on the machine can make a tool look slow"
)


@dataclass(slots=True)
class Run:
    """One run of the suite: a context manager that ends every process when it is closed. Make one with `open`."""

    directory: Path
    settings: Settings
    options: RunOptions
    inventory: Inventory
    suites: Mapping[str, Suite]
    """What judges tools, by system."""
    systems: SystemRegistry = field(default_factory=SystemRegistry)
    started: datetime.datetime = field(default_factory=lambda: datetime.datetime.now(datetime.UTC))
    _began: float = field(default_factory=time.monotonic)
    _local: LocalExaminer | None = None
    _examiner: Examiner | None = None
    _reports: RunReports | None = None
    _known: KnownFindings | None = None

    @classmethod
    def open(cls, project: Path | str = ".", options: RunOptions = _DEFAULTS) -> Self:
        """A run for a project: its directory, or its `pyproject.toml`, which need not exist.

        Raises:
            ConfigurationError: a key, value or option is wrong.
            ContractDataError: the contracts' data, or a third party's system or rule is wrong.
        """
        path = Path(project)
        pyproject = path if path.suffix == ".toml" and not path.is_dir() else path / "pyproject.toml"
        systems = installed()
        inventory = systems.inventory
        settings = systems.load_settings(pyproject)
        if options.inline:
            check_containment(INLINE, options.containment or settings.containment, "the test process")
        name = settings.edition if options.edition is None else options.edition
        edition = None if name is None else inventory.edition(name)
        judged = suites(edition, inventory, systems)
        return cls(pyproject.absolute().parent, settings, options, inventory, judged, systems)

    @classmethod
    def for_replay(
        cls,
        report: Report,
        project: Path | str = ".",
        options: RunOptions = _DEFAULTS,
    ) -> Self:
        """A run under the conditions of a report: its seed, thoroughness and limits, within `BOUNDS`.

        Code, interpreters and paths come from the project and from `options`, never from the report. The run has no
        worker of its own: `replay` is one request to a worker.

        Raises:
            ConfigurationError, ContractDataError: as `open`.
        """
        requested: dict[str, Any] = {"seed": report.suite.seed, "limited": False}
        for name, (least, most) in BOUNDS.items():
            value = getattr(report.suite, name)
            if value is not None:
                kind = type(getattr(options, name))
                requested[name] = kind(min(max(value, least), most))
        return cls.open(project, replace(options, **requested))

    # ---- tools

    def specs(self) -> tuple[SourcedSpec, ...]:
        """Every target spec of the run with the source that names it.

        Raises:
            ConfigurationError: there is none; lists the places that were looked at.
        """
        found = self._known_specs()
        if not found:
            raise ConfigurationError(
                nothing_found(
                    self.directory / "pyproject.toml",
                    self.settings.specs.spellings[0].example,
                    unasked=distributions_with_tools(),
                )
            )
        return found

    def list_tools(self) -> FoundTools:
        """The tools of all specs of the run, each declaration read in a process of its own.

        Raises:
            ConfigurationError: no spec is named anywhere, or the configuration does not fit the tools.
            HostError: the run is closed.
        """
        found = self._found(self.specs())
        named = [(tool.name, tool.target.spec) for tool in found.tools]
        notes = [
            *found.notes,
            *unmatched(self.settings, named),
            *check_narrowings(found.tools),
            *self._edition_unused(found.tools),
            *([] if is_measured() else [_BY_THE_CLOCK]),
        ]
        tools, ambiguous = tell_apart([narrow(tool) for tool in found.tools])
        return FoundTools(tools, found.failures, (*notes, *ambiguous))

    def find(self, *specs: str) -> FoundTools:
        """The tools that some specs name, whether or not the project configures them.

        Where a table with the name of such a tool grants it something, the other tools of the run are read too: one of
        them may have that name.

        Raises:
            ConfigurationError: the configuration does not fit a tool.
            HostError: the run is closed.
        """
        found = self._found([SourcedSpec(spec, OPTION) for spec in specs], alone=False)
        tools, ambiguous = tell_apart([narrow(tool) for tool in found.tools])
        return FoundTools(tools, found.failures, (*found.notes, *ambiguous))

    def find_reported(self, spec: str, *, allow_side_effects: bool = False) -> ToolUnderTest:
        """The tool that a report names, where the project or `options.tools` covers it: a report brings no code.

        Its calls are made contained, also where the project says that they are harmless: whoever made the report chose
        the arguments. `allow_side_effects` says that the report is one to trust, so that the project's word counts.

        Raises:
            TargetError: it is not covered, or cannot be loaded.
            ConfigurationError, HostError: as `find`.
        """
        if not is_covered(spec, [known.text for known in self._known_specs()], self.settings.specs):
            name = printable(spec, 200)
            raise TargetError(
                f"the report is about {name}, which this project does not configure: "
                f"list it under [tool.aptix-conformance] tools, or name it with {OPTION} {name}"
            )
        named = self.find(spec).all_found()
        # The target of a server also names all of its tools.
        found = [tool for tool in named if tool.target.spec == spec] or named
        if len(found) != 1:
            raise TargetError(f"{printable(spec, 200)} names {len(found)} tools, where one is wanted")
        (tool,) = found
        settings = tool.settings
        if settings.side_effects == "none" and not allow_side_effects:
            said = (
                'side_effects = "none" does not count in a replay, since the report chose the arguments: calls are '
                f"contained. For a report that you made yourself, add {ALLOW_SIDE_EFFECTS}"
            )
            settings = replace(settings, side_effects="contained", withheld=(*settings.withheld, said))
        return replace(tool, settings=settings)

    # ---- examination

    def examine(
        self,
        tool: ToolUnderTest,
        watch: Watch | None = None,
        *,
        wrap: Callable[[ToolHost], ToolHost] | None = None,
        seed: int | None = None,
    ) -> Examination:
        """Explore one tool and judge it, by the settings and the suite that it has.

        Args:
            tool: one of those found, or a copy of it with other settings or another suite.
            watch: follows the steps.
            wrap: gives the host to use in place of the tool's own, such as one that remembers readings.
            seed: what everything drawn comes from; None is that of the run.

        Raises:
            TargetError: it cannot be loaded or read any more.
            HostError: no process could be started or kept, or the run is closed.
        """
        hosts = WrappedHosts(self.hosts, wrap) if wrap else self.hosts
        options = self.thoroughness if seed is None else replace(self.thoroughness, seed=seed)
        return examine(hosts, tool.target, tool.settings, tool.suite, options, watch)

    def examine_all(self) -> Report:
        """Examine every tool of `list_tools`, and return the report.

        A tool that cannot be loaded or examined is in it, with the reason.

        Raises:
            ConfigurationError: as `list_tools`.
            BaselineError: as `read_baseline`.
        """
        self.read_baseline()
        found = self.list_tools()
        reports = [*self.reports.failed_reports(found), *self.examine_each(found)]
        return self.report(reports, unneeded=self.unneeded_waivers(reports))

    def examine_each(self, found: FoundTools) -> Iterator[ToolReport]:
        """Examine tools one after the other, and give the report of each.

        The report of a tool that cannot be examined says why.

        Raises:
            BaselineError: as `read_baseline`.
        """
        for tool in found.tools:
            try:
                yield self.examine_and_report(tool).report
            except ConformanceError as error:
                yield self.reports.failed_tool(tool, str(error))
            except Exception as error:  # noqa: BLE001 - a fault of the suite with one tool must not end the run
                yield self.reports.failed_tool(tool, str(own_fault(error)))

    def examine_and_report(
        self,
        tool: ToolUnderTest,
        *,
        rules: Sequence[Rule] | None = None,
        watch: Watch | None = None,
    ) -> ToolExamined:
        """Examine a tool and make its report, in the run's worker unless `options.limited` is off.

        Args:
            tool: one of `list_tools`.
            rules: those that are asked for; all others are `deselected` in the report. None means all.
            watch: follows the steps.

        Raises:
            TargetError: it cannot be loaded or read any more.
            HostError: no process could be started or kept, or what the tool gave ended too many workers.
            DeadlineError: the deadline of the run was reached.
            BaselineError: as `read_baseline`.
        """
        bound = {each.rule.code for each in tool.applicable_rules() if not each.exempt}
        chosen = tool.suite.rules if rules is None else rules
        request = ExamineTool(
            name=tool.name,
            target=tool.target,
            settings=tool.settings,
            declaration=tool.declaration,
            containment=tool.containment,
            probes=tuple(probe.name for probe in needed_probes(chosen, tool.suite.probes))
            if rules is not None
            else tuple(probe.name for probe in tool.suite.probes),
            restarts=rules is None or needs_restarts(chosen),
            deselected=frozenset(bound - {rule.code for rule in chosen}),
        )
        watch = watch or Watch()
        watch.planned = len(request.probes) + len(OTHER_STEPS)
        known = self.read_baseline()
        if self.is_limited:
            examined = self.examiner.examine(request, watch)
        elif self._until is not None and time.monotonic() >= self._until:
            raise DeadlineError(NOT_EXAMINED)
        else:
            examined = self.local.examine(request, watch)
        return replace(examined, report=known.applied(examined.report)) if known else examined

    def read_baseline(self) -> KnownFindings | None:
        """The baseline of the run, which is read once; None where there is none. Call it before anything is examined.

        Raises:
            BaselineError: the file is missing or is no baseline.
        """
        configured = None if self.settings.baseline is None else Path(self.settings.baseline)
        path = self.options.baseline or configured
        if path is None or not self.options.baselines:
            return None
        if self._known is None:
            today, examples = self.thoroughness.today, self.options.examples
            self._known = KnownFindings.of(read_baseline(path), today=today, examples=examples)
        return self._known

    def open_host(self, tool: ToolUnderTest) -> ToolHost:
        """A process for one tool, to be closed by the caller.

        Raises:
            TargetError: the tool cannot be loaded.
            HostError: no process could be started, or the run is closed.
        """
        return self.hosts.open(tool.target, tool.settings)

    def suite_of(self, rules: Iterable[Rule], edition: str) -> Suite:
        """Some rules, in an edition.

        Raises:
            ConfigurationError: there is no such edition.
        """
        found = self.inventory.edition(edition)
        return replace(self.suites[found.system], rules=tuple(rules), edition=found)

    @property
    def thoroughness(self) -> Options:
        """How thorough each examination is."""
        options = self.options
        return Options(options.examples, options.budget, options.seed, options.storage)

    # ---- report

    @property
    def reports(self) -> RunReports:
        """Makes the reports of the run."""
        if self._reports is None:
            self._reports = RunReports(
                pyproject=self.directory / "pyproject.toml",
                settings=self.settings,
                options=self.options,
                specs=self._known_specs(),
                suites=self.suites,
                root=self.root,
                sys_path=self.sys_path,
                deadline=self.deadline,
                started=self.started,
            )
        return self._reports

    def report(
        self,
        tools: Iterable[ToolReport],
        *,
        complete: bool = True,
        unneeded: tuple[str, ...] = (),
        whole: bool = True,
    ) -> Report:
        """The report of the run with these tools.

        `complete` is False where the run was ended early, `unneeded` is what `unneeded_waivers` found, and `whole` is False
        where tools of the run were left out.
        """
        found = tuple(tools)
        made = self.reports.whole(found, complete=complete, unneeded=unneeded)
        known = self.read_baseline()
        return replace(made, baseline=known.counted(found, whole=whole)) if known else made

    def unneeded_waivers(self, tools: Iterable[ToolReport]) -> tuple[str, ...]:
        """A sentence for each waiver of a module or package that no tool under it needs.

        Only where the run covers the whole module or package, and every tool under it among `tools` was examined.

        Raises:
            ConfigurationError: two tables have a tool's spec as key.
        """
        return self.reports.unneeded_waivers(tools)

    @staticmethod
    def write_report(path: Path | str, report: Report, form: str = JSON) -> None:
        """Write a report atomically: a reader sees the old file or the new one.

        `form` is the name of a renderer, such as `summary`.

        Raises:
            ReportError: there is no such format, it cannot be made, or the place cannot be written.
        """
        write_report(Path(path), report, form)

    # ---- processes

    @property
    def root(self) -> Path:
        """The root directory of the tools."""
        return self.options.root or self.directory

    @property
    def sys_path(self) -> tuple[str, ...]:
        """Where the tools' modules are looked for, as absolute paths; the root is the last."""
        given = self.options.sys_path
        entries = [*sys.path, *pytest_paths(self.directory)] if given is None else given
        paths = (str(Path(entry).absolute()) for entry in entries if entry)
        return tuple(dict.fromkeys([*paths, str(self.root)]))

    @property
    def local(self) -> LocalExaminer:
        """What examines tools from this process; the worker has its own.

        Raises:
            HostError: the run is closed.
        """
        if self._local is None:
            options = self.options
            environment = Environment(
                rootdir=self.root,
                sys_path=self.sys_path,
                canaries=canaries.environment(options.seed),
                limits=Limits(timeout=options.timeout, memory=options.memory * MIB),
                least_containment=self.least_containment,
                hidden=options.hidden,
                server_store=Path(self.settings.server_store) if self.settings.server_store else None,
                coverage=options.coverage,
            )
            self._local = LocalExaminer(
                environment=environment,
                systems=self.systems,
                suites=self.suites,
                options=self.thoroughness,
                reports=self.reports,
                inline=options.inline,
            )
        return self._local

    @property
    def hosts(self) -> Systems:
        """The host pools of the run, made on first use.

        Raises:
            HostError: the run is closed.
        """
        return self.local.hosts

    def program_pool(self, prefix: str) -> ProgramHostPool:
        """A pool of hosts that are programs, for a check of the hosts themselves; the caller closes it.

        Raises:
            TargetError: the hosts of that runtime are no programs.
            HostError: the run is closed.
        """
        self.local.check_open()
        return program_pool(prefix, self.local.environment, self.systems)

    def is_own(self, target: str) -> bool:
        """Whether the project itself names a target; where it names none, those of the command line are its own."""
        own = [spec.text for spec in self._known_specs() if spec.origin != OPTION]
        return not own or is_covered(target, own, self.settings.specs)

    @property
    def least_containment(self) -> ContainmentLevel:
        """The containment that the run requires; `none` requires nothing."""
        return self.options.containment or self.settings.containment

    @property
    def deadline(self) -> float | None:
        """Seconds that the run may take; None where there is no limit."""
        return self.settings.deadline if self.options.deadline is None else self.options.deadline

    @property
    def seconds_left(self) -> float | None:
        """Seconds that the deadline leaves; None where there is no limit."""
        return None if self._until is None else self._until - time.monotonic()

    @property
    def _until(self) -> float | None:
        """When the run must end, on the monotonic clock."""
        return None if self.deadline is None else self._began + self.deadline

    @property
    def is_limited(self) -> bool:
        """Whether tools are read and judged in a worker, as far as the machine can fork one."""
        return self.options.limited and not self.options.inline and hasattr(os, "fork")

    @property
    def examiner(self) -> Examiner:
        """What asks the run's worker; the worker is started by the first request.

        Raises:
            HostError: the run is closed.
        """
        self.local.check_open()
        if self._examiner is None:
            worker = Worker(self.local.serve, self.local.close, self.systems.traits)
            self._examiner = Examiner(worker, self._until)
        return self._examiner

    def close(self) -> None:
        """End every process of the run. Harmless when repeated."""
        if self._examiner is not None:
            self._examiner.close()
            self._examiner = None
        self.local.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _asked(self) -> Examiner | LocalExaminer:
        """What lists and reads the tools.

        Raises:
            HostError: the run is closed.
        """
        self.local.check_open()
        return self.examiner if self.is_limited else self.local

    def _known_specs(self) -> tuple[SourcedSpec, ...]:
        given = [
            spec if isinstance(spec, SourcedSpec) else SourcedSpec(spec, OPTION)
            for spec in self.options.tools
        ]
        configured = [SourcedSpec(spec, CONFIGURED) for spec in self.settings.tools]
        return (*given, *configured, *entry_point_specs(self.settings.entry_points))

    def _found(self, specs: Sequence[SourcedSpec], *, alone: bool = True) -> FoundTools:
        """The tools of some specs; `alone` says that the run has no others."""
        read, failures, notes = self._read_all(specs)
        names = Counter(one.name for one in read)
        if not alone and any(granted_by_name(self.settings, name) for name in names):
            known = {one.target.spec for one in read}
            others, _, _ = self._read_all(self._known_specs())
            names.update(one.name for one in others if one.target.spec not in known)
        shared = frozenset(name for name, count in names.items() if count > 1)
        tools = [_attempt(failures, one.target, partial(self._configured, one, shared)) for one in read]
        return FoundTools(tuple(tool for tool in tools if tool is not None), tuple(failures), notes)

    def _read_all(
        self, specs: Sequence[SourcedSpec]
    ) -> tuple[list[ReadTool], list[TargetFailure], tuple[str, ...]]:
        """What the tools of some specs declare, the specs that lead to none, and notes."""
        discovery = discover(specs, self._asked.list_tools, self.settings)
        failures = list(discovery.failures)
        read = [_attempt(failures, target, partial(self._read, target)) for target in discovery.targets]
        return [one for one in read if one is not None], failures, discovery.notes

    def _read(self, target: Target) -> ReadTool:
        unnamed = settings_for(self.settings, None, target.spec, target.python)
        return self._asked.read(target, unnamed)

    def _configured(self, read: ReadTool, shared: frozenset[str]) -> ToolUnderTest:
        """A tool with its settings and what judges it; `shared` are the names that several tools have."""
        target, declaration = read.target, read.declaration
        settings = settings_for(self.settings, read.name, target.spec, target.python, shared)
        suite = suite_for(self.suites, target, declaration, self.systems)
        if settings.side_effects == "none":
            check_containment(SWITCHED_OFF, self.least_containment, target.spec)
        check_waivers(target, settings, suite.rules)
        if not self.options.waivers:
            settings = replace(settings, waivers=())
        return ToolUnderTest(
            read.name, target, settings, declaration, suite, read.containment, read.exemptions
        )

    def _edition_unused(self, tools: Sequence[ToolUnderTest]) -> list[str]:
        """A note where the chosen edition judged no tool: none is of its system, or each declares another edition."""
        name = self.settings.edition if self.options.edition is None else self.options.edition
        asked = None if name is None else self.inventory.edition(name)
        used = {tool.suite.edition.name for tool in tools}
        if asked is None or asked.name in used:
            return []
        editions = " and ".join(sorted(used))
        if asked.system in {tool.declaration.system for tool in tools}:
            nothing = f"no tool declares the edition {asked.name}; it judged nothing"
        else:
            nothing = f"no tool of the system {asked.system} was examined; {asked.name} judged nothing"
        return [f"{nothing}, and what was examined was judged by {editions}" if editions else nothing]
