"""The report file: written whole, read with suspicion."""

import json
import re

import pytest

from aptix_conformance.errors import ReportError
from aptix_conformance.reports import Report, failed_target_entry, find_entry, read_report, write_report


@pytest.fixture
def document():
    limits = {"budget": 30.0, "timeout": 5.0, "memory": 1024}
    report = Report(seed=7, examples=5, complete=True, isolated=True, run={"seconds": 1.0}, **limits)
    entries = [
        failed_target_entry(spec, "aptix", "aptix-tul-011", "no such module") for spec in ("zoo", "ape")
    ]
    return report.document(entries)


def test_a_report_is_read_back_as_it_was_written(tmp_path, document):
    """Round trip through the published JSON Schema."""
    write_report(tmp_path / "deep" / "report.json", document)
    assert read_report(tmp_path / "deep" / "report.json") == document


def test_tools_are_sorted(document):
    """The same bytes whatever order the tools finished in."""
    assert [tool["tool"] for tool in document["tools"]] == ["ape", "zoo"]


def test_lone_surrogates_survive(tmp_path, document):
    """Hostile text is written as ASCII escapes."""
    document["tools"][0]["error"] = "\ud800 \x00"
    write_report(tmp_path / "report.json", document)
    assert read_report(tmp_path / "report.json")["tools"][0]["error"] == "\ud800 \x00"


def test_no_part_of_a_file_is_left_where_writing_fails(tmp_path, document):
    """A place that cannot be written is one clear error."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(ReportError, match="cannot be written"):
        write_report(tmp_path / "file" / "report.json", document)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": "aptix-con', "not JSON, cut off perhaps"),
        ("[]", "no report of the format"),
        ('{"format": "other/1"}', "no report of the format"),
        ('{"format": "aptix-conformance-report/1"}', "malformed at \\$"),
    ],
)
def test_a_bad_report_is_one_clear_error(tmp_path, text, message):
    """Truncated, foreign or malformed: named for what it is."""
    path = tmp_path / "report.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ReportError, match=message):
        read_report(path)


def test_a_bad_member_is_named_by_its_place(tmp_path, document):
    """The JSON path of the first fault."""
    document["tools"][1]["status"] = "excellent"
    (tmp_path / "report.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ReportError, match=re.escape("$.tools[1].status")):
        read_report(tmp_path / "report.json")


def test_a_missing_file_is_named(tmp_path):
    """The path stands in the message."""
    with pytest.raises(ReportError, match=r"report\.json"):
        read_report(tmp_path / "report.json")


def test_an_unknown_tool_is_answered_with_those_that_there_are(document):
    """A typo is easy to mend."""
    assert find_entry(document, "zoo")["tool"] == "zoo"
    with pytest.raises(ReportError, match="it has: ape, zoo"):
        find_entry(document, "zou")
