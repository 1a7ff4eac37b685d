"""One run of the suite inside one run of pytest: find the tools, add their items, examine them.

Under pytest-xdist every worker does this for itself and must find the same items in the same order; the
controller collects nothing.
"""

import os
from collections.abc import Iterable

import pytest

from aptix_conformance.contracts import load as load_contracts
from aptix_conformance.errors import ConfigurationError, ConformanceError, HostError
from aptix_conformance.examination import (
    Examination,
    bearing,
    check_waivers,
    examine,
    read_target,
    tool_name,
    unexamined,
)
from aptix_conformance.plugin.gathering import Gathering
from aptix_conformance.plugin.items import (
    PREFIX,
    ConformanceItem,
    Entry,
    Root,
    RuleItem,
    ToolState,
    failed_target_item,
    own_fault,
    tool_items,
)
from aptix_conformance.plugin.lock_gate import LockVerdict, check_gate
from aptix_conformance.plugin.narrowing import settle_narrowings
from aptix_conformance.plugin.parent import (
    open_hosts,
    prove_report_path,
    read_options,
    refuse_mistaken_report_path,
)
from aptix_conformance.plugin.sources import gather_sources
from aptix_conformance.reports import failed_target_entry, tool_entry, unexplored_entry
from aptix_conformance.schemas import lock_text, shape_to_lock
from aptix_conformance.systems.pools import Systems
from aptix_conformance.systems.rulebook import suites
from aptix_conformance.targets import (
    Target,
    discover,
    file_stem,
    load_settings,
    settings_for,
    system_of,
    unmatched,
)
from aptix_conformance.text import shown

NOT_REACHED = "the run ended before this tool was examined"


def activate(config: pytest.Config) -> None:
    """Read the configuration, take our ids out of the arguments, and register the run.

    Raises:
        pytest.UsageError: something in the options or in pyproject.toml is wrong.
    """
    ids = [argument for argument in config.args if argument.startswith(PREFIX)]
    paths = [argument for argument in config.args if not argument.startswith(PREFIX)]
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    config.args[:] = paths if named else []
    if getattr(config.option, "dist", "no") in {"load", "worksteal"}:
        # They would spread one tool's items over the workers, and each would explore it again.
        config.option.dist = "loadscope"
    try:
        refuse_mistaken_report_path(config)
        run = Run(config, ids)
        prove_report_path(config)
    except ConformanceError as error:
        raise pytest.UsageError(str(error)) from error
    config.pluginmanager.register(run, "aptix-conformance-run")
    config.pluginmanager.register(run.gathering, "aptix-conformance-gathering")


