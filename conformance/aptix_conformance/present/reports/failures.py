"""Texts for people on a broken rule and on a tool that is not conforming: the texts of failed items.

Every text that came from a tool is escaped here, even if it was escaped before.
"""

import json
from typing import Final

from aptix_conformance.core.model import CONFIGURATION
from aptix_conformance.core.model.report import FindingReport, HarnessErrorReport, ToolReport, VerdictReport
from aptix_conformance.core.text import printable, quoted, readable
from aptix_conformance.present.reports.baseline import has_known_breaches_only, new_text, open_verdicts
from aptix_conformance.present.reports.cached import difference_text, differs
from aptix_conformance.present.reports.causes import by_cause
from aptix_conformance.present.reports.layout import LABEL, WIDTH, arguments_shown, item
from aptix_conformance.present.reports.replay_commands import Shell
from aptix_conformance.rules.lib.kernel import Rule
from aptix_conformance.rules.lib.scope import OWN_TABLE
from aptix_conformance.targets.per_tool import table_of
from aptix_conformance.targets.settings import Waiver

_SHELL: Final = Shell()
_MOST_LISTED: Final = 20
"""Rules that a status lists for one reason; of more it says how many."""


def failure_text(
    tool: ToolReport, verdict: VerdictReport, rule: Rule, width: int = WIDTH, shell: Shell = _SHELL
) -> str:
    """The demand of the contract, the actions of suite and tool, the smallest call, how to reproduce and how to fix it.

    Lines are at most `width` columns long, except for the command that reproduces the finding. `shell` is where
    that command is pasted.
    """
    finding = verdict.finding
    # A rule of another system's contract is good practice where this system's contract has no such clause.
    clauses = ", ".join(verdict.clauses) or ("suite" if rule.source == "contract" else rule.source)
    lines = [
        f"{printable(tool.tool)} breaks {verdict.rule} {verdict.name} ({verdict.level}: {clauses})",
    ]
    if verdict.follows_from:
        lines += item("follows from", f"{verdict.follows_from}: fix that first, and run again", width)
    lines += item("the contract", rule.demand, width)
    if finding and finding.call and finding.call.suite:
        lines += item("the suite", finding.call.suite.removeprefix("The suite "), width)
    lines += item("the tool", verdict.reason.removeprefix("The tool "), width)
    if finding:
        lines += _finding_lines(tool, verdict, finding, width, shell)
    for other in verdict.further:
        action = f"{other.call.suite} " if other.call and other.call.suite else ""
        lines += [
            *item("also", f"{action}{other.message}", width),
            *_finding_lines(tool, verdict, other, width, shell),
        ]
    if hidden := verdict.causes - len(verdict.findings):
        lines += item("and", f"{hidden} more {'cause' if hidden == 1 else 'causes'}", width)
    if new := new_text(verdict):
        lines += item("the baseline", new, width)
    lines += item("the fix", rule.remedy.replace(OWN_TABLE, "its table in pyproject.toml"), width)
    if OWN_TABLE in rule.remedy:
        lines.append(f"    {printable(table_of(tool.target), 1000)}")  # in one line, so that it can be pasted
    return "\n".join(lines)


def unneeded_waiver_text(tool: ToolReport, waiver: Waiver, width: int = WIDTH) -> str:
    """The place of the waiver of a kept rule, and that it can be removed."""
    stands = f"{waiver.place} ({waiver.owner}, until {waiver.expires.isoformat()}: {waiver.reason})"
    lines = [
        f"{printable(tool.tool)} keeps {waiver.rule}: its waiver is not needed",
        *item("the waiver", stands, width),
        *item("the fix", "Remove these lines from the configuration; the rule itself needs nothing.", width),
    ]
    return "\n".join(lines)


