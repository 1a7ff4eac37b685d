"""The report as JUnit XML: a test case for each rule of each tool, and one for its status, named as pytest names them."""

from collections.abc import Iterator
from typing import Final
from xml.etree import ElementTree as ET

from aptix_conformance.core.model.report import Report, ToolReport, VerdictReport
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports.cached import cached_text
from aptix_conformance.present.reports.failures import status_text
from aptix_conformance.present.reports.servers import breaks_alone, is_accepted, status_phrase
from aptix_conformance.present.reports.unfinished_run import not_ended, shard_name
from aptix_conformance.targets import item_name

_LONGEST: Final = 2000
"""Characters of a text that a tool gave."""
_SKIPPED: Final = {
    VerdictKind.INCONCLUSIVE: "inconclusive",
    VerdictKind.NOT_APPLICABLE: "not applicable",
    VerdictKind.WAIVED: "waived",
}


def render(report: Report) -> str:
    """The text of the file. A run that ended early has a test case of its own, which fails."""
    cases = [case for tool in report.tools for case in _cases(tool)]
    if ended_early := not_ended(report):
        cases.append(_case("aptix", "run", "failure", ended_early))
    counts = {tag: sum(case.find(tag) is not None for case in cases) for tag in ("failure", "skipped")}
    suite = ET.Element(
        "testsuite",
        name=" ".join(filter(None, ("aptix-conformance", shard_name(report)))),
        tests=str(len(cases)),
        failures=str(counts["failure"]),
        errors="0",
        skipped=str(counts["skipped"]),
        time=f"{report.run.seconds:.3f}",
    )
    suite.extend(cases)
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _cases(tool: ToolReport) -> Iterator[ET.Element]:
    place = f"aptix.{printable(item_name(tool.tool), 200)}"
    cached = cached_text(tool)
    for verdict in tool.verdicts:
        yield _case(place, f"{verdict.rule}-{verdict.name}", *_outcome(tool, verdict), cached)
    passes = is_accepted(tool)
    text = status_phrase(tool) if passes else status_text(tool)
    is_open = passes and tool.status == "incomplete"
    yield _case(
        place, "status", "" if passes and not is_open else "skipped" if is_open else "failure", text, cached
    )


def _outcome(tool: ToolReport, verdict: VerdictReport) -> tuple[str, str]:
    """The element that a verdict has in its test case, empty for none, and its text."""
    reason = verdict.reason
    if verdict.rule in tool.inherited:
        return "skipped", f"{breaks_alone(tool, verdict.rule)}: {reason}"
    if verdict.is_known:
        return "skipped", f"known to the baseline: {reason}"
    if verdict.blocks:
        return "failure", reason
    if verdict.verdict in _SKIPPED:
        return "skipped", f"{_SKIPPED[verdict.verdict]}: {reason}"
    return "", ""


def _case(place: str, name: str, tag: str, text: str, cached: str = "") -> ET.Element:
    case = ET.Element("testcase", classname=place, name=printable(name, 200))
    if cached:
        ET.SubElement(ET.SubElement(case, "properties"), "property", name="aptix.cache", value=cached)
    if tag:
        safe = "\n".join(printable(line, _LONGEST) for line in text.splitlines())
        inner = ET.SubElement(case, tag, message=safe.partition("\n")[0])
        inner.text = safe
    return case
