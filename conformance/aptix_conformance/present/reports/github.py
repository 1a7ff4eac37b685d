"""The report on GitHub: annotations in a pull request, and the summary of a job.

GitHub shows 10 annotations of a kind for each step and takes a summary of at most 1 MiB; what is more is counted.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from aptix_conformance.core.model.report import BaselineReport, Report, ToolReport
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports.baseline import counts_text
from aptix_conformance.present.reports.markup import (
    LONGEST_ERROR,
    Table,
    cell,
    code_span,
    command_data,
    command_property,
)
from aptix_conformance.present.reports.problems import Problem, Severity, problems
from aptix_conformance.present.reports.servers import status_phrase
from aptix_conformance.present.reports.terminal import advice_of, containment_lines, totals_line
from aptix_conformance.present.reports.totals import WORST_FIRST
from aptix_conformance.present.reports.unfinished_run import not_whole

MOST_OF_A_KIND: Final = 10
LARGEST_SUMMARY: Final = 1024 * 1024
"""Bytes in UTF-8."""
_COMMANDS: Final[dict[Severity, str]] = {"error": "error", "warning": "warning", "note": "notice"}


def annotations(report: Report) -> str:
    """Workflow commands, the worst first, and how many problems they do not show; empty where nothing is wrong."""
    shown: Counter[Severity] = Counter()
    omitted: Counter[Severity] = Counter()
    lines = []
    listed = problems(report)
    for problem in listed:
        if problem.is_accepted:
            continue
        if shown[problem.severity] == MOST_OF_A_KIND:
            omitted[problem.severity] += 1
            continue
        shown[problem.severity] += 1
        lines.append(_annotation(problem))
    if omitted:
        counts = ", ".join(f"{count:,} more of the kind {_COMMANDS[kind]}" for kind, count in omitted.items())
        lines.append(f"not annotated: {counts}; the report has them all")
    if known := sum(bool(problem.known) for problem in listed):
        lines.append(f"not annotated: {known:,} known to the baseline")
    return "".join(f"{line}\n" for line in lines)


def _annotation(problem: Problem) -> str:
    place = f"file={command_property(problem.place.file)},line={problem.place.line}"
    title = command_property(f"{problem.rule} {problem.name}")
    replay = f"\nreproduce: {printable(problem.finding.replay, 1000)}" if problem.finding else ""
    return f"::{_COMMANDS[problem.severity]} {place},title={title}::{command_data(problem.message + replay)}"


def summary(report: Report, size: int = LARGEST_SUMMARY) -> str:
    """The summary of a job as Markdown, in at most `size` bytes: tools, broken rules, what was not examined.

    With a baseline: new findings, findings that are gone, what was not examined, then what is known or waived.
    """
    lines = ["## Aptix conformance", ""]
    if ended_early := not_whole(report):
        lines += [f"**{cell(ended_early)}**", ""]
    lines += [totals_line(report.tools), ""]
    lines += [cell(line) + "  " for line in containment_lines(report.tools)]
    if report.baseline:
        lines += ["", f"Baseline: {counts_text(report.baseline)}"]
    text = "".join(f"{line}\n" for line in lines)
    for table in _tables(report):
        text += table.within(size - len(text.encode()))
    return text if len(text.encode()) <= size else ""


def _tables(report: Report) -> Iterator[Table]:
    listed = problems(report)
    columns = "| tool | rule | level | what the tool did |"
    tools = "| tool | status | broken MUST | advice | waived | not examined |"
    missing = Table("Not examined", "| tool | rules | why |", list(_missing(report)))
    yield Table("Tools", tools, list(_tools(report)))
    if report.baseline:
        new = [problem for problem in listed if not problem.is_accepted]
        known = [problem for problem in listed if problem.is_accepted]
        yield Table("New findings", columns, list(_broken(new)))
        stale = list(_fixed(report, report.baseline))
        yield Table("Fixed: remove these from the baseline", "| tool | rule | cause | reason |", stale)
        yield missing
        yield Table("Known findings", columns, list(_broken(known)))
    else:
        yield Table("Broken rules", columns, list(_broken(listed)))
        yield missing
    waivers = [f"| {cell(text)} |" for text in report.unneeded_waivers]
    yield Table("Waivers that nothing needs", "| waiver |", waivers)


def _tools(report: Report) -> Iterator[str]:
    for tool in sorted(report.tools, key=lambda tool: WORST_FIRST.index(tool.status)):
        kinds = Counter(verdict.verdict for verdict in tool.verdicts)
        failed = sum(verdict.blocks for verdict in tool.verdicts)
        counts = (failed, len(advice_of(tool)), kinds[VerdictKind.WAIVED], kinds[VerdictKind.INCONCLUSIVE])
        numbers = " | ".join(f"{count:,}" if count else "" for count in counts)
        yield f"| {code_span(tool.tool)} | {status_phrase(tool)} | {numbers} |"


def _broken(listed: Sequence[Problem]) -> Iterator[str]:
    for problem in listed:
        if problem.verdict:
            level = f"{problem.verdict.level}{' (waived)' if problem.is_waived else ''}"
            rule = code_span(f"{problem.rule} {problem.name}")
            known = f" ({cell(problem.known)})" if problem.known else ""
            yield f"| {code_span(problem.tool.tool)} | {rule} | {level} | {cell(problem.message)}{known} |"


def _fixed(report: Report, baseline: BaselineReport) -> Iterator[str]:
    """A row for each entry of the baseline that is stale."""
    stale = [(tool.tool, entry) for tool in report.tools for entry in tool.stale]
    for name, entry in [*stale, *((entry.target, entry) for entry in baseline.gone)]:
        cause = code_span(entry.cause) if entry.cause else ""
        yield f"| {code_span(name)} | {code_span(entry.rule)} | {cause} | {cell(entry.reason)} |"


def _missing(report: Report) -> Iterator[str]:
    for tool in report.tools:
        if tool.error:
            yield f"| {code_span(tool.tool)} | all | {cell(tool.error, LONGEST_ERROR)} |"
        for error in () if tool.error else tool.harness_errors:
            if not error.rules:  # of its rules, the verdicts say it
                yield f"| {code_span(tool.tool)} | | {cell(error.said)} |"
        for reason, rules in _by_reason(tool).items():
            yield f"| {code_span(tool.tool)} | {cell(', '.join(rules))} | {cell(reason)} |"


def _by_reason(tool: ToolReport) -> dict[str, list[str]]:
    rules: dict[str, list[str]] = {}
    for verdict in tool.verdicts:
        if verdict.verdict is VerdictKind.INCONCLUSIVE:
            rules.setdefault(verdict.reason, []).append(verdict.rule)
    return rules
