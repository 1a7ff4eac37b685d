"""Reports of the format before this one can be read."""

import copy
import json
from pathlib import Path

import pytest

from aptix_conformance.errors import ReportError
from aptix_conformance.model.verdict import VerdictKind
from aptix_conformance.reports import find_tool, read_report
from aptix_conformance.reports.json_report import report_of

OLD = json.loads((Path(__file__).parent / "report_format_1.json").read_text(encoding="utf-8"))


def test_what_an_old_report_has_is_there():
    report = report_of(OLD, "old.json")
    tool = find_tool(report, "agent_weather")
    failed = [verdict for verdict in tool.verdicts if verdict.verdict is VerdictKind.FAIL and verdict.finding]
    call = failed[0].finding.call
    assert (report.format, report.suite.seed, tool.status) == (
        "aptix-conformance-report/2", 0, "nonconforming",
    )  # fmt: skip
    assert call.plan.label == "blank:null"
    assert call.raised
    assert tool.declared.schema["name"] == "agent_weather"
    assert tool.examined.fault_sites
    assert any(shortfall.expected for shortfall in tool.shortfalls)
    assert report.run.sys_path == ("/project",)


def test_what_an_old_report_did_not_have_is_empty():
    report = report_of(OLD, "old.json")
    tool = report.tools[0]
    assert (tool.source, tool.distribution, tool.containment, report.revision) == (None, None, None, None)
    assert report.totals.tools["nonconforming"] == 1


@pytest.mark.parametrize(
    ("place", "value"),
    [(("tools", 0, "status"), "excellent"), (("suite", "seed"), "1"), (("run", "sys_path"), [1])],
)
def test_a_malformed_one_is_refused_with_the_place(place, value):
    data = copy.deepcopy(OLD)
    inner = data
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    with pytest.raises(ReportError, match="malformed at"):
        report_of(data, "old.json")


def test_it_is_read_from_a_file(tmp_path):
    path = tmp_path / "old.json"
    path.write_text(json.dumps(OLD), encoding="utf-8")
    assert read_report(path) == report_of(OLD, "old.json")
