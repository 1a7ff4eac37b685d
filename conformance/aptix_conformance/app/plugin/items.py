"""The nodes that pytest sees: `aptix::<tool>::<CODE>-<rule-name>`, `aptix::<tool>::lock`, `aptix::<tool>::status`.

All items of a tool share one exploration, made when the first of them runs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from sys import intern
from typing import Any, Final

import pytest

from aptix_conformance.app.plugin.lock_gate import LockVerdict
from aptix_conformance.app.plugin.memory import trim_heap
from aptix_conformance.app.plugin.shell_commands import shell_of
from aptix_conformance.app.plugin.terminal_width import columns
from aptix_conformance.app.run.requests import ToolExamined
from aptix_conformance.core.errors import ConformanceError, HarnessError, harness_phase, own_fault
from aptix_conformance.core.model import Declaration
from aptix_conformance.core.model.report import ToolReport, VerdictReport
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.core.schemas import Shape
from aptix_conformance.core.text import printable, printable_lines
from aptix_conformance.examine import ApplicableRule, Suite
from aptix_conformance.present.reports import failure_text, harness_text, status_text, unneeded_waiver_text
from aptix_conformance.present.reports.baseline import (
    has_known_breaches_only,
    known_status_text,
    known_text,
    open_verdicts,
    stale_text,
)
from aptix_conformance.present.reports.cached import cached_text, differs
from aptix_conformance.present.reports.servers import (
    breaks_alone,
    inherited_text,
    is_inherited_alone,
    status_phrase,
)
from aptix_conformance.rules.lib.kernel import Rule
from aptix_conformance.targets import Origin, Target, ToolSettings, item_name

PREFIX: Final = "aptix::"
"""The beginning of the ids of all items here."""


class Failure(Exception):  # noqa: N818 - people see its text, not its name
    """Makes an item fail; its text is the whole failure message."""


@lru_cache(maxsize=10_000)
def _property(name: str, value: str) -> tuple[str, str]:
    """A property for the report of an item, one for all items that have it: there may be a hundred thousand items."""
    return name, value


@dataclass(slots=True)
class ToolState:
    """One collected tool, and the parts of its examination that are kept."""

    tool: str
    target: Target
    settings: ToolSettings
    declaration: Declaration
    applicable_rules: list[ApplicableRule]
    suite: Suite
    origin: Origin
    examine: Callable[["ToolState"], ToolExamined]
    deselected: frozenset[str] = frozenset()
    report: ToolReport | None = None
    result_shape: Shape | None = None
    error: ConformanceError | None = None
    reported: bool = field(default=False)

    def examined(self) -> ToolReport:
        """The tool's report, exploring it if that has not been done.

        Raises:
            Failure: it could not be examined; the same text each time.
        """
        if self.report is None and self.error is None:
            try:
                result = self.examine(self)
                self.report, self.result_shape = result.report, result.result_shape
            except ConformanceError as error:
                self.error = error
            except Exception as error:  # noqa: BLE001 - a fault of the suite with one tool must not end the run
                self.error = own_fault(error)
            trim_heap()
        if self.error is not None or self.report is None:
            raise Failure(f"{printable(self.tool)} could not be examined\n  {self.error}")
        return self.report


class Root(pytest.Collector):
    """The root of all conformance items; its node id is `aptix`."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """Nothing: items are added to the session once the tools are known."""
        return iter(())


class ToolNode(pytest.Collector):
    """One tool, or one target that could not be resolved."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """Nothing: see `Root`."""
        return iter(())


class ConformanceItem(pytest.Item):
    """The base of all items here."""

    state: ToolState | None = None

    @property
    def width(self) -> int:
        """Columns of the terminal that shows the item's failure."""
        return columns(self.config)

    def reportinfo(self) -> tuple[str, None, str]:
        """The location that pytest shows: an item has no file, only its id."""
        # pytest prints the dots of a title that the id ends with as "::", and that id would name nothing.
        return ("aptix", None, f"{self.nodeid} " if "." in self.nodeid else self.nodeid)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The message of the suite's own exceptions; pytest's format for any other."""
        if isinstance(excinfo.value, HarnessError):
            return printable_lines(excinfo.value.with_traceback_text)
        if isinstance(excinfo.value, (Failure, ConformanceError)):
            return printable_lines(str(excinfo.value))
        return super().repr_failure(excinfo, style)


class RuleItem(ConformanceItem):
    """One rule of one tool."""

    def __init__(
        self, *, state: ToolState, applicable: ApplicableRule, gate: frozenset[str], **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.state: ToolState = state
        self.rule: Rule = applicable.rule
        self.gate = gate
        self.user_properties += [
            _property("aptix.tool", printable(state.tool, 200)),
            _property("aptix.rule", applicable.rule.code),
            _property("aptix.level", applicable.level.value),
            _property("aptix.clauses", ", ".join(applicable.clauses)),
            _property("aptix.edition", state.suite.edition.name),
        ]

    def runtest(self) -> None:
        """Show the rule's verdict as an outcome."""
        tool = self.state.examined()
        verdict = next(known for known in tool.verdicts if known.rule == self.rule.code)
        kind = verdict.verdict
        for error in tool.harness_errors:
            if verdict.rule in error.rules:
                raise Failure(harness_text(tool, error, self.width))
        self.user_properties.append(_property("aptix.verdict", kind.value))
        if cached := cached_text(tool):
            self.user_properties.append(_property("aptix.cache", cached))
        if verdict.rule in tool.inherited:
            pytest.xfail(breaks_alone(tool, verdict.rule))
        check_gate(self, self.state, self.rule, self.gate)
        if verdict.is_known:
            pytest.xfail(known_text(verdict.named_causes))
        if kind in {VerdictKind.INCONCLUSIVE, VerdictKind.NOT_APPLICABLE}:
            pytest.skip(f"{kind.replace('_', ' ')}: {printable(verdict.reason, 1000)}")
        if kind is VerdictKind.WAIVED:
            pytest.xfail(printable(verdict.reason, 1000))


