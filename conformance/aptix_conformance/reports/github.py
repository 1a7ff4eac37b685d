"""The report on GitHub: annotations in a pull request, and the summary of a job.

GitHub shows 10 annotations of a kind for each step and takes a summary of at most 1 MiB; what is more is counted.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from aptix_conformance.model.report import Report, ToolReport
from aptix_conformance.model.verdict import VerdictKind
from aptix_conformance.reports.markup import Table, cell, code_span, command_data, command_property
from aptix_conformance.reports.problems import Problem, Severity, problems
from aptix_conformance.reports.terminal import advice_of, containment_lines, totals_line
from aptix_conformance.text import printable

MOST_OF_A_KIND: Final = 10
LARGEST_SUMMARY: Final = 1024 * 1024
"""Bytes in UTF-8."""
_COMMANDS: Final[dict[Severity, str]] = {"error": "error", "warning": "warning", "note": "notice"}
_STATUSES: Final = ("nonconforming", "incomplete", "conforming-with-waivers", "conforming")


def annotations(report: Report) -> str:
    """Workflow commands, the worst first, and how many problems they do not show; empty where nothing is wrong."""
    shown: Counter[Severity] = Counter()
    left: Counter[Severity] = Counter()
    lines = []
    for problem in problems(report):
        if problem.is_waived:
            continue
        if shown[problem.severity] == MOST_OF_A_KIND:
            left[problem.severity] += 1
            continue
        shown[problem.severity] += 1
        lines.append(_annotation(problem))
    if left:
        counts = ", ".join(f"{count:,} more of the kind {_COMMANDS[kind]}" for kind, count in left.items())
        lines.append(f"not annotated: {counts}; the report has them all")
    return "".join(f"{line}\n" for line in lines)


def _annotation(problem: Problem) -> str:
    place = f"file={command_property(problem.place.file)},line={problem.place.line}"
    title = command_property(f"{problem.rule} {problem.name}")
    replay = f"\nreproduce: {printable(problem.finding.replay, 1000)}" if problem.finding else ""
    return f"::{_COMMANDS[problem.severity]} {place},title={title}::{command_data(problem.said + replay)}"


def summary(report: Report, size: int = LARGEST_SUMMARY) -> str:
    """The summary of a job as Markdown, in at most `size` bytes: tools, broken rules, what was not examined."""
    lines = ["## Aptix conformance", "", totals_line(report.tools), ""]
    lines += [cell(line) + "  " for line in containment_lines(report.tools)]
    if not report.suite.complete:
        lines += ["", "**The run ended before every tool was examined.**"]
    text = "".join(f"{line}\n" for line in lines)
    found = problems(report)
    tables = (
        Table(
            "Tools", "| tool | status | broken MUST | advice | waived | not examined |", list(_tools(report))
        ),
        Table("Broken rules", "| tool | rule | level | what the tool did |", list(_broken(found))),
        Table("Not examined", "| tool | rules | why |", list(_missing(report))),
        Table(
            "Waivers that nothing needs",
            "| waiver |",
            [f"| {cell(text)} |" for text in report.unneeded_waivers],
        ),
    )
    for table in tables:
        text += table.within(size - len(text.encode()))
    return text if len(text.encode()) <= size else ""


def _tools(report: Report) -> Iterator[str]:
    for tool in sorted(report.tools, key=lambda tool: _STATUSES.index(tool.status)):
        kinds = Counter(verdict.verdict for verdict in tool.verdicts)
        failed = sum(verdict.blocks for verdict in tool.verdicts)
        counts = (failed, len(advice_of(tool)), kinds[VerdictKind.WAIVED], kinds[VerdictKind.INCONCLUSIVE])
        numbers = " | ".join(f"{count:,}" if count else "" for count in counts)
        yield f"| {code_span(tool.tool)} | {tool.status} | {numbers} |"


def _broken(found: Sequence[Problem]) -> Iterator[str]:
    for problem in found:
        if problem.verdict:
            level = f"{problem.verdict.level}{' (waived)' if problem.is_waived else ''}"
            rule = code_span(f"{problem.rule} {problem.name}")
            yield f"| {code_span(problem.tool.tool)} | {rule} | {level} | {cell(problem.said)} |"


def _missing(report: Report) -> Iterator[str]:
    for tool in report.tools:
        if tool.error:
            yield f"| {code_span(tool.tool)} | all | {cell(tool.error)} |"
        for reason, rules in _by_reason(tool).items():
            yield f"| {code_span(tool.tool)} | {cell(', '.join(rules))} | {cell(reason)} |"


def _by_reason(tool: ToolReport) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for verdict in tool.verdicts:
        if verdict.verdict is VerdictKind.INCONCLUSIVE:
            found.setdefault(verdict.reason, []).append(verdict.rule)
    return found
