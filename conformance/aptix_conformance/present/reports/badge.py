"""The badge of a report: an SVG image, or the JSON that the endpoint badge of shields.io reads.

A badge shows words and numbers of the suite only: no text of a tool gets into it.
"""

import json
from typing import Final

from aptix_conformance.core.model.report import Report
from aptix_conformance.present.reports.unfinished_run import not_ended

LABEL: Final = "aptix conformance"
_COLOURS: Final = {
    "brightgreen": "#2f7d12",
    "yellowgreen": "#66700b",
    "orange": "#a15000",
    "red": "#b3261e",
    "lightgrey": "#5f5f5f",
}
"""Names that shields.io knows, with a shade of each on which white text is easy to read."""
_CHARACTER: Final = 7
"""Pixels of a character, on the average."""
_SVG: Final = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{label}: {message}">
  <title>{label}: {message}</title>
  <clipPath id="r"><rect width="{width}" height="20" rx="3"/></clipPath>
  <g clip-path="url(#r)">
    <rect width="{left}" height="20" fill="#444"/>
    <rect x="{left}" width="{right}" height="20" fill="{colour}"/>
  </g>
  <g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
    <text x="{left_middle}" y="14">{label}</text>
    <text x="{right_middle}" y="14">{message}</text>
  </g>
</svg>
"""


def svg(report: Report) -> str:
    """The badge as an SVG image without script, link or reference."""
    message, colour = _message(report)
    left, right = (_CHARACTER * len(text) + 10 for text in (LABEL, message))
    return _SVG.format(
        label=LABEL,
        message=message,
        colour=_COLOURS[colour],
        left=left,
        right=right,
        width=left + right,
        left_middle=left / 2,
        right_middle=left + right / 2,
    )


def shields(report: Report) -> str:
    """The badge as the JSON of an endpoint of shields.io."""
    message, colour = _message(report)
    return json.dumps({"schemaVersion": 1, "label": LABEL, "message": message, "color": colour}) + "\n"


def _message(report: Report) -> tuple[str, str]:
    """The words and the colour: only where every tool of the run is conforming and was examined is the badge green."""
    counts = report.totals.tools
    total = len(report.tools)
    if not total:
        return ("the run ended early", "orange") if not_ended(report) else ("no tools", "lightgrey")
    if counts["nonconforming"]:
        return f"{counts['nonconforming']} of {total} nonconforming", "red"
    if counts["incomplete"] or not_ended(report):
        incomplete = counts["incomplete"]
        return f"{incomplete} of {total} incomplete" if incomplete else "the run ended early", "orange"
    if report.suite.shard:
        return f"shard {report.suite.shard.number} of {report.suite.shard.of}", "lightgrey"
    if counts["conforming-with-waivers"]:
        waived = counts["conforming-with-waivers"]
        return f"{counts['conforming']} conforming, {waived} with waivers", "yellowgreen"
    return f"{counts['conforming']} conforming", "brightgreen"
