"""Texts for people on a baseline: the words of expected failures, stale entries, and counts."""

from collections.abc import Iterable, Iterator
from typing import Final

from aptix_conformance.core.model.baseline import BaselineEntry
from aptix_conformance.core.model.report import (
    BaselineReport,
    FindingReport,
    KnownReport,
    OtherCauseReport,
    ToolReport,
    VerdictReport,
)
from aptix_conformance.core.text import printable, printable_line
from aptix_conformance.present.reports.layout import WIDTH, item

_MOST_LISTED: Final = 10
_PRUNE: Final = "aptix-conformance baseline prune report.json FILE"


def known_text(findings: Iterable[FindingReport | OtherCauseReport]) -> str:
    """Why the baseline accepts some findings: the words of its entries."""
    entries = [each.known for each in findings if each.known]
    return f"known to the baseline: {'; '.join(dict.fromkeys(map(_words, entries)))}"


def _words(entry: KnownReport) -> str:
    until = f" (until {entry.expires.isoformat()})" if entry.expires else ""
    return f"{printable(entry.reason, 300)}{until}"


def known_status_text(tool: ToolReport) -> str:
    """Why a tool whose breaches are all known does not fail the run."""
    broken = [verdict for verdict in tool.verdicts if verdict.blocks]
    entries = [cause.known for verdict in broken for cause in verdict.named_causes if cause.known]
    words = "; ".join(list(dict.fromkeys(map(_words, entries)))[:_MOST_LISTED])
    rules = ", ".join(verdict.rule for verdict in broken)
    return printable_line(f"nonconforming, known to the baseline: {rules}: {words}")


def new_text(verdict: VerdictReport) -> str:
    """Which causes of a broken rule the baseline does not know; empty where it knows none of them."""
    named = verdict.named_causes
    if not any(cause.known for cause in named):
        return ""
    new = verdict.new_causes
    expired = [cause.known.expires for cause in new if cause.known and cause.known.expires]
    ran_out = f"; {len(expired)} expired, the last on {max(expired).isoformat()}" if expired else ""
    causes = ", ".join(printable(cause.cause, 100) for cause in new[:_MOST_LISTED])
    return (
        f"knows {len(named) - len(new)} of {max(len(named), verdict.causes)} causes{ran_out}; new: {causes}"
    )


def stale_text(tool: ToolReport, stale: Iterable[BaselineEntry], width: int = WIDTH) -> str:
    """The stale entries of a rule, and how to remove them."""
    lines = [f"{printable(tool.tool)}: the baseline has entries whose findings are gone"]
    for entry in stale:
        lines += item("stale", f"{_about(entry)} ({entry.reason})", width)
    return "\n".join([*lines, *item("the fix", f"Remove them with {_PRUNE}", width)])


def _about(entry: BaselineEntry) -> str:
    return printable(" ".join(filter(None, (entry.rule, entry.cause))), 200)


def counts_text(baseline: BaselineReport) -> str:
    """How many findings are known, how many new, and how many entries are stale."""
    return f"{baseline.known:,} known, {baseline.new:,} new, {baseline.stale:,} stale"


def baseline_lines(baseline: BaselineReport, tools: Iterable[ToolReport]) -> Iterator[str]:
    """The lines at the end of a run: the counts, then each stale entry."""
    yield f"baseline      {counts_text(baseline)}"
    for tool in tools:
        for entry in tool.stale:
            yield f"stale         {printable(tool.tool, 60)}: {_about(entry)}: the finding is gone; remove it with {_PRUNE}"
    for entry in baseline.gone:
        target = printable(entry.target, 200)
        yield f"stale         {target}: {_about(entry)}: the run has no such tool; remove it with {_PRUNE} --gone"
