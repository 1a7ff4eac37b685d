"""One run of the suite inside one run of pytest: find the tools, add the items, gather what comes back.

Under pytest-xdist every worker does this for itself and must find the same items in the same order; the
controller collects nothing. Entries travel to it as ASCII JSON on the first report of each tool.
"""

import datetime
import json
import os
import platform
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

from aptix_conformance.canaries import environment as canaries
from aptix_conformance.contracts import Inventory
from aptix_conformance.contracts import load as load_contracts
from aptix_conformance.errors import ConfigurationError, ConformanceError, HostError, ReportError
from aptix_conformance.examination import Examination, Options, Suite, bearing, examine, tool_name, unexamined
from aptix_conformance.examination import read_target
from aptix_conformance.hosts import (
    MIB,
    CoverageSettings,
    Environment,
    HostPool,
    InlineHostPool,
    Limits,
    PythonHostPool,
)
from aptix_conformance.plugin.items import (
    ConformanceItem,
    Entry,
    Root,
    ToolState,
    failed_target_item,
    tool_items,
)
from aptix_conformance.plugin.sources import gather_sources
from aptix_conformance.reports import (
    Report,
    failed_target_entry,
    summary_lines,
    tool_entry,
    unexplored_entry,
    write_report,
)
from aptix_conformance.rules import all_rules
from aptix_conformance.schemas import LockResult, check_lock, lock_text
from aptix_conformance.targets import (
    Settings,
    SourcedSpec,
    Target,
    discover,
    file_stem,
    item_name,
    load_settings,
    settings_for,
    unmatched,
)

PREFIX = "aptix::"
NAME = "aptix-conformance-run"


def activate(config: pytest.Config) -> None:
    """Read the configuration, take our ids out of the arguments, and register the run.

    Raises:
        pytest.UsageError: something in the options or in pyproject.toml is wrong.
    """
    ids = [argument for argument in config.args if argument.startswith(PREFIX)]
    paths = [argument for argument in config.args if not argument.startswith(PREFIX)]
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    config.args[:] = paths if named else []
    if getattr(config.option, "dist", "no") == "load":
        # `load` would spread one tool's items over the workers, and each would explore it again.
        config.option.dist = "loadscope"
    try:
        run = Run(config, ids)
    except ConformanceError as error:
        raise pytest.UsageError(str(error)) from error
    config.pluginmanager.register(run, NAME)


