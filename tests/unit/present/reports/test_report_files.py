"""The report file: written whole, read with suspicion."""

import json
import re

import pytest

from aptix_conformance.core.errors import ReportError
from aptix_conformance.core.model.codec import replace, to_json
from aptix_conformance.present.reports import find_tool, read_report, write_report


def test_a_report_is_read_back_as_it_was_written(tmp_path, report):
    write_report(tmp_path / "deep" / "report.json", report)
    assert read_report(tmp_path / "deep" / "report.json") == report


def test_tools_are_sorted(report):
    """The same bytes whatever order the tools finished in."""
    assert [tool.tool for tool in report.tools] == ["ape", "owl", "zoo"]


def test_lone_surrogates_survive(tmp_path, report):
    """Hostile text is written as ASCII escapes."""
    tools = (replace(report.tools[0], error="\ud800 \x00"), *report.tools[1:])
    write_report(tmp_path / "report.json", replace(report, tools=tools))
    assert read_report(tmp_path / "report.json").tools[0].error == "\ud800 \x00"


def test_no_part_of_a_file_is_left_where_writing_fails(tmp_path, report):
    """A place that cannot be written is one clear error."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(ReportError, match="cannot be written"):
        write_report(tmp_path / "file" / "report.json", report)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": "aptix-con', "not JSON, perhaps truncated"),
        ("[" * 100_000, "not JSON, perhaps truncated"),
        ("[]", "not a report of the format"),
        ('{"format": "other/1"}', "not a report of the format"),
        ('{"format": []}', "not a report of the format"),
        ('{"format": "aptix-conformance-report/1"}', "not a report of the format"),
        ('{"format": "aptix-conformance-report/2"}', "malformed at \\$: the member 'suite' is missing"),
    ],
)
def test_a_bad_report_is_one_clear_error(tmp_path, text, message):
    """Truncated, foreign or malformed: named for what it is."""
    path = tmp_path / "report.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ReportError, match=message):
        read_report(path)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda data: data["tools"][1].update(status="excellent"), "$.tools[1].status"),
        (lambda data: data["tools"][1].update(calls=-1), "$.tools[1].calls"),
        (
            lambda data: data["tools"][1].update(schema_fingerprint="sha256:0"),
            "$.tools[1].schema_fingerprint",
        ),
        (lambda data: data["tools"][1].update(surplus=1), "$.tools[1]: unknown member 'surplus'"),
        (lambda data: data["tools"].pop(), "$.totals"),
        (lambda data: data["totals"]["verdicts"]["MUST"].update({"fail": 0}), "$.totals"),
    ],
)
def test_a_bad_member_is_named_by_its_place(tmp_path, report, change, place):
    data = json.loads(json.dumps(to_json(report)))
    change(data)
    (tmp_path / "report.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ReportError, match=re.escape(f"malformed at {place}")):
        read_report(tmp_path / "report.json")


def test_a_missing_file_is_named(tmp_path):
    """The message has the path."""
    with pytest.raises(ReportError, match=r"report\.json"):
        read_report(tmp_path / "report.json")


def test_an_unknown_tool_is_answered_with_those_that_there_are(report):
    assert find_tool(report, "zoo").tool == "zoo"
    assert find_tool(report, "birds:Owl").tool == "owl"
    with pytest.raises(ReportError, match="it has: ape, owl, zoo"):
        find_tool(report, "zou")
