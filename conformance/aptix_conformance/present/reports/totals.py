"""A run as one report: its tools in order, and counts over them. Every summary counts tools by status here."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, get_args

from aptix_conformance.core.model.report import (
    FORMAT,
    Report,
    RevisionReport,
    RunReport,
    SuiteReport,
    ToolReport,
    Totals,
)
from aptix_conformance.core.model.verdict import Level, Status, VerdictKind

WORST_FIRST: Final[tuple[Status, ...]] = (
    "nonconforming",
    "incomplete",
    "conforming-with-waivers",
    "conforming",
)


def make_report(
    tools: Iterable[ToolReport], suite: SuiteReport, run: RunReport, revision: RevisionReport | None = None
) -> Report:
    """The report of a run, its tools sorted by name, target and edition."""
    known = tuple(sorted(tools, key=lambda tool: (tool.tool, tool.target, tool.edition)))
    return Report(format=FORMAT, suite=suite, totals=totals(known), tools=known, revision=revision, run=run)


def totals(tools: Sequence[ToolReport]) -> Totals:
    """How many tools have each status, and how many verdicts there are of each level and kind, zeros included."""
    verdicts = Counter((verdict.level, verdict.verdict) for tool in tools for verdict in tool.verdicts)
    return Totals(
        tools=statuses(tools),
        verdicts={level: {kind: verdicts[level, kind] for kind in VerdictKind} for level in Level},
    )


def statuses(tools: Iterable[ToolReport]) -> dict[Status, int]:
    """How many tools have each status, zeros included. A tool has one: a waived one does not count as conforming."""
    counts = Counter(tool.status for tool in tools)
    return {status: counts[status] for status in get_args(Status)}
