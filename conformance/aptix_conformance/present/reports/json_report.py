"""The report as JSON, from which every other form can be made."""

from typing import Any

from aptix_conformance.core.errors import RecordError, ReportError
from aptix_conformance.core.model.codec import from_json, read_json, to_text
from aptix_conformance.core.model.report import FORMAT, Report
from aptix_conformance.present.reports.totals import totals


def render(report: Report) -> str:
    """The text of the report file: ASCII, indented by two, ending in a line feed."""
    return to_text(report, indent=2) + "\n"


def parse(text: str, where: str) -> Report:
    """Read the text of a report file; `where` names it.

    Raises:
        ReportError: it is no JSON, of another format, or malformed.
    """
    try:
        data = read_json(text)
    except (ValueError, RecursionError) as error:
        raise ReportError(f"the report {where} is not JSON, perhaps truncated: {error}") from error
    return report_of(data, where)


def report_of(data: Any, where: str) -> Report:
    """Read a report, as `json.loads` gives it.

    Raises:
        ReportError: it is of another format, or malformed; names the place as a JSON path.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ReportError(
            f"{where} is not a report of the format {FORMAT}: make one with --aptix-report {where}"
        )
    try:
        report = from_json(Report, data, "$")
    except RecordError as error:
        raise ReportError(f"the report {where} is malformed at {error}") from error
    if report.totals != totals(report.tools):
        raise ReportError(f"the report {where} is malformed at $.totals: they do not match its tools")
    return report
