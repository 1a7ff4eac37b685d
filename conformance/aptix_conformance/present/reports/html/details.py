"""Everything that the report says of one tool, for the pages of the tool and of its findings."""

from collections.abc import Mapping
from typing import Any, Final

from aptix_conformance.core.model.codec import to_json
from aptix_conformance.core.model.report import ToolReport, VerdictReport

_IN_THE_OVERVIEW: Final = ("name", "level", "verdict")


def details(tool: ToolReport, columns: Mapping[str, VerdictReport]) -> dict[str, Any]:
    """The tool's report as JSON. Its verdicts lack what the overview has, and members that are empty."""
    data: dict[str, Any] = to_json(tool)
    data["verdicts"] = [_verdict(verdict, columns[verdict.rule]) for verdict in tool.verdicts]
    return data


def _verdict(verdict: VerdictReport, column: VerdictReport) -> dict[str, Any]:
    data = {
        member: value
        for member, value in to_json(verdict).items()
        if member not in _IN_THE_OVERVIEW and (value or member == "observations")
    }
    if verdict.clauses == column.clauses:
        data.pop("clauses", None)
    elif not verdict.clauses:
        data["clauses"] = ()
    return data