class Run:
    """The plugin object of one run."""

    def __init__(self, config: pytest.Config, ids: list[str]) -> None:
        self.config = config
        self.ids = ids
        self.started = datetime.datetime.now(datetime.UTC)
        self.settings: Settings = load_settings(config.rootpath / "pyproject.toml")
        self.inventory: Inventory = load_contracts()
        self.rules = all_rules()
        self.edition = self.inventory.edition(
            config.getoption("--aptix-edition")
            or self.settings.edition
            or self.inventory.default_edition("aptix").name
        )
        if self.edition.system != "aptix":
            raise ConfigurationError(f"the edition {self.edition.name} is not for Aptix tools")
        self.suite = Suite(self.rules, self.edition, self.inventory)
        self.options = _options(config)
        self.sources: list[SourcedSpec] = gather_sources(config, self.settings)
        self.gate = frozenset(
            {"MUST", "SHOULD"} if config.getoption("--aptix-level") == "should" else {"MUST"}
        )
        self.pool: HostPool | None = None
        self.states: list[ToolState] = []
        self.failed: list[Entry] = []
        self.notes: list[str] = []
        self.entries: dict[str, Entry] = {}
        self.collected: dict[str, Entry] = {}
        self.problem: str | None = None

    # ---- collecting

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Add the items, before `-k` and `--lf` make their choice."""
        try:
            found = list(self._collect(session))
        except ConformanceError as error:
            raise pytest.UsageError(str(error)) from error
        items.extend(self._chosen(found))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note which rules will not be shown: a deselected MUST keeps a tool from being conforming."""
        kept: dict[int, set[str]] = {}
        for item in session.items:
            rule = getattr(item, "rule", None)
            if isinstance(item, ConformanceItem) and item.state and rule:
                kept.setdefault(id(item.state), set()).add(rule.code)
        for state in self.states:
            rules = {concern.rule.code for concern in state.concerns if not concern.exempt}
            state.deselected = frozenset(rules - kept.get(id(state), set()))
            reason = "the run ended before this tool was examined"
            verdicts = unexamined(self.suite, state.declaration, reason)
            entry = unexplored_entry(state.tool, state.target, state.edition, verdicts, reason)
            if kept.get(id(state)):
                self.collected[state.target.spec] = entry
        for entry in self.failed:
            self.collected[entry["target"]] = entry

    def _collect(self, session: pytest.Session) -> Iterable[ConformanceItem]:
        self.pool = self._open_pool()
        pool = self.pool
        discovery = discover(self.sources, pool.list_tools, self.settings)
        self.notes += discovery.notes
        failures = [(failure.spec, failure.message) for failure in discovery.failures]
        for target in discovery.targets:
            try:
                self._read(pool, target)
            except ConformanceError as error:
                failures.append((target.spec, str(error)))
        self._tell_apart()
        self.notes += unmatched(self.settings, [(state.tool, state.target.spec) for state in self.states])
        self.failed = [
            failed_target_entry(spec, "aptix", self.edition.name, message) for spec, message in failures
        ]
        root = Root.from_parent(session, name="aptix", nodeid="aptix")
        for state in sorted(self.states, key=lambda state: (state.tool, state.target.spec)):
            yield from tool_items(
                root,
                state,
                gate=self.gate,
                allow_incomplete=self.config.getoption("--aptix-allow-incomplete"),
                check_lock=self._check_lock,
                ci=bool(os.environ.get("CI")),
            )
        for entry in self.failed:
            yield failed_target_item(root, entry)

    def _read(self, pool: HostPool, target: Target) -> None:
        by_spec = settings_for(self.settings, None, target.spec)
        declaration = read_target(pool, target, by_spec)
        tool = tool_name(declaration)
        self.states.append(
            ToolState(
                tool=tool,
                target=target,
                settings=settings_for(self.settings, tool, target.spec),
                declaration=declaration,
                concerns=bearing(self.suite, declaration),
                edition=self.edition.name,
                explore=self._explore,
                make_entry=self._make_entry,
            )
        )

    def _tell_apart(self) -> None:
        """Two tools of one name stay two: each is then called by its name and its target."""
        by_name: dict[str, list[ToolState]] = {}
        for state in self.states:
            by_name.setdefault(state.tool.casefold(), []).append(state)
        for states in by_name.values():
            if len(states) > 1:
                specs = ", ".join(state.target.spec for state in states)
                self.notes.append(
                    f"{states[0].tool} is the name of {len(states)} tools: {specs}; a registry takes one"
                )
                for state in states:
                    state.tool = f"{state.tool}@{state.target.spec}"

    def _chosen(self, items: list[ConformanceItem]) -> list[ConformanceItem]:
        if not self.ids:
            return items
        chosen = []
        for wanted in self.ids:
            matching = [i for i in items if i.nodeid == wanted or i.nodeid.startswith(f"{wanted}::")]
            if not matching:
                raise pytest.UsageError(
                    f"not found: {wanted} (pytest --aptix-conformance --co -q lists all ids)"
                )
            chosen += [item for item in matching if item not in chosen]
        return chosen

    # ---- examining

    def _open_pool(self) -> HostPool:
        environment = Environment(
            rootdir=self.config.rootpath,
            sys_path=_sys_path(self.config),
            canaries=canaries(self.options.seed),
            limits=Limits(
                timeout=self.config.getoption("--aptix-timeout"),
                memory=self.config.getoption("--aptix-memory") * MIB,
            ),
            coverage=_coverage(self.config),
        )
        if self.config.getoption("--aptix-inline"):
            return InlineHostPool(environment)
        return PythonHostPool(environment)

    def _explore(self, state: ToolState) -> Examination:
        if self.pool is None:
            raise HostError("the run has ended")
        return examine(self.pool, state.target, state.settings, self.suite, self.options)

    def _make_entry(self, state: ToolState, examination: Examination) -> Entry:
        return tool_entry(
            examination,
            tool=state.tool,
            deselected=state.deselected,
            report=self.config.getoption("--aptix-report"),
        )

    def _check_lock(self, item: pytest.Item, state: ToolState) -> LockResult:
        directory = self.config.rootpath / self.settings.snapshots
        return check_lock(item, lock_text(state.tool, state.declaration), directory, file_stem(state.tool))

    # ---- gathering

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put a tool's entry on the first report of one of its items, so that it reaches the controller."""
        report = yield
        entry = _entry_of(item)
        if entry is not None and report.when == "call":
            report.__dict__["aptix_entry"] = json.dumps(entry, ensure_ascii=True)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take a tool's entry from the report that carries it."""
        text = getattr(report, "aptix_entry", None)
        if text is not None:
            entry = json.loads(text)
            self.entries[entry["target"]] = entry

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Learn from an xdist worker which tools it had collected."""
        output = getattr(node, "workeroutput", {})
        self.collected.update(json.loads(output.get("aptix_collected", "{}")))
        for note in json.loads(output.get("aptix_notes", "[]")):
            if note not in self.notes:
                self.notes.append(note)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """End every process; as a worker hand over what was collected, otherwise write the report."""
        if self.pool is not None:
            self.pool.close()
            self.pool = None
        output = getattr(self.config, "workeroutput", None)
        if output is not None:
            output["aptix_collected"] = json.dumps(self.collected)
            output["aptix_notes"] = json.dumps(self.notes)

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """End what an aborted run left behind."""
        if self.pool is not None:
            self.pool.close()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Fail a run that examined nothing, and write the report, however the run ends."""
        try:
            return (yield)
        finally:
            self._write()

    def _write(self) -> None:
        path = self.config.getoption("--aptix-report")
        if not path or hasattr(self.config, "workerinput") or self.config.getoption("collectonly"):
            return
        document = Report(
            seed=self.options.seed,
            examples=self.options.examples,
            complete=self.collected.keys() <= self.entries.keys(),
            isolated=not self.config.getoption("--aptix-inline"),
            run={
                "started": self.started.isoformat(timespec="seconds"),
                "seconds": round((datetime.datetime.now(datetime.UTC) - self.started).total_seconds(), 3),
                "python": platform.python_version(),
                "platform": platform.platform(),
            },
        ).document(self._known_entries())
        try:
            write_report(Path(self.config.invocation_params.dir, path), document)
        except ReportError as error:
            self.problem = str(error)

    def _known_entries(self) -> list[Entry]:
        return list({**self.collected, **self.entries}.values())

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """One line a tool, then what was exempt, waived, thinner or worth a word of advice."""
        entries = self._known_entries()
        if hasattr(self.config, "workerinput") or self.config.getoption("collectonly") or not entries:
            return
        terminalreporter.section(f"aptix conformance, edition {self.edition.name}")
        if self.config.getoption("--aptix-inline"):
            terminalreporter.line(
                "ISOLATION IS OFF (--aptix-inline): the tools ran in the test process", red=True
            )
        for line in summary_lines(entries):
            colour = {"green": line.startswith("conforming"), "red": line.startswith("nonconforming")}
            terminalreporter.line(line, yellow=line.startswith("incomplete"), **colour)
        for note in self.notes:
            terminalreporter.line(f"note          {note}")
        path = self.config.getoption("--aptix-report")
        if self.problem:
            terminalreporter.line(self.problem, red=True)
        elif path:
            terminalreporter.line(f"report        {path}")


