"""The summary of a run for a person: tables of tools and rules, then what needs attention.

Each line is escaped where it is complete, whatever it holds: a report may be a stranger's. Pieces are escaped before only
to be cut.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from aptix_conformance.core.model.containment import STRENGTH, Containment
from aptix_conformance.core.model.report import CallReport, Report, ToolReport, VerdictReport
from aptix_conformance.core.model.verdict import Obstacle, VerdictKind
from aptix_conformance.core.text import printable, printable_line
from aptix_conformance.present.reports.baseline import baseline_lines
from aptix_conformance.present.reports.cached import cache_lines
from aptix_conformance.present.reports.causes import by_cause
from aptix_conformance.present.reports.failures import calls_failed
from aptix_conformance.present.reports.layout import arguments_shown
from aptix_conformance.present.reports.markup import LONGEST_ERROR
from aptix_conformance.present.reports.servers import own_breaches, server_lines, status_phrase
from aptix_conformance.present.reports.tables import names_of, rule_table, tool_table, worst_first
from aptix_conformance.present.reports.unfinished_run import not_whole

WHOLE_OPTION: Final = "--aptix-advice"
_MOST_NAMED: Final = 3
"""Rules that the line of a tool's advice names."""
_MOST_LINES: Final = 20
"""Lines of one sort that the summary of a large run has."""


_OUTCOMES: Final = {
    VerdictKind.FAIL: "failed",
    VerdictKind.INCONCLUSIVE: "not examined",
    VerdictKind.WAIVED: "waived",
    VerdictKind.PASS: "passed",
}
"""What became of a selected rule, the worst first."""
_QUICK: Final = (
    "note          the quick plan makes a part of the calls: it shows faults, and never that a tool conforms"
)


def render(report: Report) -> str:
    """The summary of a run, as the terminal shows it with `--aptix-advice`."""
    waivers = [waiver_line(unneeded) for unneeded in report.unneeded_waivers]
    baseline = baseline_lines(report.baseline, report.tools) if report.baseline else ()
    ended_early = [line for line in [not_whole(report)] if line]
    lines = [*ended_early, *summary_lines(report.tools, whole=True), *waivers, *baseline]
    return "".join(f"{printable_line(line)}\n" for line in lines)


def waiver_line(unneeded: str) -> str:
    """The line on a waiver that no tool needs."""
    return f"waiver        {printable(unneeded, 600)}"


def advice_of(tool: ToolReport) -> list[VerdictReport]:
    """The verdicts on broken rules that are not a MUST, in the order of their causes, without what a library below breaks."""
    advice = (verdict for verdict, _ in by_cause(tool.verdicts) if verdict.is_advice)
    return [verdict for verdict in advice if verdict.rule not in tool.inherited]


def in_one_line(verdict: VerdictReport, *, is_server: bool = False) -> str:
    """The message of a finding, with the call that shows it and what the suite did to it while it ran; of a server, no call."""
    message = printable(verdict.reason, 300)
    call = verdict.finding.call if verdict.finding else None
    if call is None or is_server:
        return message
    action = f"{printable(call.suite, 300)} " if _is_changed_beside_its_arguments(call) else ""
    return f"{action}{message} Sent: {arguments_shown(call.plan.arguments, 90)}"


def _is_changed_beside_its_arguments(call: CallReport) -> bool:
    return bool(call.suite) and (call.plan.disturbance is not None or call.plan.probe == "context")


def summary_lines(
    tools: Iterable[ToolReport], width: int | None = None, *, whole: bool = False, option: str = WHOLE_OPTION
) -> list[str]:
    """The summary of a run: tables of tools and rules, what was left out, the advice, the totals.

    Args:
        tools: those of the run.
        width: columns of the terminal; None for a log, where no name is cut.
        whole: show every tool and rule, and each piece of advice with its call.
        option: what asks for the whole summary.
    """
    known = worst_first(tools)
    if not known:
        return [totals_line(known)]
    rules = rule_table(known, width, whole=whole)
    remarks = [line for tool in known for line in _exceptions(tool)] + list(_shortfalls(known))
    lines = [
        *tool_table(known, width, whole=whole),
        *(["", *rules, ""] if rules else [""]),
        *_bounded(remarks, whole=whole),
        *(_all_advice(known) if whole else _advice_by_tool(known, option)),
        *server_lines(known),
        *containment_lines(known),
        *cache_lines(known),
        *_selected(known),
        *([_QUICK] if any(tool.quick for tool in known) else []),
        totals_line(known),
    ]
    return list(map(printable_line, lines))


def finding_lines(tools: Iterable[ToolReport], option: str, *, whole: bool) -> list[str]:
    """Each broken MUST rule of a tool or a server with its call, without what its SDK breaks.

    For a command that shows no failed items. `whole` and `option` are as in `summary_lines`.
    """
    findings = [(tool, verdict) for tool in worst_first(tools) for verdict, _ in own_breaches(tool)]
    lines = [
        f"finding       {printable(tool.tool, 60)}: {verdict.rule} {verdict.name}: "
        f"{in_one_line(verdict, is_server=tool.kind == 'server')}"
        for tool, verdict in findings
    ]
    if not whole and len(lines) > _MOST_LINES:
        lines[_MOST_LINES:] = [f"finding       and {len(lines) - _MOST_LINES} more: {option} shows all"]
    return list(map(printable_line, lines))


