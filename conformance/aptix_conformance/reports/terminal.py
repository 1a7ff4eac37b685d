"""Verdicts for a person: the failure of one rule, the status of one tool, the summary of a run.

Every text that came from a tool is escaped here, even if it was escaped before.
"""

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator

from aptix_conformance.model.report import FindingReport, Report, ToolReport, VerdictReport
from aptix_conformance.model.verdict import VerdictKind
from aptix_conformance.rules.lib.kernel import Rule
from aptix_conformance.targets.settings import Waiver
from aptix_conformance.text import printable

_WIDTH = 100
_LABEL = 14


def render(report: Report) -> str:
    """The summary of a run, as the terminal shows it."""
    return "\n".join(summary_lines(report.tools)) + "\n"


def failure_text(tool: ToolReport, verdict: VerdictReport, rule: Rule) -> str:
    """What the contract says, what the tool did, the smallest call, how to reproduce it, how to fix it."""
    finding = verdict.finding
    # A rule of another system's contract is good practice where this system's contract has no such clause.
    clauses = ", ".join(verdict.clauses) or ("suite" if rule.source == "contract" else rule.source)
    lines = [
        f"{printable(tool.tool)} breaks {verdict.rule} {verdict.name} ({verdict.level}: {clauses})",
        *_item("the contract", rule.demand),
        *_item("the tool", verdict.reason),
    ]
    if finding:
        lines += _call(finding)
    if finding and not finding.reproduced:
        lines += _item(
            "note", "seen once; not reproduced in a fresh process, so it depends on state or chance"
        )
    if finding and finding.call:
        # One line, however long: people copy it into a shell.
        lines.append(f"  {'reproduce':<{_LABEL}}{printable(finding.replay, 3000)}")
    lines += _item("the fix", rule.remedy)
    return "\n".join(lines)


def unneeded_waiver_text(tool: ToolReport, waiver: Waiver) -> str:
    """Where the waiver of a kept rule stands, and that it can be removed."""
    lines = [
        f"{printable(tool.tool)} keeps {waiver.rule}: its waiver is not needed",
        *_item(
            "the waiver",
            f"{waiver.place} ({waiver.owner}, until {waiver.expires.isoformat()}: {waiver.reason})",
        ),
        *_item("the fix", "Remove these lines from the configuration; the rule itself needs nothing."),
    ]
    return "\n".join(lines)


def status_text(tool: ToolReport) -> str:
    """Why a tool is not conforming."""
    name = printable(tool.tool)
    if tool.error:
        return f"{name} was not examined\n" + "\n".join(_item("the error", tool.error))
    failed = [verdict.rule for verdict in tool.verdicts if verdict.blocks]
    if failed:
        return f"{name} is nonconforming: {', '.join(failed)} failed; each is reported by its own item"
    missing = [verdict for verdict in tool.verdicts if verdict.is_open]
    lines = [f"{name} is incomplete: {len(missing)} of its MUST rules were not examined"]
    by_reason: dict[str, list[str]] = {}
    for verdict in missing:
        by_reason.setdefault(verdict.reason, []).append(verdict.rule)
    for reason, rules in by_reason.items():
        lines += _item("not examined", f"{', '.join(rules)}: {reason}")
    return "\n".join(lines)


def tool_line(tool: ToolReport) -> str:
    """The line of one tool: status, rules examined out of those that apply, counts."""
    if tool.error:
        return f"{tool.status:<13} {printable(tool.tool, 60)}: {printable(tool.error, 200)}"
    counts = Counter(verdict.verdict for verdict in tool.verdicts)
    apply = sum(counts.values()) - counts[VerdictKind.NOT_APPLICABLE]
    examined = apply - counts[VerdictKind.INCONCLUSIVE]
    failed = sum(1 for verdict in tool.verdicts if verdict.blocks)
    parts = [f"{examined} of {apply} rules examined", f"{tool.calls} calls", f"{tool.seconds:.1f} s"]
    if failed:
        parts.append(f"{failed} failed")
    if advice := advice_of(tool):
        parts.append(f"{len(advice)} advice")
    if counts[VerdictKind.INCONCLUSIVE]:
        parts.append(f"{counts[VerdictKind.INCONCLUSIVE]} inconclusive")
    if counts[VerdictKind.WAIVED]:
        parts.append(f"{counts[VerdictKind.WAIVED]} waived")
    return f"{tool.status:<13} {printable(tool.tool, 60)}: {', '.join(parts)}"


def advice_of(tool: ToolReport) -> list[VerdictReport]:
    """The verdicts on broken rules that are not a MUST."""
    return [verdict for verdict in tool.verdicts if verdict.is_advice]


def summary_lines(tools: Iterable[ToolReport]) -> list[str]:
    """The summary of a run: a line for each tool, exemptions, waivers and reduced coverage, then the advice."""
    known = sorted(tools, key=lambda tool: (tool.tool, tool.target))
    lines = [tool_line(tool) for tool in known]
    for tool in known:
        lines += _exceptions(tool)
    for tool in known:
        lines += [
            f"advice        {printable(tool.tool, 60)}: {v.rule} {v.name}: {printable(v.reason, 300)}"
            for v in advice_of(tool)
        ]
    statuses = Counter(tool.status for tool in known)
    total = ", ".join(f"{count} {status}" for status, count in sorted(statuses.items()))
    return [*lines, f"{len(known)} {'tool' if len(known) == 1 else 'tools'}: {total}"]


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
            yield f"note          {name}: {shortfall.probe}: {printable(shortfall.reason, 200)}"


def _call(finding: FindingReport) -> list[str]:
    if finding.call is None:
        return []
    plan = finding.call.plan
    sent = "null (no arguments at all)" if plan.arguments is None else printable(plan.arguments, 300)
    lines = _item("the call", f"{sent}    [{plan.probe}: {printable(plan.label, 80)}]")
    if plan.probe == "context":
        lines += _item("the context", printable(str(plan.context), 200))
    if finding.history:
        lines += _item("after", f"{len(finding.history)} earlier calls in the same process")
    return lines


def _item(label: str, text: str) -> list[str]:
    body = printable(text, 3000)
    return textwrap.wrap(
        body,
        width=_WIDTH,
        initial_indent=f"  {label:<{_LABEL}}",
        subsequent_indent=" " * (_LABEL + 2),
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    ) or [f"  {label}"]
