"""One run of the suite inside one run of pytest: find the tools, add their items, examine them.

Under pytest-xdist every worker does this, and must find the same items in the same order; the controller collects
nothing.
"""

import os
import tempfile
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Final

import pytest

from aptix_conformance.app.plugin.failure_order import FailureOrder
from aptix_conformance.app.plugin.gathering import Gathering
from aptix_conformance.app.plugin.items import (
    PREFIX,
    CachedItem,
    ConformanceItem,
    FailedTargetItem,
    Root,
    RuleItem,
    ToolState,
    cached_item,
    failed_target_item,
    tool_items,
)
from aptix_conformance.app.plugin.lock_gate import LockVerdict, check_gate, refuse_taken_name
from aptix_conformance.app.plugin.outputs import prove_outputs, refuse_mistaken_path
from aptix_conformance.app.plugin.parent import coverage_settings, read_options
from aptix_conformance.app.plugin.progress_reporter import ProgressReporter
from aptix_conformance.app.plugin.termination import Termination
from aptix_conformance.app.run import Run
from aptix_conformance.app.run.reports import origin_of
from aptix_conformance.app.run.requests import ExamineTool, ToolExamined
from aptix_conformance.core.errors import ConformanceError
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import ToolReport
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.core.schemas import lock_text, shape_to_lock
from aptix_conformance.core.text import printable
from aptix_conformance.examine import ToolUnderTest, unexamined
from aptix_conformance.hosts.scratch import remove_abandoned
from aptix_conformance.present.reports import server_of, unexplored_report
from aptix_conformance.rules.lib.kernel import Rule
from aptix_conformance.targets import file_stem

NOT_REACHED = "the run ended before this tool was examined"
_MOST_LEFT_OUT: Final = 5
"""Targets of which a run says why they could not be examined where nothing was selected."""
_SHORT_OF_PROCESSORS: Final = (
    "this machine gave the suite less than half of the processor time that it asked for, so the run took longer. A rule for which calls "
    "could not be made in time is inconclusive; no verdict is another one. Examine fewer tools at once (`--aptix-jobs 1`, or fewer "
    "workers of pytest-xdist), or let the machine do less besides"
)


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
        # These modes spread one tool's items over workers, and each worker would explore the tool.
        config.option.dist = "loadscope"
    try:
        refuse_mistaken_path(config)
        session = Session(config, ids)
        prove_outputs(config)
    except ConformanceError as error:
        raise pytest.UsageError(str(error)) from error
    config.pluginmanager.register(session, "aptix-conformance-run")
    config.pluginmanager.register(session.gathering, "aptix-conformance-gathering")
    config.pluginmanager.register(session.progress, "aptix-conformance-progress")
    config.pluginmanager.register(FailureOrder(), "aptix-conformance-failure-order")
    config.pluginmanager.register(Termination(), "aptix-conformance-termination")


