"""The problems of a report, the worst first: formats for CI services show them, each within its service's limits.

A problem is one finding of a broken rule. A tool that is incomplete is a problem too, so that an unexamined tool does
not look green where only problems are shown.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final, Literal

from aptix_conformance.core.model.report import (
    FindingReport,
    Report,
    SourceReport,
    ToolReport,
    VerdictReport,
    is_known,
)
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports.baseline import known_text
from aptix_conformance.present.reports.causes import by_cause
from aptix_conformance.present.reports.layout import arguments_shown
from aptix_conformance.present.reports.markup import LONGEST_ERROR

Severity = Literal["error", "warning", "note"]

STATUS: Final = "STATUS"
"""In place of a rule's code: the tool was not examined, or not wholly."""
_SEVERITIES: Final[dict[Level, Severity]] = {
    Level.MUST: "error",
    Level.SHOULD: "warning",
    Level.MAY: "note",
}
_ORDER: Final = ("error", "warning", "note")
_CONFIGURATION: Final = "pyproject.toml"


@dataclass(frozen=True, slots=True)
class Place:
    """A file, relative to the root of the repository with slashes between its parts, and a line from 1."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding, or an incomplete tool; `verdict` is None for the latter. Texts are printable."""

    tool: ToolReport
    verdict: VerdictReport | None
    finding: FindingReport | None
    severity: Severity
    message: str
    place: Place
    number: int = 1
    """Which it is of the problems with its key, in the order of the report."""
    known: str = ""
    """Why the baseline accepts it; empty where it does not."""

    @property
    def rule(self) -> str:
        """The code of the rule, or `STATUS`."""
        return printable(self.verdict.rule, 80) if self.verdict else STATUS

    @property
    def name(self) -> str:
        """The name of the rule."""
        return printable(self.verdict.name, 120) if self.verdict else "tool-was-not-examined"

    @property
    def is_waived(self) -> bool:
        """Whether a waiver covers it."""
        return self.verdict is not None and self.verdict.verdict is VerdictKind.WAIVED

    @property
    def is_accepted(self) -> bool:
        """Whether it is waived or known to the baseline."""
        return self.is_waived or bool(self.known)

    @property
    def key(self) -> tuple[str, str, str]:
        """The target, the rule and the cause: the same for another seed and when lines have moved."""
        return (self.tool.target, self.rule, self.finding.cause if self.finding else "")

    @property
    def fingerprint(self) -> str:
        """32 hexadecimal digits made of the key."""
        text = "\0".join(self.key).encode("utf-8", "surrogatepass")
        return hashlib.sha256(text).hexdigest()[:32]


def problems(report: Report) -> list[Problem]:
    """The problems of a report: what is not accepted first, then by severity, then in the order of the report."""
    numbers: Counter[tuple[str, str, str]] = Counter()
    listed = []
    for tool in report.tools:
        for problem in _of_tool(tool, place_of(tool, report)):
            numbers[problem.key] += 1
            listed.append(replace(problem, number=numbers[problem.key]))
    return sorted(listed, key=lambda problem: (problem.is_accepted, _ORDER.index(problem.severity)))


def place_of(tool: ToolReport, report: Report) -> Place:
    """Where a tool is defined, if that is inside the project; else the configuration that names it."""
    within = report.revision.directory if report.revision else ""
    source = tool.source if tool.source and _is_inside(tool.source.file) else tool.configured
    source = source or SourceReport(_CONFIGURATION)
    return Place(str(PurePosixPath(within, source.file)), max(source.line or 1, 1))


def _is_inside(file: str) -> bool:
    path = PurePosixPath(file)
    return bool(file) and not path.is_absolute() and ".." not in path.parts


def _of_tool(tool: ToolReport, place: Place) -> Iterator[Problem]:
    if tool.status == "incomplete" or tool.harness_errors:
        yield Problem(tool, None, None, "error", _missing(tool), place)
    for verdict, _ in by_cause(tool.verdicts):
        if verdict.verdict not in {VerdictKind.FAIL, VerdictKind.WAIVED}:
            continue
        for finding in verdict.findings or (None,):
            severity = _SEVERITIES[verdict.level]
            message = _problem_text(tool, verdict, finding)
            yield Problem(tool, verdict, finding, severity, message, place, known=_known(verdict, finding))


def _known(verdict: VerdictReport, finding: FindingReport | None) -> str:
    """Why the baseline accepts a finding; empty where all that is shown is known and a cause that is not shown is new."""
    if finding is None or not is_known(finding):
        return ""
    is_new_shown = any(each.counts and not is_known(each) for each in verdict.findings)
    return known_text((finding,)) if verdict.is_known or is_new_shown else ""


def _missing(tool: ToolReport) -> str:
    name = printable(tool.tool, 80)
    if tool.error:
        return f"{name} was not examined: {printable(tool.error, LONGEST_ERROR)}"
    if tool.harness_errors:
        return f"{name} was not wholly examined: {printable(tool.harness_errors[0].said, 600)}"
    missing = [verdict for verdict in tool.verdicts if verdict.is_open]
    reason = f": {printable(missing[0].reason, 400)}" if missing else ""
    return f"{name} is incomplete: {len(missing)} of its MUST rules were not examined{reason}"


def _problem_text(tool: ToolReport, verdict: VerdictReport, finding: FindingReport | None) -> str:
    name = printable(tool.tool, 80)
    if finding is None:
        return f"{name}: {printable(verdict.reason, 600)}"
    call = finding.call
    action = f" {printable(call.suite, 300)}" if call and call.suite else ""
    sent = f" Sent: {arguments_shown(call.plan.arguments, 300)}" if call else ""
    unseen = len(verdict.new_causes) if is_known(finding) else 0
    more = f" The baseline does not know {unseen:,} more of its causes." if unseen else ""
    return f"{name}: {printable(finding.message, 600)}{action}{sent}{more}"
