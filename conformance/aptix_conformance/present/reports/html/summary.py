"""The summary for a browser without scripts: totals, and a line for each tool with its broken MUSTs.

Every text that came from a tool is escaped twice: invisible characters for the reader, markup for the browser.
"""

import html
from collections.abc import Iterator
from typing import Final

from aptix_conformance.core.model.report import Report, ToolReport
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports.cached import cache_lines
from aptix_conformance.present.reports.markup import LONGEST_ERROR
from aptix_conformance.present.reports.servers import inherited_lines, own_breaches, status_phrase
from aptix_conformance.present.reports.terminal import containment_lines, totals_line
from aptix_conformance.present.reports.unfinished_run import not_whole

_MOST_FINDINGS: Final = 1_000
"""Broken MUSTs that are listed with what the tool did; of more the summary gives the number."""


def summary(report: Report) -> str:
    """The summary as HTML, in ASCII."""
    return "".join(_parts(report)).encode("ascii", "xmlcharrefreplace").decode("ascii")


def escape_text(text: str, limit: int = 300) -> str:
    """A text of a tool as HTML; its direction is kept to itself."""
    return f"<bdi>{html.escape(printable(text, limit))}</bdi>"


def _parts(report: Report) -> Iterator[str]:
    yield "<h1>Conformance report</h1>\n"
    if ended_early := not_whole(report):
        yield f"<p><strong>{escape_text(ended_early, 1000)}</strong></p>\n"
    yield f"<p>{totals_line(report.tools)}.</p>\n"
    yield "<p>This is a summary. Switch on scripts for the matrix, the findings and the pages of the rules.</p>\n"
    yield from _findings(report)
    for line in inherited_lines(report.tools):
        yield f"<p>{escape_text(line, 800)}</p>\n"
    for line in (*containment_lines(report.tools), *cache_lines(report.tools)):
        yield f"<p>{escape_text(line, 800)}</p>\n"
    for unneeded in report.unneeded_waivers:
        yield f"<p>{escape_text(unneeded, 600)}</p>\n"
    titles = ("Tool", "Status", "MUST broken", "Other rules broken", "Inconclusive")
    yield f"<table><thead><tr>{''.join(f'<th>{title}</th>' for title in titles)}</tr></thead><tbody>\n"
    yield from (_row(tool) for tool in report.tools)
    yield "</tbody></table>\n"


def _row(tool: ToolReport) -> str:
    broken = [verdict.rule for verdict in tool.verdicts if verdict.blocks]
    advice = [verdict.rule for verdict in tool.verdicts if verdict.is_advice]
    unknown = [verdict for verdict in tool.verdicts if verdict.verdict is VerdictKind.INCONCLUSIVE]
    errors = [tool.error] if tool.error else [error.said for error in tool.harness_errors]
    error = "".join(f"<br>{escape_text(text, LONGEST_ERROR)}" for text in errors)
    cells = (escape_text(" ".join(broken)), escape_text(" ".join(advice)), str(len(unknown)))
    return (
        f"<tr><th>{escape_text(tool.tool)}{error}</th><td>{status_phrase(tool)}</td>"
        f"{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"
    )


def _findings(report: Report) -> Iterator[str]:
    broken = [(tool, verdict) for tool in report.tools for verdict, _ in own_breaches(tool)]
    if not broken:
        return
    yield "<h2>Broken MUSTs</h2>\n<ul>\n"
    for tool, verdict in broken[:_MOST_FINDINGS]:
        rule = escape_text(f"{verdict.rule} {verdict.name}")
        yield f"<li>{escape_text(tool.tool)} breaks {rule}: {escape_text(verdict.reason)}</li>\n"
    yield "</ul>\n"
    if len(broken) > _MOST_FINDINGS:
        yield f"<p>{len(broken) - _MOST_FINDINGS:,} more are not listed here.</p>\n"
