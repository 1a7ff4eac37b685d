"""The text on a run that did not end as it should: the same in every format."""

from typing import Final

from aptix_conformance.core.model.report import Report
from aptix_conformance.core.text import printable

_MOST_NAMED: Final = 10
"""Tools that the sentence names."""


def not_ended(report: Report) -> str:
    """A sentence on a run that did not end as it should: why, and which tools were not examined; empty where it did."""
    suite, tools = report.suite, report.tools
    why = f" ({printable(suite.stopped, 300)})" if suite.stopped else ""
    if suite.complete:
        return f"Every tool was examined, but the run did not end as it should{why}." if why else ""
    names = [printable(tool.tool, 60) for tool in tools if not tool.steps and tool.status == "incomplete"]
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    named = f" Not examined: {', '.join(names[:_MOST_NAMED])}{more}." if names else ""
    return f"The run ended before every tool was examined{why}.{named}"