def _selected(tools: Iterable[ToolReport]) -> list[str]:
    """A line on the rules that were selected on the command line; none where all were."""
    verdicts = [verdict for tool in tools for verdict in tool.verdicts]
    if not any(verdict.obstacle is Obstacle.DESELECTED for verdict in verdicts):
        return []
    order = list(_OUTCOMES)
    worst: dict[str, int] = {}
    for verdict in verdicts:
        if verdict.verdict in _OUTCOMES and verdict.obstacle is not Obstacle.DESELECTED:
            worst[verdict.rule] = min(worst.get(verdict.rule, len(order)), order.index(verdict.verdict))
    counts = Counter(worst.values())
    parts = [(count, _OUTCOMES[order[severity]]) for severity, count in sorted(counts.items())]
    if not parts:
        return ["no rule that was selected applies"]
    outcomes = parts[0][1] if len(parts) == 1 else ", ".join(f"{count:,} {word}" for count, word in parts)
    selected = "1 rule" if len(worst) == 1 else f"{len(worst):,} rules"
    return [f"{selected} selected: {outcomes}; a verdict on a tool needs all its rules"]


def _bounded(lines: list[str], *, whole: bool) -> list[str]:
    if whole or len(lines) <= _MOST_LINES:
        return lines
    return [*lines[:_MOST_LINES], f"note          and {len(lines) - _MOST_LINES} lines more like these"]


def _all_advice(tools: Iterable[ToolReport]) -> Iterator[str]:
    for tool in tools:
        for verdict in advice_of(tool):
            text = f"{verdict.rule} {verdict.name}: {in_one_line(verdict, is_server=tool.kind == 'server')}"
            yield f"advice        {printable(tool.tool, 60)}: {text}"


def _advice_by_tool(tools: Iterable[ToolReport], option: str) -> Iterator[str]:
    advised = [(tool, advice) for tool in tools if (advice := advice_of(tool))]
    for tool, advice in advised[:_MOST_LINES]:
        yield f"advice        {printable(tool.tool, 60)}: {names_of(advice, _MOST_NAMED)}"
    if len(advised) > _MOST_LINES:
        yield f"advice        for {len(advised) - _MOST_LINES} tools more"
    if advised:
        yield f"advice        {option} shows what each tool did"


def containment_lines(tools: Iterable[ToolReport]) -> list[str]:
    """A line for each level of containment that tools reached, the weakest first, with the reasons."""
    counts = Counter(tool.held for tool in tools if tool.held is not None)
    weakest_first = sorted(counts.items(), key=lambda held: (STRENGTH[held[0].level], held[0].reasons))
    return [
        f"containment   {held.level} for {_tools(count)}{_because(held)}" for held, count in weakest_first
    ]


def _because(held: Containment) -> str:
    return f": {printable('; '.join(held.reasons), 600)}" if held.reasons else ""


def _tools(count: int) -> str:
    return f"{count:,} {'tool' if count == 1 else 'tools'}"


def totals_line(tools: Collection[ToolReport]) -> str:
    """How many tools there are, and how many of each status; then the same of servers, where there are any."""
    servers = [tool for tool in tools if tool.kind == "server"]
    others = [tool for tool in tools if tool.kind == "tool"]
    parts = [f"{_tools(len(others))}: {_statuses(others)}"] if others or not servers else []
    counted = f"{len(servers):,} {'server' if len(servers) == 1 else 'servers'}"
    return "; ".join([*parts, *([f"{counted}: {_statuses(servers)}"] if servers else [])])


def _statuses(tools: Iterable[ToolReport]) -> str:
    counts = Counter(map(status_phrase, tools))
    return ", ".join(f"{count:,} {status}" for status, count in sorted(counts.items()))


def _exceptions(tool: ToolReport) -> Iterator[str]:
    """Lines for what kept the tool from being examined, exemptions, waivers and unexpected shortfalls."""
    name = printable(tool.tool, 60)
    if tool.error:
        yield f"note          {name}: {printable(tool.error.removeprefix(f'{tool.target}: '), LONGEST_ERROR)}"
    else:
        yield from (f"note          {name}: {printable(error.said, 600)}" for error in tool.harness_errors)
    if tool.unreached:
        why = printable(tool.unreached.reason, 200).removesuffix(".")
        yield f"note          {name}: never seen to work: {calls_failed(tool)} ({why})"
    for verdict in tool.verdicts:
        if verdict.obstacle is Obstacle.OWN_CONTRACT:
            yield f"exempt        {name}: {verdict.rule}: {verdict.reason}"
        elif verdict.verdict is VerdictKind.WAIVED:
            yield f"waived        {name}: {verdict.rule}: {printable(verdict.reason, 200)}"


def _shortfalls(tools: Iterable[ToolReport]) -> Iterator[str]:
    """A line for each thing that the suite could not do and that no setting excludes, with the tools that it concerns."""
    named: dict[tuple[str, str], dict[str, None]] = {}
    for tool in tools:
        for shortfall in tool.shortfalls:
            if not shortfall.expected:
                named.setdefault((shortfall.probe, shortfall.reason), {})[tool.tool] = None
    for (probe, reason), names in named.items():
        first, *others = names
        more = f" and {len(others)} {'other' if len(others) == 1 else 'others'}" if others else ""
        yield f"note          {printable(first, 60)}{more}: {probe}: {printable(reason, 500)}"