def status_text(tool: ToolReport, width: int = WIDTH) -> str:
    """Why a tool is not conforming: the target that defines it, that it never worked, then what failed by cause."""
    name = printable(tool.tool)
    target = item("the target", tool.target, width) if tool.target != tool.tool else []
    harness = [line for error in tool.harness_errors for line in harness_lines(error, width)]
    if differs(tool):
        target += item("differs", difference_text(tool), width)
    if tool.error:
        shown = harness or item("the error", tool.error, width)
        return "\n".join([f"{name} was not examined", *target, *shown])
    if harness:
        target += [
            *item("note", "the suite itself failed, which is not a fault of the tool", width),
            *harness,
        ]
    first = unreached_lines(tool, width)
    target += [] if first else _not_counted(tool, width)
    failed = [(verdict, depth) for verdict, depth in by_cause(tool.verdicts) if verdict.blocks]
    only_known = has_known_breaches_only(tool)
    if failed and not only_known:
        count = f"{len(failed)} {'rule' if len(failed) == 1 else 'rules'} failed"
        head = f"{name} is nonconforming: {count}; each is reported by its own item"
        return "\n".join([*first, head, *target, *(_in_order(verdict, depth) for verdict, depth in failed)])
    missing = open_verdicts(tool)
    if not missing and not only_known and (first or harness or tool.quick or differs(tool)):
        first = first or [f"{name} is {tool.status}"]
        return "\n".join([*first, *target])
    is_what = "nonconforming, which the baseline knows, and" if only_known else "incomplete:"
    head = f"{name} is {is_what} {len(missing)} of its MUST rules were not examined"
    lines = [*first, head, *target]
    by_reason: dict[str, list[str]] = {}
    for verdict in missing:
        by_reason.setdefault(verdict.reason, []).append(verdict.rule)
    for reason, rules in by_reason.items():
        named = ", ".join(rules) if len(rules) <= _MOST_LISTED else f"{len(rules)} rules"
        lines += item("not examined", f"{named}: {reason}", width)
    return "\n".join(lines)


def harness_text(tool: ToolReport, error: HarnessErrorReport, width: int = WIDTH) -> str:
    """The text of an item that an error of the suite left without an answer."""
    head = f"{printable(tool.tool)} could not be examined to the end"
    return "\n".join([head, *item("the suite", error.said, width)])


def harness_lines(error: HarnessErrorReport, width: int = WIDTH) -> list[str]:
    """An error of the suite: what is said of it, and the traceback."""
    lines = [line.rstrip() for line in error.traceback.splitlines()]
    return [*item("the suite", error.said, width), *(f"    | {printable(line, 300)}" for line in lines)]


def _in_order(verdict: VerdictReport, depth: int) -> str:
    """The line of a failed rule, indented below the rule that it follows from."""
    follows = f" (follows from {verdict.follows_from})" if depth else ""
    known = " (known to the baseline)" if verdict.is_known else ""
    return f"  {'  ' * depth}{verdict.rule} {verdict.name}{follows}{known}"


def unreached_lines(tool: ToolReport, width: int = WIDTH) -> list[str]:
    """The lines on a tool of which no call succeeded: why, and what to paste; none where a call did."""
    cause = tool.unreached
    if cause is None:
        return []
    lines = [f"{printable(tool.tool)} was never seen to work: {calls_failed(tool)}"]
    lines += item("why", cause.reason, width)
    if cause.said:
        lines += item("the tool", f"answered {quoted(readable(cause.said, 300), 400)}", width)
    lines += _not_counted(tool, width)
    lines += item("the fix", f"{cause.remedy}{' In pyproject.toml:' if cause.settings else ''}", width)
    return [*lines, *(f"    {printable(line, 1000)}" for line in cause.settings.splitlines())]


def _not_counted(tool: ToolReport, width: int) -> list[str]:
    """The settings that the project gives the tool and that do not count for it, which may be why something failed."""
    withheld = (each.reason for each in tool.shortfalls if each.probe == CONFIGURATION and not each.expected)
    return [line for reason in withheld for line in item("the settings", reason, width)]


def calls_failed(tool: ToolReport) -> str:
    """A clause: no call succeeded, or none that had what it needs."""
    if tool.unreached is not None and tool.unreached.in_vain:
        return "each call that succeeded had tried the network in vain"
    return f"none of {tool.calls:,} calls succeeded" if tool.calls else "no call could be made"


def _finding_lines(
    tool: ToolReport, verdict: VerdictReport, finding: FindingReport, width: int, shell: Shell
) -> list[str]:
    """The call that shows a finding, how often it was seen, and how to reproduce it."""
    # Of a server, what the suite did says all; a call in it is one of several messages.
    lines = [] if tool.kind == "server" else _call(finding, width)
    if not finding.reproduced:
        note = f"seen in 1 of {finding.attempts} attempts; it depends on state or chance"
        lines += item("note", note, width)
    if finding.call:
        # One line, however long: people copy it into a shell.
        command = shell.reproduce(tool.tool, f"{verdict.rule}-{verdict.name}", finding.replay)
        lines.append(f"  {'reproduce':<{LABEL}}{printable(command, 3000)}")
    return lines


def _call(finding: FindingReport, width: int) -> list[str]:
    if finding.call is None:
        return []
    plan = finding.call.plan
    lines = item("the call", arguments_shown(plan.arguments, 300), width)
    if plan.probe == "context":
        lines += item("the context", _context(plan.context), width)
    if count := len(finding.history):
        calls = f"{count} earlier {'call' if count == 1 else 'calls'} in the same process"
        lines += item("after", calls, width)
    return lines


def _context(context: object) -> str:
    return "null" if context is None else printable(json.dumps(context, ensure_ascii=False), 200)