def check_gate(item: ConformanceItem, state: ToolState, rule: Rule, gate: frozenset[str]) -> None:
    """Fail where a rule of the gate fails, or where the baseline knows findings of it that are gone.

    Raises:
        Failure: one of these; says which.
    """
    tool = state.examined()
    verdict = next(known for known in tool.verdicts if known.rule == rule.code)
    if verdict.verdict is VerdictKind.FAIL and verdict.level in gate and not verdict.is_known:
        raise Failure(_failure(item, state, rule, verdict))
    if stale := [entry for entry in tool.stale if entry.rule == rule.code]:
        raise Failure(stale_text(tool, stale, item.width))


def _failure(item: ConformanceItem, state: ToolState, rule: Rule, verdict: VerdictReport) -> str:
    tool = state.examined()
    waiver = next((w for w in state.settings.waivers if w.not_needed == verdict.reason), None)
    if waiver is not None:
        return unneeded_waiver_text(tool, waiver, item.width)
    return failure_text(tool, verdict, rule, item.width, shell_of(item.config))


class StatusItem(ConformanceItem):
    """Fails unless the tool is conforming, be it with waivers, or the baseline knows why it is not.

    A status that only a quick plan left open is skipped.
    """

    def __init__(self, *, state: ToolState, allow_incomplete: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.state: ToolState = state
        self.allow_incomplete = allow_incomplete

    def runtest(self) -> None:
        """Show the tool's status as an outcome."""
        show_status(self, self.state, allow_incomplete=self.allow_incomplete)


def show_status(item: ConformanceItem, state: ToolState, *, allow_incomplete: bool) -> None:
    """Show a tool's status as the outcome of an item."""
    try:
        tool = state.examined()
    except Failure:
        if isinstance(state.error, HarnessError):
            raise state.error from None  # its traceback is shown here alone
        raise
    item.user_properties.append(("aptix.status", tool.status))
    if tool.harness_errors or differs(tool):
        raise Failure(status_text(tool, item.width))
    if tool.status in {"conforming", "conforming-with-waivers"}:
        return
    if is_inherited_alone(tool):
        pytest.xfail(f"{status_phrase(tool)}: {inherited_text(tool.inherited)}")
    allows = allow_incomplete or tool.quick
    if has_known_breaches_only(tool) and (allows or not open_verdicts(tool)):
        pytest.xfail(known_status_text(tool))
    if tool.status == "incomplete" and allows:
        pytest.skip(status_text(tool).partition("\n")[0])
    raise Failure(status_text(tool, item.width))


class LockItem(ConformanceItem):
    """Fails where the schema, the usage text or the shape of the results is not what was locked."""

    def __init__(
        self,
        *,
        state: ToolState,
        check: Callable[[pytest.Item, ToolState], LockVerdict],
        note: Callable[[str], None],
        ci: bool,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.state: ToolState = state
        self.check = check
        self.note = note
        self.ci = ci

    def runtest(self) -> None:
        """Compare with the lock, or write it under `--snapshot-update`; neither where results may be missing."""
        for error in self.state.examined().harness_errors:
            raise Failure(harness_text(self.state.examined(), error, self.width))
        with harness_phase("comparing the tool with its lock"):
            result = self.check(self, self.state)
        lock = f"{self.nodeid.removesuffix(self.name)}lock"
        update = f"pytest --aptix-conformance --snapshot-update '{lock}'"
        if result.status == "missing":
            text = f"{printable(self.state.tool)} has no lock at {result.path}: make one with {update}"
            if self.ci:
                raise Failure(text)
            pytest.skip(text)
        if result.status == "differs" and result.passes:
            text = f"{printable(self.state.tool, 60)}: the lock differs, {result.change_class}; update it with: {update}"
            self.note(text)
        elif result.status == "differs":
            raise Failure(
                f"{printable(self.state.tool)}: the schema, the usage text or the results are not what {result.path} locks\n"
                f"{result.text}\n  accept the change with: {update}"
            )


class CachedItem(LockItem):
    """A tool that conforms, as an earlier run found: its status, its rules and its lock in one item.

    The result may be gone from the cache since: the tool is examined then, and may have other results.
    """

    def __init__(self, *, allow_incomplete: bool, gate: frozenset[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.allow_incomplete = allow_incomplete
        self.gate = gate

    def runtest(self) -> None:
        """Show the status, then the first rule that fails, then compare with the lock."""
        show_status(self, self.state, allow_incomplete=self.allow_incomplete)
        inherited = self.state.examined().inherited
        for applicable in self.state.applicable_rules:
            if not applicable.exempt and applicable.rule.code not in inherited:
                check_gate(self, self.state, applicable.rule, self.gate)
        self.user_properties.append(("aptix.cache", cached_text(self.state.examined())))
        if self.state.declaration.kind == "tool":
            super().runtest()


class FailedTargetItem(ConformanceItem):
    """A target that could not be resolved or read: fails with the reason."""

    def __init__(self, *, report: ToolReport, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.report = report

    def runtest(self) -> None:
        """Fail with the reason."""
        raise Failure(status_text(self.report, self.width))


def tool_items(
    root: Root,
    state: ToolState,
    *,
    gate: frozenset[str],
    allow_incomplete: bool,
    check: Callable[[pytest.Item, ToolState], LockVerdict],
    note: Callable[[str], None],
    ci: bool,
) -> Iterator[ConformanceItem]:
    """The items of one tool: its rules by code, its lock, its status. A server has no lock."""
    node = ToolNode.from_parent(root, name=item_name(state.tool))
    lock = {"state": state, "check": check, "note": note, "ci": ci}
    for applicable in state.applicable_rules:
        if not applicable.exempt:
            name = intern(f"{applicable.rule.code}-{applicable.rule.name}")
            yield RuleItem.from_parent(node, name=name, state=state, applicable=applicable, gate=gate)
    if state.declaration.kind == "tool":
        yield LockItem.from_parent(node, name="lock", **lock)
    yield StatusItem.from_parent(node, name="status", state=state, allow_incomplete=allow_incomplete)


def cached_item(root: Root, state: ToolState, **options: Any) -> CachedItem:
    """The single item of a tool that conforms by the cache; `options` are those of `CachedItem`."""
    node = ToolNode.from_parent(root, name=item_name(state.tool))
    return CachedItem.from_parent(node, name="status", state=state, **options)


def name_skipped_item(report: pytest.TestReport) -> None:
    """Let `-rs` name a skipped item by its id: where in the suite it was skipped says nothing to anybody."""
    if report.skipped and isinstance(report.longrepr, tuple) and not hasattr(report, "wasxfail"):
        report.longrepr = (report.nodeid, None, report.longrepr[2])  # type: ignore[assignment]


def failed_target_item(root: Root, report: ToolReport) -> FailedTargetItem:
    """The single item of a target that could not be resolved."""
    node = ToolNode.from_parent(root, name=item_name(report.tool))
    return FailedTargetItem.from_parent(node, name="status", report=report)
