"""Baselines made and changed from reports: findings are added, and stale entries removed."""

import datetime
from collections.abc import Iterator

from aptix_conformance.core.model.baseline import FORMAT, Baseline, BaselineEntry, Key
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import FindingReport, Report, ToolReport, VerdictReport
from aptix_conformance.core.model.verdict import UNNEEDED_WAIVER, VerdictKind
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports.baseline.apply import is_stale

EMPTY = Baseline(FORMAT, 0, ())


def with_findings(
    baseline: Baseline, report: Report, *, reason: str, expires: datetime.date | None, today: datetime.date
) -> Baseline:
    """A baseline with an entry for each finding of a report.

    An entry that is there keeps its words and its date, unless it has expired.
    """
    known: dict[Key, BaselineEntry] = {entry.key: entry for entry in _in_force(baseline, today)}
    expired = {entry.key: entry for entry in baseline.entries if entry.key not in known}
    for tool in report.tools:
        for entry in _entries(tool, reason, expires):
            known.setdefault(entry.key, entry)
    examples = max(baseline.examples, report.suite.examples)
    return replace(baseline, examples=examples, entries=tuple({**expired, **known}.values()))


def unnamed(report: Report) -> list[tuple[ToolReport, VerdictReport]]:
    """The broken rules with causes that the report does not name, so that no baseline can accept them."""
    return [
        (tool, verdict)
        for tool in report.tools
        for verdict in tool.verdicts
        if verdict.verdict is VerdictKind.FAIL and len(verdict.named_causes) < max(verdict.causes, 1)
    ]


def pruned(baseline: Baseline, report: Report, *, gone: bool, today: datetime.date) -> Baseline:
    """A baseline without the entries that a report shows to be stale, and without those that have expired.

    `gone` removes the entries of tools that the report does not have, too.
    """
    tools = {(tool.target, tool.edition): tool for tool in report.tools}
    targets = {tool.target for tool in report.tools}

    def is_current(entry: BaselineEntry) -> bool:
        tool = tools.get((entry.target, entry.edition))
        if tool is None:
            return entry.target in targets or not gone
        return not is_stale(entry, tool)

    current = tuple(entry for entry in _in_force(baseline, today) if is_current(entry))
    return replace(baseline, entries=current)


def _in_force(baseline: Baseline, today: datetime.date) -> Iterator[BaselineEntry]:
    for entry in baseline.entries:
        if entry.expires is None or entry.expires >= today:
            yield entry


def _entries(tool: ToolReport, reason: str, expires: datetime.date | None) -> Iterator[BaselineEntry]:
    for verdict in tool.verdicts:
        for each in verdict.named_causes if verdict.verdict is VerdictKind.FAIL else ():
            if each.cause == UNNEEDED_WAIVER:
                continue
            message = printable(each.message, 300) if isinstance(each, FindingReport) else ""
            yield BaselineEntry(
                target=tool.target,
                edition=tool.edition,
                rule=verdict.rule,
                cause=each.cause,
                reason=reason,
                expires=expires,
                tool=printable(tool.tool, 200),
                message=message,
            )