class Session:
    """The plugin object that collects and examines."""

    def __init__(self, config: pytest.Config, ids: list[str]) -> None:
        self.config = config
        self.ids = ids
        self.run = Run.open(config.rootpath, read_options(config))
        self.run.specs()  # raises without any spec
        self.run.read_baseline()  # raises for a file that is no baseline
        self.gathering = Gathering(config, self.run)
        self.progress = ProgressReporter(
            config, lambda: self.run.seconds_left, lambda: self.run.settings.specs.server_prefixes
        )
        self.states: list[ToolState] = []
        self.tools: dict[int, ToolUnderTest] = {}
        """By the identity of a state: its tool."""
        self.failed: list[ToolReport] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Add the items, before `-k` and `--lf` make their choice."""
        try:
            chosen = self._chosen(list(self._collect(session)))
        except (ConformanceError, pytest.UsageError) as error:
            self.gathering.usage_error = str(error)
            raise pytest.UsageError(str(error)) from error
        items.extend(chosen)
        self._announce(chosen)

    def _announce(self, items: list[ConformanceItem]) -> None:
        """Report the items to pytest as a collector would, so that its counts add up."""
        for item in items:
            self.config.hook.pytest_itemcollected(item=item)
        report = pytest.CollectReport(nodeid="aptix", outcome="passed", longrepr=None, result=list(items))
        self.config.hook.pytest_collectreport(report=report)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Record the deselected rules: with a deselected MUST a tool is not conforming."""
        chosen: dict[int, set[str]] = {}
        for item in session.items:
            if isinstance(item, ConformanceItem) and item.state:
                rules = chosen.setdefault(id(item.state), set())
                if isinstance(item, RuleItem):
                    rules.add(item.rule.code)
                elif isinstance(item, CachedItem):
                    rules.update(rule.code for rule in _rules_of(item.state))
        self.gathering.left_out = any(id(state) not in chosen for state in self.states)
        for state in self.states:
            if id(state) in chosen:
                rules = {
                    applicable.rule.code for applicable in state.applicable_rules if not applicable.exempt
                }
                state.deselected = frozenset(rules - chosen[id(state)])
                verdicts = unexamined(state.applicable_rules, NOT_REACHED)
                self.gathering.origins[state.target.spec] = state.origin
                unexplored = unexplored_report(
                    state.tool, state.target, state.suite.edition.name, verdicts, NOT_REACHED
                )
                unexplored = replace(
                    unexplored,
                    kind=state.declaration.kind,
                    server=server_of(state.target, state.declaration),
                )
                self.gathering.collected[state.target.spec] = self.run.reports.sharing(unexplored)

        state_ids = dict.fromkeys(
            id(item.state) for item in session.items if isinstance(item, ConformanceItem) and item.state
        )
        by_id = {id(state): state for state in self.states}
        self.run.plan((self.tools[place], _rules_of(by_id[place])) for place in state_ids)
        for item in session.items:
            if isinstance(item, FailedTargetItem):
                self.gathering.collected[item.report.target] = item.report
        if not any(isinstance(item, ConformanceItem) for item in session.items):
            self.gathering.notes += self._left_out()

    def _left_out(self) -> Iterator[str]:
        """Why targets could not be examined, for a run in which nothing was selected: their items, too, were left out."""
        for report in self.failed[:_MOST_LEFT_OUT]:
            error = (report.error or "").removeprefix(f"{report.target}: ")
            yield f"{printable(report.target, 200)} was not selected, and could not be examined: {error}"
        if more := len(self.failed[_MOST_LEFT_OUT:]):
            yield f"{more:,} other {'target' if more == 1 else 'targets'} could not be examined"

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """End every process before pytest-cov combines what they measured."""
        try:
            return (yield)
        finally:
            if self.run.is_short_of_processors:
                self.gathering.notes.append(_SHORT_OF_PROCESSORS)
            self.gathering.notes += self.run.cache_problems()
            self.run.close()

    @pytest.hookimpl(trylast=True)  # after syrupy, which joins its status to that with which pytest calls it
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Let a shard succeed to which no tool fell: its job must not fail for want of tools."""
        share = self.run.share
        if share and not share.entries and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            failed = self.gathering.fails_at_the_end
            session.exitstatus = pytest.ExitCode.TESTS_FAILED if failed else pytest.ExitCode.OK

    def pytest_unconfigure(self) -> None:
        """End the processes of an aborted run, and remove what killed workers left."""
        self.run.close()
        if not self.gathering.is_worker:
            remove_abandoned(Path(tempfile.gettempdir()))

    def _collect(self, session: pytest.Session) -> Iterable[ConformanceItem]:
        self.run.options = replace(self.run.options, coverage=coverage_settings(self.config))
        found_tools = self.run.own_share(self.run.list_tools())
        self.states = [self._state(tool) for tool in found_tools.tools]
        self.tools = {id(state): tool for state, tool in zip(self.states, found_tools.tools, strict=True)}
        self.gathering.notes += found_tools.notes
        self.failed = self.run.failed_reports(found_tools)
        root = Root.from_parent(session, name="aptix", nodeid="aptix")
        for state in sorted(self.states, key=lambda state: (state.tool, state.target.spec)):
            options = {
                "gate": _gate(self.config),
                "allow_incomplete": self.config.getoption("--aptix-allow-incomplete"),
                "check": self._check_lock,
                "note": self.gathering.notes.append,
                "ci": bool(os.environ.get("CI")),
            }
            if self._is_one_item(state):
                yield cached_item(root, state, **options)
            else:
                yield from tool_items(root, state, **options)
        for report in self.failed:
            yield failed_target_item(root, report)

    def _is_one_item(self, state: ToolState) -> bool:
        """Whether a tool is one item: nobody asks for its rules, and it conforms by the cache, with nothing that would fail.

        Workers of xdist must collect the same items, and the cache may change between them.
        """
        options, cache = self.config.option, self.run.cache
        asks = self.ids or options.verbose > 0 or options.keyword or options.markexpr or options.deselect
        if cache is None or asks or self.gathering.is_worker:
            return False
        examined = cache.take(ExamineTool.of(self.tools[id(state)], _rules_of(state)))
        if examined is None or examined.report.status not in {"conforming", "conforming-with-waivers"}:
            return False
        gate = _gate(self.config)
        return not any(
            verdict.level in gate and verdict.verdict is VerdictKind.FAIL
            for verdict in examined.report.verdicts
        )

    def _state(self, tool: ToolUnderTest) -> ToolState:
        return ToolState(
            tool=tool.name,
            target=tool.target,
            settings=tool.settings,
            declaration=tool.declaration,
            applicable_rules=tool.applicable_rules(),
            suite=tool.suite,
            origin=origin_of(tool),
            examine=self._examine,
        )

    def _examine(self, state: ToolState) -> ToolExamined:
        """Examine a tool with the probes that the chosen rules need."""
        tool = self.tools[id(state)]
        with self.progress.watching(tool.name) as watch:
            return self.run.examine_and_report(tool, rules=_rules_of(state), watch=watch)

    def _chosen(self, items: list[ConformanceItem]) -> list[ConformanceItem]:
        if not self.ids:
            return items
        for node_id in self.ids:
            if not any(_is_in(item, node_id) for item in items):
                raise pytest.UsageError(
                    f"not found: {node_id} (pytest --aptix-conformance --co -q lists every id)"
                )
        return [item for item in items if any(_is_in(item, node_id) for node_id in self.ids)]

    def _check_lock(self, item: pytest.Item, state: ToolState) -> LockVerdict:
        directory = self.config.rootpath / self.run.settings.snapshots
        stem = file_stem(state.tool)
        update = bool(self.config.option.update_snapshots)
        if update and not self.run.is_own(state.target.spec):
            refuse_taken_name(state.tool, state.target.spec, directory / f"{stem}.json")
        state.examined()  # gives the shape of the results
        shape = shape_to_lock(state.result_shape, directory, stem, update=update)
        gate = self.config.getoption("--aptix-schema-gate") or self.run.settings.schema_gate
        return check_gate(item, lock_text(state.tool, state.declaration, shape), directory, stem, gate)


def _rules_of(state: ToolState) -> list[Rule]:
    """The rules of a tool that were chosen."""
    return [
        applicable.rule
        for applicable in state.applicable_rules
        if not applicable.exempt and applicable.rule.code not in state.deselected
    ]


def _is_in(item: pytest.Item, node_id: str) -> bool:
    return item.nodeid == node_id or item.nodeid.startswith(f"{node_id}::")


def _gate(config: pytest.Config) -> frozenset[str]:
    return frozenset({"MUST", "SHOULD"} if config.getoption("--aptix-level") == "should" else {"MUST"})
