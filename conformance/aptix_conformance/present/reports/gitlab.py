"""The report as GitLab's code quality report: the problems without a waiver, the worst first.

What a baseline knows is `info`: GitLab cannot suppress an issue, and a tool that is not conforming must not look so.
"""

import json
from typing import Any, Final

from aptix_conformance.core.model.report import Report
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports.markup import plain
from aptix_conformance.present.reports.problems import Problem, Severity, problems

_SEVERITIES: Final[dict[Severity, str]] = {"error": "critical", "warning": "minor", "note": "info"}


def render(report: Report) -> str:
    """The text of the file: ASCII, indented by two."""
    issues = [_issue(problem) for problem in problems(report) if not problem.is_waived]
    return json.dumps(issues, indent=2) + "\n"


def _issue(problem: Problem) -> dict[str, Any]:
    known = f" ({problem.known})" if problem.known else ""
    return {
        "description": plain(f"{problem.rule} {problem.name}: {problem.message}{known}"),
        "check_name": problem.rule,
        "fingerprint": f"{problem.fingerprint}-{problem.number}",
        "severity": "info" if problem.known else _SEVERITIES[problem.severity],
        "location": {"path": printable(problem.place.file, 1000), "lines": {"begin": problem.place.line}},
    }
