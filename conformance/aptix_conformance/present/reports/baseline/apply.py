"""A baseline on the reports of tools: which findings it knows, and which of its entries are stale."""

import datetime
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from aptix_conformance.core.model.baseline import Baseline, BaselineEntry
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import (
    BaselineReport,
    FindingReport,
    KnownReport,
    OtherCauseReport,
    ToolReport,
    VerdictReport,
    is_known,
)
from aptix_conformance.core.model.verdict import UNNEEDED_WAIVER, VerdictKind

_Found = TypeVar("_Found", FindingReport, OtherCauseReport)
_OfTool = Mapping[tuple[str, str], BaselineEntry]
"""The entries of one tool in one edition, by rule and cause."""


@dataclass(frozen=True, slots=True)
class KnownFindings:
    """A baseline, ready to be applied to the tools of a run that draws `examples` calls for each generating probe."""

    baseline: Baseline
    by_tool: Mapping[tuple[str, str], _OfTool]
    today: datetime.date
    judges_stale: bool
    """Whether the run is thorough enough to call an entry stale."""

    @classmethod
    def of(cls, baseline: Baseline, *, today: datetime.date, examples: int) -> "KnownFindings":
        """The entries of a baseline by tool."""
        by_tool: dict[tuple[str, str], dict[tuple[str, str], BaselineEntry]] = {}
        for entry in baseline.entries:
            by_tool.setdefault((entry.target, entry.edition), {})[entry.rule, entry.cause] = entry
        return cls(baseline, by_tool, today, examples >= baseline.examples)

    def applied(self, tool: ToolReport) -> ToolReport:
        """The report of an examined tool with what the baseline says of it."""
        entries = self.by_tool.get((tool.target, tool.edition), {})
        stale = self.judges_stale and [entry for entry in entries.values() if is_stale(entry, tool)]
        return replace(
            tool,
            verdicts=tuple(self._verdict(verdict, entries) for verdict in tool.verdicts),
            stale=tuple(stale or ()),
        )

    def counted(
        self, tools: Sequence[ToolReport], *, whole: bool, others: frozenset[str] = frozenset()
    ) -> BaselineReport:
        """The effect of the baseline on the tools of a run.

        `whole` is False where tools of the run were left out, and `others` are the targets of tools in other shards.
        """
        return baseline_report(tools, self._of_absent_tools(tools, others) if whole else ())

    def _of_absent_tools(
        self, tools: Sequence[ToolReport], others: frozenset[str]
    ) -> tuple[BaselineEntry, ...]:
        """The entries of tools that a whole run does not have; none where a tool was not examined, for it may be that one."""
        if not self.judges_stale or any(tool.error for tool in tools):
            return ()
        targets = {tool.target for tool in tools} | others
        return tuple(entry for entry in self.baseline.entries if entry.target not in targets)

    def _verdict(self, verdict: VerdictReport, entries: _OfTool) -> VerdictReport:
        if verdict.verdict is not VerdictKind.FAIL or not entries:
            return verdict

        def known(cause: str) -> KnownReport | None:
            entry = entries.get((verdict.rule, cause))
            if entry is None or cause == UNNEEDED_WAIVER:
                return None
            expired = entry.expires is not None and entry.expires < self.today
            return KnownReport(entry.reason, entry.expires, expired)

        return _marked(verdict, known)


def _marked(verdict: VerdictReport, known: Callable[[str], KnownReport | None]) -> VerdictReport:
    """A verdict with what `known` gives for each cause."""

    def mark(named: _Found) -> _Found:
        return replace(named, known=known(named.cause))

    shown = verdict.with_findings(tuple(map(mark, verdict.findings)))
    return replace(shown, other_causes=tuple(map(mark, verdict.other_causes)))


def without_baseline(tool: ToolReport) -> ToolReport:
    """A report as if the run had had no baseline."""
    verdicts = tuple(_marked(verdict, lambda _: None) for verdict in tool.verdicts)
    return replace(tool, verdicts=verdicts, stale=())


def is_stale(entry: BaselineEntry, tool: ToolReport) -> bool:
    """Whether the examination of the entry's tool, in the entry's edition, would have shown its finding and did not."""
    if tool.error:
        return False
    verdict = next((known for known in tool.verdicts if known.rule == entry.rule), None)
    if verdict is None:
        return True  # the edition has no such rule any more
    named = verdict.named_causes
    if verdict.verdict is VerdictKind.INCONCLUSIVE or len(named) < verdict.causes:
        return False
    return entry.cause not in {each.cause for each in named}


def baseline_report(tools: Sequence[ToolReport], absent: tuple[BaselineEntry, ...]) -> BaselineReport:
    """Counts over the tools of a run, to which the baseline was applied."""
    counts: Counter[bool] = Counter()
    for tool in tools:
        for verdict in tool.verdicts:
            if verdict.verdict is VerdictKind.FAIL:
                counts += Counter(known for _, known in _findings(verdict))
                counts[False] += max(verdict.causes - len(verdict.named_causes), 0)
    stale = sum(len(tool.stale) for tool in tools) + len(absent)
    return BaselineReport(known=counts[True], new=counts[False], stale=stale, gone=absent)


def _findings(verdict: VerdictReport) -> set[tuple[str, bool]]:
    """The causes of a broken rule that count, each with whether it is known."""
    return {(each.cause, is_known(each)) for each in verdict.named_causes if each.counts}


def open_verdicts(tool: ToolReport) -> list[VerdictReport]:
    """The MUST rules about which nothing is known, without those that only known or waived breaches mask."""
    accepted = {
        verdict.rule for verdict in tool.verdicts if verdict.is_known or verdict.verdict is VerdictKind.WAIVED
    }
    return [
        verdict
        for verdict in tool.verdicts
        if verdict.is_open and not (verdict.masked_by and accepted.issuperset(verdict.masked_by))
    ]


def has_known_breaches_only(tool: ToolReport) -> bool:
    """Whether a tool is nonconforming, and the baseline knows every finding of its broken MUST rules."""
    broken = [verdict for verdict in tool.verdicts if verdict.blocks]
    return bool(broken) and all(verdict.is_known for verdict in broken)
