"""The one way in: from a project's configuration and target specs to tools, examinations and a report.

    with Run.open("pyproject.toml") as run:
        report = run.examine_all()
        run.write_report("report.json", report)

The pytest plugin, the commands, the golden matrix and the benchmarks all use it. Nothing else puts contracts, hosts
and examinations together.

One file, because it is one class: what a caller of `Run` may do stands in one place, and each method says what it raises.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from aptix_conformance.app.run.cache import Cache
from aptix_conformance.app.run.cache_store import CacheStore
from aptix_conformance.app.run.examiner import Examiner
from aptix_conformance.app.run.lanes import Lanes
from aptix_conformance.app.run.local_examiner import LocalExaminer
from aptix_conformance.app.run.options import BOUNDS, RunOptions
from aptix_conformance.app.run.reports import RunReports
from aptix_conformance.app.run.requests import NOT_EXAMINED, ExamineTool, ToolExamined
from aptix_conformance.app.run.scheduler import Scheduler, usual_jobs
from aptix_conformance.app.run.setup import RunSetup
from aptix_conformance.app.run.shards import Share
from aptix_conformance.app.run.target_resolution import ToolFinder
from aptix_conformance.app.run.worker import Worker
from aptix_conformance.core.errors import ConfigurationError, ConformanceError, DeadlineError, own_fault
from aptix_conformance.core.model.codec import replace, to_text
from aptix_conformance.core.model.report import BaselineReport, Report, ShardReport, ToolReport
from aptix_conformance.examine import (
    Examination,
    FoundTools,
    ToolUnderTest,
    Watch,
    examine,
)
from aptix_conformance.hosts import ToolHost
from aptix_conformance.hosts.host import Surroundings, WrappedHosts
from aptix_conformance.hosts.program_pool import ProgramHostPool
from aptix_conformance.hosts.required_containment import INLINE, check_containment
from aptix_conformance.present.reports import JSON, write_report
from aptix_conformance.present.reports.baseline import KnownFindings, read_baseline
from aptix_conformance.rules import Rule
from aptix_conformance.systems.pools import Systems, program_pool
from aptix_conformance.systems.registry import installed
from aptix_conformance.systems.rulebook import suites
from aptix_conformance.targets import (
    SourcedSpec,
    Target,
    ToolSettings,
    distributions_with_tools,
    nothing_found,
)

__all__ = ["BOUNDS", "FoundTools", "Run", "RunOptions"]

_DEFAULTS: Final = RunOptions()


@dataclass(slots=True)
class Run(RunSetup):
    """One run of the suite: a context manager that ends every process when it is closed. Make one with `open`."""

    _local: LocalExaminer | None = None
    _examiner: Examiner | None = None
    _reports: RunReports | None = None
    _known: KnownFindings | None = None
    _all_found: FoundTools | None = None
    cache: Cache | None = None
    """The results of earlier runs; None where the options name no folder for them."""
    share: Share | None = None
    """The part of the run that its shard has, once `own_share` was asked; None for a whole run."""

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
        run = cls(pyproject.absolute().parent, settings, options, inventory, judged, systems)
        if options.cache is not None:
            store = CacheStore.open(options.cache, run.started)
            run.cache = Cache(run, store, run.surroundings)
        return run

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
                requested[name] = type(least)(min(max(value, least), most))
        return cls.open(project, replace(options, **requested))

    # ---- tools

    def specs(self) -> tuple[SourcedSpec, ...]:
        """Every target spec of the run with the source that names it.

        Raises:
            ConfigurationError: there is none; lists the places that were looked at.
        """
        specs = self.known_specs
        if not specs:
            raise ConfigurationError(
                nothing_found(
                    self.pyproject,
                    self.settings.specs.spellings[0].example,
                    unasked=distributions_with_tools(),
                )
            )
        return specs

    def list_tools(self) -> FoundTools:
        """The tools of all specs of the run, each declaration read in a process of its own.

        Raises:
            ConfigurationError: no spec is named anywhere, or the configuration does not fit the tools.
            HostError: the run is closed.
        """
        specs = self.specs()  # before anything is started
        self._begin_cache()
        return self._finder.list_tools(specs)

    def find(self, *specs: str, shared: frozenset[str] | None = None) -> FoundTools:
        """The tools that some specs name, whether or not the project configures them.

        Where a table with the name of such a tool grants it something, the other tools of the run are read too: one of
        them may have that name. They are not where `shared` says which names other tools have: `FoundTools.shared` of
        the run that the tools are part of.

        Raises:
            ConfigurationError: the configuration does not fit a tool.
            HostError: the run is closed.
        """
        self._begin_cache()
        return self._finder.find(specs, shared)

    def _begin_cache(self) -> None:
        if self.cache is not None:
            self.local.check_open()
            self.cache.begin()

    def find_reported(self, spec: str, *, allow_side_effects: bool = False) -> ToolUnderTest:
        """The tool that a report names, where the project or `options.tools` covers it: a report brings no code.

        Its calls are made contained, also where the project says that they are harmless: whoever made the report chose
        the arguments. `allow_side_effects` says that the report is one to trust, so that the project's word counts.

        Raises:
            TargetError: it is not covered, or cannot be loaded.
            ConfigurationError, HostError: as `find`.
        """
        return self._finder.find_reported(spec, allow_side_effects=allow_side_effects)

    def own_share(self, found_tools: FoundTools) -> FoundTools:
        """The tools and failed targets that fall to the shard of `options.shard`; all of them where there is none.

        Raises:
            ConfigurationError: the file of costs cannot be read.
            BaselineError: as `read_baseline`.
        """
        if self.options.shard is None:
            return found_tools
        known = self.read_baseline()
        parts = (
            self.pyproject.read_bytes() if self.pyproject.is_file() else b"",
            to_text(known.baseline).encode() if known else b"",
            b"" if self.options.waivers else b"no waivers",
        )
        self._all_found = found_tools
        own, self.share = self.options.shard.share(found_tools, b"\0".join(parts))
        return own

    def sample_cached(self, found_tools: FoundTools) -> FoundTools:
        """One in `options.one_in` of the tools whose results the cache has. From now on no result is taken from it.

        Raises:
            ConfigurationError: the run has no cache, or this has none of the tools.
        """
        if self.cache is None:
            raise ConfigurationError("there is no cache to examine again: name its folder by --cache")
        requests = {tool.target.spec: ExamineTool.of(tool) for tool in found_tools.tools}
        chosen = {each.target.spec for each in self.cache.sample(requests.values())}
        if not chosen:
            raise ConfigurationError(
                f"{self.options.cache} has no result for these tools, as they are, with these options: nothing is examined again"
            )
        self.cache.takes = False
        return replace(
            found_tools,
            tools=tuple(tool for tool in found_tools.tools if tool.target.spec in chosen),
            failures=(),
        )

    @property
    def _finder(self) -> ToolFinder:
        """The finder of the tools.

        Raises:
            HostError: the run is closed.
        """
        self.local.check_open()
        return ToolFinder(self, self.examiner if self.is_limited else self.local)

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
            seed: the seed of everything drawn; None is that of the run.

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
        found_tools = self.own_share(self.list_tools())
        reports = [*self.failed_reports(found_tools), *self.examine_each(found_tools)]
        return self.report(reports, unneeded=self.unneeded_waivers(reports))

    def examine_each(
        self,
        found_tools: FoundTools,
        watching: Callable[[ToolUnderTest], AbstractContextManager[Watch]] = lambda _: nullcontext(Watch()),
    ) -> Iterator[ToolReport]:
        """Examine tools, and give the report of each in their order.

        The report of a tool that cannot be examined says why. `watching` gives what follows the steps of a tool.

        Raises:
            BaselineError: as `read_baseline`.
        """
        return (each.report for each in self.results_of_each(found_tools.tools, watching))

    def results_of_each(
        self,
        tools: Sequence[ToolUnderTest],
        watching: Callable[[ToolUnderTest], AbstractContextManager[Watch]] = lambda _: nullcontext(Watch()),
        *,
        rules: Sequence[Rule] | None = None,
    ) -> Iterator[ToolExamined]:
        """Examine tools as `examine_each`, and give all that was seen. `rules` are as in `examine_and_report`.

        Raises:
            BaselineError: as `read_baseline`.
        """
        self.plan((tool, rules) for tool in tools)
        for tool in tools:
            try:
                with watching(tool) as watch:
                    examined = self.examine_and_report(tool, rules=rules, watch=watch)
                yield examined
            except ConformanceError as error:
                yield ToolExamined(self.reports.failed_tool(tool, error), None)
            except Exception as error:  # noqa: BLE001 - a fault of the suite with one tool must not end the run
                yield ToolExamined(self.reports.failed_tool(tool, own_fault(error)), None)

    def plan(self, tools: Iterable[tuple[ToolUnderTest, Sequence[Rule] | None]]) -> None:
        """Announce the calls of `examine_and_report`, in this order: tools and their rules. They may be examined ahead.

        Raises:
            HostError: the run is closed.
        """
        if self.is_limited:
            requests = (ExamineTool.of(tool, rules) for tool, rules in tools)
            self.examiner.plan(each for each in requests if not (self.cache and self.cache.can_take(each)))

    def examine_and_report(
        self,
        tool: ToolUnderTest,
        *,
        rules: Sequence[Rule] | None = None,
        watch: Watch | None = None,
    ) -> ToolExamined:
        """Examine a tool and make its report, in a worker of the run's unless `options.limited` is off.

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
        request = ExamineTool.of(tool, rules)
        watch = watch or Watch()
        known = self.read_baseline()
        examined = self.cache.take(request) if self.cache else None
        if examined is None:
            examined = self._examined(request, watch)
            examined = self.cache.keep(request, examined) if self.cache else examined
        report = known.applied(examined.report) if known else examined.report
        return replace(examined, report=self.reports.sharing(report))

    def _examined(self, request: ExamineTool, watch: Watch) -> ToolExamined:
        if self.is_limited:
            return self.examiner.examine(request, watch)
        if self.until is not None and time.monotonic() >= self.until:
            raise DeadlineError(NOT_EXAMINED)
        return self.local.examine(request, watch)

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
            # A finding that the quick plan does not show is not gone.
            today, examples = self.thoroughness.today, 0 if self.thoroughness.quick else self.options.drawn
            self._known = KnownFindings.of(read_baseline(path), today=today, examples=examples)
        return self._known

    def open_host(self, tool: ToolUnderTest) -> ToolHost:
        """A process for one tool, to be closed by the caller.

        Raises:
            TargetError: the tool cannot be loaded.
            HostError: no process could be started, or the run is closed.
        """
        return self.hosts.open(tool.target, tool.settings)

    # ---- report

    @property
    def reports(self) -> RunReports:
        """Makes the reports of the run."""
        if self._reports is None:
            self._reports = RunReports(self, self.known_specs, self.sys_path)
        return self._reports

    def report(
        self,
        tools: Iterable[ToolReport],
        *,
        complete: bool = True,
        stopped: str = "",
        unneeded: tuple[str, ...] = (),
        whole: bool = True,
    ) -> Report:
        """The report of the run with these tools.

        `complete` is False where the run was ended early, `stopped` says by what, `unneeded` is what `unneeded_waivers`
        found, and `whole` is False where tools of the run were left out; a shard leaves none of its own out.
        """
        reports = tuple(tools)
        report = self.reports.whole(reports, complete=complete, stopped=stopped, unneeded=unneeded)
        if self.share:
            shard = self._shard_report(self.share, reports, whole=whole)
            report = replace(report, suite=replace(report.suite, shard=shard))
        return replace(report, baseline=self.counted(reports, whole=whole))

    def failed_reports(self, found_tools: FoundTools) -> list[ToolReport]:
        """The reports of the specs that led to no tool, by names that no other entry of the run has, in any shard."""
        own = {failure.spec for failure in found_tools.failures}
        named = self.reports.failed_reports(self._all_found or found_tools)
        return [report for report in named if report.target in own]

    def counted(self, reports: Sequence[ToolReport], *, whole: bool) -> BaselineReport | None:
        """The effect of the baseline on the tools of the run, or of its shard; None where there is none. `whole` is as in `report`."""
        others = frozenset(target for _, target in self.share.elsewhere) if self.share else frozenset()
        known = self.read_baseline()
        return known.counted(reports, whole=whole, others=others) if known else None

    def _shard_report(self, share: Share, reports: Sequence[ToolReport], *, whole: bool) -> ShardReport:
        needed, unneeded = (
            self.reports.split_waivers(reports, [name for name, _ in share.elsewhere]) if whole else ((), ())
        )
        return ShardReport(share.number, share.of, share.run, share.entries, whole, needed, unneeded)

    def unneeded_waivers(self, tools: Iterable[ToolReport]) -> tuple[str, ...]:
        """A sentence for each waiver of a module or package that no tool under it needs.

        Only where the run covers the whole module or package, and every tool under it among `tools` was examined. A shard
        does not know: its report says what `aptix-conformance report merge` needs for it.

        Raises:
            ConfigurationError: two tables have a tool's spec as key.
        """
        return () if self.share else self.reports.split_waivers(tools)[1]

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
    def local(self) -> LocalExaminer:
        """The examiner of tools in this process; the worker has its own.

        Raises:
            HostError: the run is closed.
        """
        if self._local is None:
            self._local = LocalExaminer(
                environment=self.environment,
                systems=self.systems,
                suites=self.suites,
                options=self.thoroughness,
                reports=self.reports,
                inline=self.options.inline,
            )
        return self._local

    @property
    def hosts(self) -> Systems:
        """The host pools of the run, made on first use.

        Raises:
            HostError: the run is closed.
        """
        return self.local.hosts

    def surroundings(self, target: Target, settings: ToolSettings) -> Surroundings | None:
        """The files that the processes of a tool can read; None where that is not known, or is everything.

        Raises:
            TargetError: as `Systems.surroundings`.
            HostError: the run is closed.
        """
        return self.hosts.surroundings(target, settings)

    def program_pool(self, prefix: str) -> ProgramHostPool:
        """A pool of hosts that are programs, for a check of the hosts themselves; the caller closes it.

        Raises:
            TargetError: the hosts of that runtime are no programs.
            HostError: the run is closed.
        """
        self.local.check_open()
        return program_pool(prefix, self.local.environment, self.systems)

    @property
    def examiner(self) -> Examiner:
        """The examiner that asks the run's workers; the first is started by the first request.

        Raises:
            HostError: the run is closed.
        """
        self.local.check_open()
        if self._examiner is None:
            worker = Worker(self.local.serve, self.local.close, self.systems.traits)
            latest = math.inf if self.until is None else self.until
            ahead = Scheduler(worker, latest, self.options.jobs or usual_jobs())
            self._examiner = Examiner(Lanes(worker, latest), ahead)
        return self._examiner

    def cache_problems(self) -> Sequence[str]:
        """A sentence for each fault of the cache, once what was examined up to now is kept."""
        if self.cache is None:
            return ()
        self.cache.flush()
        return self.cache.problems

    @property
    def is_short_of_processors(self) -> bool:
        """Whether the machine gave the examinations up to now less than half of the processor time that they asked for."""
        return self._examiner is not None and self._examiner.ahead.is_short_of_processors

    def close(self) -> None:
        """End every process of the run. Harmless when repeated."""
        if self.cache is not None:
            self.cache.flush()
        if self._examiner is not None:
            self._examiner.close()
            self._examiner = None
        self.local.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