class Run:
    """The plugin object that collects and examines."""

    def __init__(self, config: pytest.Config, ids: list[str]) -> None:
        self.config = config
        self.ids = ids
        self.settings = load_settings(config.rootpath / "pyproject.toml")
        inventory = load_contracts()
        asked = config.getoption("--aptix-edition")
        named = self.settings.edition if asked is None else asked
        self.edition = None if named is None else inventory.edition(named)
        self.suites = suites(self.edition, inventory)
        self.options = read_options(config)
        self.sources = gather_sources(config, self.settings)
        self.gathering = Gathering(config, self.options)
        self.hosts: Systems | None = None
        self.states: list[ToolState] = []
        self.failed: list[Entry] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Add the items, before `-k` and `--lf` make their choice."""
        try:
            found = list(self._collect(session))
        except ConformanceError as error:
            raise pytest.UsageError(str(error)) from error
        items.extend(self._chosen(found))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note what will not be shown: a deselected MUST keeps a tool from being conforming."""
        chosen: dict[int, set[str]] = {}
        for item in session.items:
            if isinstance(item, ConformanceItem) and item.state:
                rules = chosen.setdefault(id(item.state), set())
                if isinstance(item, RuleItem):
                    rules.add(item.rule.code)
        for state in self.states:
            if id(state) in chosen:
                rules = {concern.rule.code for concern in state.concerns if not concern.exempt}
                state.deselected = frozenset(rules - chosen[id(state)])
                verdicts = unexamined(state.suite, state.declaration, NOT_REACHED)
                self.gathering.collected[state.target.spec] = unexplored_entry(
                    state.tool, state.target, state.suite.edition.name, verdicts, NOT_REACHED
                )
        for item in session.items:
            entry = getattr(item, "entry", None)
            if isinstance(item, ConformanceItem) and entry:
                self.gathering.collected[entry["target"]] = entry

    def pytest_sessionfinish(self) -> None:
        """End every process."""
        self._close()

    def pytest_unconfigure(self) -> None:
        """End what an aborted run left behind."""
        self._close()

    def _close(self) -> None:
        if self.hosts is not None:
            self.hosts.close()
            self.hosts = None

    def _collect(self, session: pytest.Session) -> Iterable[ConformanceItem]:
        hosts = self.hosts = open_hosts(self.config, self.options.seed)
        discovery = discover(self.sources, hosts.list_tools, self.settings)
        failures = [(failure.spec, failure.message) for failure in discovery.failures]
        for target in discovery.targets:
            try:
                self.states.append(self._read(hosts, target))
            except ConfigurationError:
                raise
            except ConformanceError as error:
                failures.append((target.spec, str(error)))
            except Exception as error:  # noqa: BLE001 - as in ToolState: what a tool declares may be anything
                failures.append((target.spec, str(own_fault(error))))
        self.gathering.notes += discovery.notes
        self.gathering.notes += unmatched(
            self.settings, [(state.tool, state.target.spec) for state in self.states]
        )
        self.gathering.notes += settle_narrowings(self.states)
        self.gathering.notes += self._edition_unused()
        self.gathering.notes += self._tell_apart()
        self.failed = [self._failed(spec, message) for spec, message in failures]
        root = Root.from_parent(session, name="aptix", nodeid="aptix")
        for state in sorted(self.states, key=lambda state: (state.tool, state.target.spec)):
            yield from tool_items(
                root,
                state,
                gate=_gate(self.config),
                allow_incomplete=self.config.getoption("--aptix-allow-incomplete"),
                check_lock=self._check_lock,
                note=self.gathering.notes.append,
                ci=bool(os.environ.get("CI")),
            )
        for entry in self.failed:
            yield failed_target_item(root, entry)

    def _failed(self, spec: str, message: str) -> Entry:
        """The entry of a spec that leads nowhere; of a host of one's own nobody knows then whose tools it runs."""
        system = system_of(spec)
        edition = self.suites[system].edition.name if system in self.suites else ""
        return failed_target_entry(spec, system, edition, message)

    def _read(self, hosts: Systems, target: Target) -> ToolState:
        declaration = read_target(
            hosts, target, settings_for(self.settings, None, target.spec, target.python)
        )
        tool = tool_name(declaration)
        settings = settings_for(self.settings, tool, target.spec, target.python)
        suite = self.suites[declaration.system]
        check_waivers(target, settings, suite.rules)
        return ToolState(
            tool=tool,
            target=target,
            settings=settings,
            declaration=declaration,
            concerns=bearing(suite, declaration),
            suite=suite,
            explore=self._explore,
            make_entry=self._make_entry,
        )

    def _edition_unused(self) -> list[str]:
        """An edition that was asked for and judged nothing: whoever asked may take the verdicts for its own."""
        if self.edition is None or self.edition.system in {state.declaration.system for state in self.states}:
            return []
        editions = " and ".join(sorted({state.suite.edition.name for state in self.states}))
        nothing = (
            f"no tool of the system {self.edition.system} was examined; {self.edition.name} judged nothing"
        )
        return [f"{nothing}, and what was examined was judged by {editions}" if editions else nothing]

    def _tell_apart(self) -> list[str]:
        """Two tools of one name stay two: each is then called by its name and its target."""
        by_name: dict[str, list[ToolState]] = {}
        for state in self.states:
            by_name.setdefault(state.tool.casefold(), []).append(state)
        notes = []
        for states in by_name.values():
            if len(states) > 1:
                specs = ", ".join(sorted(state.target.spec for state in states))
                notes.append(
                    f"{shown(states[0].tool)} is the name of {len(states)} tools ({specs}); a registry takes one"
                )
                for state in states:
                    state.tool = f"{state.tool}@{state.target.spec}"
        return notes

    def _chosen(self, items: list[ConformanceItem]) -> list[ConformanceItem]:
        if not self.ids:
            return items
        for wanted in self.ids:
            if not any(_is_in(item, wanted) for item in items):
                raise pytest.UsageError(
                    f"not found: {wanted} (pytest --aptix-conformance --co -q lists every id)"
                )
        return [item for item in items if any(_is_in(item, wanted) for wanted in self.ids)]

    def _explore(self, state: ToolState) -> Examination:
        if self.hosts is None:
            raise HostError("the run has ended")
        return examine(self.hosts, state.target, state.settings, state.suite, self.options)

    def _make_entry(self, state: ToolState, examination: Examination) -> Entry:
        return tool_entry(
            examination,
            tool=state.tool,
            deselected=state.deselected,
            report=self.config.getoption("--aptix-report"),
        )

    def _check_lock(self, item: pytest.Item, state: ToolState) -> LockVerdict:
        directory = self.config.rootpath / self.settings.snapshots
        stem = file_stem(state.tool)
        state.examined()  # the shape of the results is seen in the exploration that all items of the tool share
        update = bool(self.config.option.update_snapshots)
        shape = shape_to_lock(state.result_shape, directory, stem, update=update)
        gate = self.config.getoption("--aptix-schema-gate") or self.settings.schema_gate
        return check_gate(item, lock_text(state.tool, state.declaration, shape), directory, stem, gate)


def _is_in(item: pytest.Item, wanted: str) -> bool:
    return item.nodeid == wanted or item.nodeid.startswith(f"{wanted}::")


def _gate(config: pytest.Config) -> frozenset[str]:
    return frozenset({"MUST", "SHOULD"} if config.getoption("--aptix-level") == "should" else {"MUST"})
