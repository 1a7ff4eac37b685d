"""Reproducing a counterexample: the same calls, in a fresh process, judged by the same rule.

Where calls were made at the same time, and for a rule on all calls together, the tool is examined once more by this rule.

The report says what to replay and under which conditions. The code that is run comes from the project alone.
"""

import re
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Final

from aptix_conformance.app.run import Run, RunOptions
from aptix_conformance.core.errors import ReportError
from aptix_conformance.core.model import Call, Declaration, Kind, Outcome
from aptix_conformance.core.model.report import FindingReport, Report, ToolReport
from aptix_conformance.core.text import printable
from aptix_conformance.examine import ToolUnderTest
from aptix_conformance.present.reports import find_tool, read_report
from aptix_conformance.rules import Finding, Rule
from aptix_conformance.systems.registry import installed
from aptix_conformance.systems.rulebook import all_rules


class Replay(Enum):
    """The outcome of a replay: the rule is kept now, is still broken, or could not be judged."""

    KEPT = "kept"
    BROKEN = "broken"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The outcome, and the sentence to print."""

    outcome: Replay
    text: str


_NUMBER: Final = re.compile(r"[1-9][0-9]{0,3}")

Judgement = tuple[Finding | None, bool]
"""The finding of the rule, if any, and whether there was an observation that it could judge."""


def replay(
    reference: str, directory: Path, options: RunOptions, *, allow_side_effects: bool = False
) -> ReplayResult:
    """Reproduce a counterexample.

    Args:
        reference: `REPORT#TOOL/RULE`, or `REPORT#TOOL/RULE:2` for the second cause of the rule.
        directory: the root of the user's project, which configures the tool.
        options: further tools, and where modules are searched.
        allow_side_effects: the report is one to trust: `side_effects = "none"` of the project counts as in an examination.

    Raises:
        ReportError: the reference or the report is malformed, or has no such tool, rule or finding.
        ConfigurationError: the project's configuration is wrong.
        TargetError: the project does not configure the tool, or it cannot be loaded any more.
        HostError: no process could be started.
    """
    report, reported, rule, finding = find_reference(reference, directory)
    with Run.for_replay(report, directory, options) as run:
        tool = run.find_reported(reported.target, allow_side_effects=allow_side_effects)
        if rule.over is Declaration:
            breach, is_judged = _read_declaration(run, tool, rule)
        elif rule.over is Call and finding.call is not None and finding.call.plan.kind is not Kind.TOGETHER:
            breach, is_judged = _repeat_calls(run, tool, rule, finding)
        else:  # of calls made at the same time a report keeps one
            breach, is_judged = _repeat_examination(run, tool, rule, reported.edition)
    title = f"{printable(reported.tool)} {rule.code} {rule.name}"
    notes = "".join(f"\nnote: {printable(notice, 500)}" for notice in tool.settings.withheld)
    if not is_judged:
        return ReplayResult(Replay.UNCLEAR, f"{title}: nothing was seen that the rule could judge{notes}")
    if breach is None and notes:
        notice = "not seen, but the replay ran without settings that the examination may have had"
        return ReplayResult(Replay.UNCLEAR, f"{title}: {notice}{notes}")
    if breach is None:
        return ReplayResult(Replay.KEPT, f"{title}: kept now")
    return ReplayResult(Replay.BROKEN, f"{title}: still broken: {printable(breach.message, 2000)}{notes}")


def parse_reference(reference: str) -> tuple[str, str, str, int]:
    """The path of the report, the tool, the rule's code and the number of the cause, from `REPORT#TOOL/RULE:NUMBER`.

    Raises:
        ReportError: the reference is malformed.
    """
    path, hash_, rest = reference.partition("#")
    tool, slash, named = rest.rpartition("/")
    code, colon, number = named.partition(":")
    if not (hash_ and slash and path and tool and code) or (colon and not _NUMBER.fullmatch(number)):
        raise ReportError(
            f"{reference!r} is not of the form REPORT#TOOL/RULE, as in report.json#agent_weather/ARG002"
        )
    return path, tool, code, int(number or 1)


def find_reference(reference: str, directory: Path) -> tuple[Report, ToolReport, Rule, FindingReport]:
    """The report that a reference names, with the tool, the rule and the finding in it.

    Raises:
        ReportError: as `parse_reference`, `read_report` and `find_finding`; or the suite has no such rule.
    """
    path, name, code, number = parse_reference(reference)
    report = read_report(directory / path)
    reported = find_tool(report, name)
    finding = find_finding(reported, code, number)
    return report, reported, find_rule(code), finding


def find_rule(code: str) -> Rule:
    """The rule of a code.

    Raises:
        ReportError: this version of the suite has none.
    """
    rule = next((known for known in all_rules(systems=installed()) if known.code == code), None)
    if rule is None:
        raise ReportError(f"this version of the suite has no rule {printable(code, 40)}")
    return rule


def find_finding(tool: ToolReport, code: str, number: int) -> FindingReport:
    """The finding of a rule in a tool's report; `number` counts its causes from 1.

    Raises:
        ReportError: the report has no such verdict, or no such finding of it.
    """
    verdict = next((known for known in tool.verdicts if known.rule == code), None)
    if verdict is None:
        raise ReportError(f"the report has no verdict of the rule {code!r} for {printable(tool.tool)}")
    if verdict.finding is None:
        raise ReportError(
            f"{printable(tool.tool)} did not break {code} ({verdict.verdict}): there is nothing to replay"
        )
    if number > len(verdict.findings):
        raise ReportError(
            f"the report shows {len(verdict.findings)} causes of {code}, and no number {number}"
        )
    return verdict.findings[number - 1]


def _repeat_calls(run: Run, tool: ToolUnderTest, rule: Rule, finding: FindingReport) -> Judgement:
    host = run.open_host(tool)
    try:
        if host.read_only:
            raise ReportError(f"the call cannot be made again: {host.read_only}")
        assert finding.call is not None
        for plan in finding.history:
            host.execute(plan)
        call = host.execute(finding.call.plan)
    finally:
        host.close()
    is_judged = rule.when(call)
    return (rule.check(call) if is_judged else None), is_judged or _just_succeeds(call)


def _just_succeeds(call: Call) -> bool:
    """Whether a call that nothing disturbed succeeds: a rule on failures then has nothing left to find in it."""
    is_success = call.result is not None and call.result.successful is True
    return call.plan.disturbance is None and call.outcome is Outcome.RETURNED and is_success


def _read_declaration(run: Run, tool: ToolUnderTest, rule: Rule) -> Judgement:
    host = run.open_host(tool)
    try:
        declaration = host.describe()
    finally:
        host.close()
    is_judged = rule.when(declaration)
    return (rule.check(declaration) if is_judged else None), is_judged


def _repeat_examination(run: Run, tool: ToolUnderTest, rule: Rule, edition: str) -> Judgement:
    """Repeat the whole examination, and judge it by this rule alone."""
    settings = replace(tool.settings, waivers=())
    alone = replace(tool, settings=settings, suite=run.suite_of((rule,), edition))
    examined = run.examine(alone)
    for error in examined.harness.found.values():
        raise error  # nobody knows whether the rule is kept
    verdict = examined.verdicts[0]
    finding = Finding(verdict.reason) if verdict.finding else None
    return finding, bool(verdict.observations)
