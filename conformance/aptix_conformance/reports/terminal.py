"""The summary of a run for a person: a line for each tool, then what needs attention.

Every text that came from a tool is escaped here, even if it was escaped before.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from aptix_conformance.model.containment import STRENGTH, Containment
from aptix_conformance.model.report import CallReport, Report, ToolReport, VerdictReport
from aptix_conformance.model.verdict import VerdictKind
from aptix_conformance.reports.baseline import baseline_lines
from aptix_conformance.reports.causes import by_cause
from aptix_conformance.reports.failures import calls_failed
from aptix_conformance.reports.layout import arguments_shown
from aptix_conformance.text import printable

_MOST_NAMED: Final = 3
"""Inconclusive rules that the line of a tool names."""


def render(report: Report) -> str:
    """The summary of a run, as the terminal shows it."""
    waivers = [waiver_line(unneeded) for unneeded in report.unneeded_waivers]
    baseline = baseline_lines(report.baseline, report.tools) if report.baseline else ()
    return "\n".join([*summary_lines(report.tools), *waivers, *baseline]) + "\n"


def waiver_line(unneeded: str) -> str:
    """The line on a waiver that no tool needs."""
    return f"waiver        {printable(unneeded, 600)}"


def tool_line(tool: ToolReport) -> str:
    """The line of one tool: status, rules examined out of those that apply, counts."""
    if tool.error:
        return f"{tool.status:<13} {printable(tool.tool, 60)}: {printable(tool.error, 200)}"
    counts = Counter(verdict.verdict for verdict in tool.verdicts)
    apply = sum(counts.values()) - counts[VerdictKind.NOT_APPLICABLE]
    examined = apply - counts[VerdictKind.INCONCLUSIVE]
    failed = sum(1 for verdict in tool.verdicts if verdict.blocks)
    parts = [f"{examined} of {apply} rules examined", f"{tool.calls} calls", f"{tool.seconds:.1f} s"]
    if tool.unreached:
        # Never beside how many rules were examined: what they are there for did not happen.
        parts[:2] = [
            f"never seen to work: {calls_failed(tool)} ({printable(tool.unreached.reason, 200).removesuffix('.')})"
        ]
    if failed:
        parts.append(f"{failed} failed")
    if advice := advice_of(tool):
        parts.append(f"{len(advice)} advice")
    if counts[VerdictKind.INCONCLUSIVE]:
        parts.append(_inconclusive(tool))
    if counts[VerdictKind.WAIVED]:
        parts.append(f"{counts[VerdictKind.WAIVED]} waived")
    return f"{tool.status:<13} {printable(tool.tool, 60)}: {', '.join(parts)}"


def _inconclusive(tool: ToolReport) -> str:
    """How many rules are inconclusive, and which, where they are few."""
    codes = [verdict.rule for verdict in tool.verdicts if verdict.verdict is VerdictKind.INCONCLUSIVE]
    named = f" ({', '.join(codes)})" if len(codes) <= _MOST_NAMED else ""
    return f"{len(codes)} inconclusive{named}"


def advice_of(tool: ToolReport) -> list[VerdictReport]:
    """The verdicts on broken rules that are not a MUST, in the order of their causes."""
    return [verdict for verdict, _ in by_cause(tool.verdicts) if verdict.is_advice]


def in_one_line(verdict: VerdictReport) -> str:
    """What a rule found, with the call that shows it, and what the suite did to that call while it ran."""
    found = printable(verdict.reason, 300)
    call = verdict.finding.call if verdict.finding else None
    if call is None:
        return found
    did = f"{printable(call.suite, 300)} " if _is_changed_beside_itsarguments_shown(call) else ""
    return f"{did}{found} Sent: {arguments_shown(call.plan.arguments, 90)}"


def _is_changed_beside_itsarguments_shown(call: CallReport) -> bool:
    return bool(call.suite) and (call.plan.disturbance is not None or call.plan.probe == "context")


def summary_lines(tools: Iterable[ToolReport]) -> list[str]:
    """The summary of a run: a line for each tool, exemptions, waivers and reduced coverage, then the advice."""
    known = sorted(tools, key=lambda tool: (tool.tool, tool.target))
    lines = [tool_line(tool) for tool in known]
    for tool in known:
        lines += _exceptions(tool)
    for tool in known:
        lines += [
            f"advice        {printable(tool.tool, 60)}: {v.rule} {v.name}: {in_one_line(v)}"
            for v in advice_of(tool)
        ]
    return [*lines, *containment_lines(known), totals_line(known)]


def containment_lines(tools: Iterable[ToolReport]) -> list[str]:
    """A line for each level of containment that tools reached, the weakest first, with the reasons."""
    counts = Counter(tool.held for tool in tools if tool.held is not None)
    weakest_first = sorted(counts.items(), key=lambda found: (STRENGTH[found[0].level], found[0].reasons))
    return [
        f"containment   {found.level} for {_tools(count)}{_because(found)}" for found, count in weakest_first
    ]


def _because(found: Containment) -> str:
    return f": {printable('; '.join(found.reasons), 600)}" if found.reasons else ""


def _tools(count: int) -> str:
    return f"{count} {'tool' if count == 1 else 'tools'}"


def totals_line(tools: Collection[ToolReport]) -> str:
    """How many tools there are, and how many of each status."""
    statuses = Counter(tool.status for tool in tools)
    total = ", ".join(f"{count} {status}" for status, count in sorted(statuses.items()))
    return f"{_tools(len(tools))}: {total}"


def _exceptions(tool: ToolReport) -> Iterator[str]:
    """Lines for exemptions, waivers and unexpected shortfalls."""
    name = printable(tool.tool, 60)
    for verdict in tool.verdicts:
        if verdict.verdict is VerdictKind.NOT_APPLICABLE and "own contract" in verdict.reason:
            yield f"exempt        {name}: {verdict.rule}: {verdict.reason}"
        elif verdict.verdict is VerdictKind.WAIVED:
            yield f"waived        {name}: {verdict.rule}: {printable(verdict.reason, 200)}"
    for shortfall in tool.shortfalls:
        if not shortfall.expected:
            yield f"note          {name}: {shortfall.probe}: {printable(shortfall.reason, 500)}"
