"""A run as one report: its tools in order, and counts over them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import get_args

from aptix_conformance.model.report import (
    FORMAT,
    Report,
    RevisionReport,
    RunReport,
    SuiteReport,
    ToolReport,
    Totals,
)
from aptix_conformance.model.verdict import Level, Status, VerdictKind


def make_report(
    tools: Iterable[ToolReport], suite: SuiteReport, run: RunReport, revision: RevisionReport | None = None
) -> Report:
    """The report of a run, its tools sorted by name, target and edition."""
    known = tuple(sorted(tools, key=lambda tool: (tool.tool, tool.target, tool.edition)))
    return Report(format=FORMAT, suite=suite, totals=totals(known), tools=known, revision=revision, run=run)


def totals(tools: Sequence[ToolReport]) -> Totals:
    """How many tools have each status, and how many verdicts there are of each level and kind, zeros included."""
    statuses = Counter(tool.status for tool in tools)
    verdicts = Counter((verdict.level, verdict.verdict) for tool in tools for verdict in tool.verdicts)
    return Totals(
        tools={status: statuses[status] for status in get_args(Status)},
        verdicts={level: {kind: verdicts[level, kind] for kind in VerdictKind} for level in Level},
    )