def _entry_of(item: pytest.Item) -> Entry | None:
    """The entry that an item's report carries: its tool's, the first time."""
    if not isinstance(item, ConformanceItem):
        return None
    state = item.state
    if state is None:
        found: Entry | None = getattr(item, "entry", None)
        return found
    if state.reported:
        return None
    if state.error is not None:
        state.reported = True
        entry = failed_target_entry(state.target.spec, state.target.system, state.edition, str(state.error))
        return {**entry, "tool": state.tool}
    if state.entry is not None:
        state.reported = True
    return state.entry


def _options(config: pytest.Config) -> Options:
    for name in ("--aptix-examples", "--aptix-budget", "--aptix-timeout", "--aptix-memory"):
        if config.getoption(name) <= 0:
            raise ConfigurationError(f"{name} must be greater than 0, not {config.getoption(name)}")
    return Options(
        examples=config.getoption("--aptix-examples"),
        budget=config.getoption("--aptix-budget"),
        seed=config.getoption("--aptix-seed"),
    )


def _sys_path(config: pytest.Config) -> tuple[str, ...]:
    import sys

    entries = [str(Path(entry).absolute()) for entry in sys.path if entry]
    return tuple(dict.fromkeys([*entries, str(config.rootpath)]))


def _coverage(config: pytest.Config) -> CoverageSettings | None:
    """How pytest-cov measures in this process, where it does."""
    controller = getattr(config.pluginmanager.getplugin("_cov"), "cov_controller", None)
    measuring = getattr(controller, "cov", None)
    if measuring is None:
        return None

    def names(option: str) -> tuple[str, ...] | None:
        value = measuring.get_option(option)
        return tuple(value) if value else None

    return CoverageSettings(
        data_file=str(Path(measuring.get_option("run:data_file")).absolute()),
        source=names("run:source"),
        include=names("run:include"),
        omit=names("run:omit"),
        branch=bool(measuring.get_option("run:branch")),
        config_file=None,
    )
