"""GitHub's annotations and job summary, GitLab's code quality, and the badges: within limits, and nothing is injected."""

import json
import re
import xml.etree.ElementTree as ET
from urllib.parse import unquote

import pytest
from tests.unit.present.reports.conftest import SUITE, full_tool
from tests.unit.present.reports.matrix_report import matrix_report

from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import RunReport
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.present.reports import failed_target_report, make_report, terminal
from aptix_conformance.present.reports import gitlab as gitlab_report
from aptix_conformance.present.reports.badge import shields, svg
from aptix_conformance.present.reports.github import LARGEST_SUMMARY, annotations, summary
from aptix_conformance.present.reports.html.summary import summary as html_summary

COMMAND = re.compile(
    r"::(?P<kind>error|warning|notice) file=(?P<file>[^,:]+),line=(?P<line>\d+),title=(?P<title>[^:,]*)::.+"
)
HOSTILE = "x\n::error file=a::b\r::set-output name=a::b %0A::c | `a` <img src=x> [a](//e) @all ]]> \x1b[2J \u202e \ud800"


def report_of(*tools, **members):
    return make_report(tools, replace(SUITE, **members), RunReport(), None)


def conforming(name="owl"):
    return replace(failed_target_report(name, "aptix", "e", ""), status="conforming", error=None)


def hostile_tool():
    tool = full_tool()
    finding = replace(tool.verdicts[0].finding, message=HOSTILE, cause=HOSTILE, replay=HOSTILE)
    must = replace(tool.verdicts[0], rule=HOSTILE, name=HOSTILE, finding=finding)
    unseen = replace(tool.verdicts[1], verdict=VerdictKind.INCONCLUSIVE, reason=HOSTILE)
    source = replace(tool.source, file=HOSTILE)
    return replace(tool, tool=HOSTILE, target=HOSTILE, source=source, verdicts=(must, unseen))


def waived():
    tool = full_tool()
    verdicts = (replace(tool.verdicts[0], verdict=VerdictKind.WAIVED),)
    return replace(tool, verdicts=verdicts, status="conforming-with-waivers")


def commands(report):
    return [COMMAND.fullmatch(line) for line in annotations(report).splitlines()]


def test_each_problem_is_annotated_at_its_place():
    must, advice = commands(report_of(full_tool()))
    assert (must["kind"], must["file"], must["line"], must["title"]) == (
        "error",
        "birds.py",
        "7",
        "ARG001 a-rule",
    )
    assert advice["kind"] == "warning"


def test_of_many_problems_ten_of_a_kind_are_annotated_and_the_others_counted():
    lines = annotations(matrix_report()).splitlines()
    kinds = [line.split(" ")[0] for line in lines[:-1]]
    assert {kind: kinds.count(kind) for kind in kinds} == {"::error": 10, "::warning": 10}
    assert re.fullmatch(
        r"not annotated: \d+ more of the kind error, \d+ more of the kind warning; .*", lines[-1]
    )


def test_a_waived_problem_is_no_annotation_and_no_issue_and_a_tool_without_any_says_nothing():
    assert annotations(report_of(conforming(), waived())) == ""
    assert json.loads(gitlab_report.render(report_of(waived()))) == []
    assert "MUST (waived)" in summary(report_of(waived()))


def test_a_tool_cannot_add_a_command():
    """Every line is one command of ours; its message holds what the tool said."""
    (command,) = commands(report_of(hostile_tool()))
    assert command["kind"] == "error"
    assert "%250A" in command[0]
    assert "\x1b" not in command[0]


def test_a_tool_cannot_add_a_row_or_markup_to_the_summary():
    """What could be markup is in code spans, and no row has more cells than its table."""
    text = summary(report_of(hostile_tool()))
    assert all(character.isprintable() or character == "\n" for character in text)
    for line in text.splitlines():
        outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", line)
        assert not re.search(r"[<@\[]|//", outside.replace("| tool |", "")), line
        assert not line.startswith("::")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert rows
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} <= {7, 5, 4}


def test_the_summary_has_the_tools_the_broken_rules_and_what_was_not_examined(report):
    """The worst tool first."""
    text = summary(report)
    assert "3 tools: 2 incomplete, 1 nonconforming" in text
    assert "containment   partial for 1 tool: no namespaces (Operation not permitted)" in text
    assert text.index("| `owl` | nonconforming | 1 | 1 |") < text.index("| `ape` | incomplete |")
    assert "| `owl` | `ARG001 a-rule` | MUST | `owl: it \\ud800 failed" in text
    assert "| `ape` | all | no such module |" in text
    assert "ended before" not in text
    assert "ended before" in summary(report_of(conforming(), complete=False))


@pytest.mark.parametrize(
    ("tools", "size"), [(3000, LARGEST_SUMMARY), (200, 11_000), (20, 700), (20, 100), (1, 0), (1, -1)]
)
def test_the_summary_keeps_to_its_size_and_says_what_is_left_out(tools, size):
    """In bytes, whatever is there already."""
    many = [conforming("\N{OWL}" * 90 + str(number)) for number in range(tools)]
    text = summary(report_of(*many), size)
    assert len(text.encode()) <= max(size, 0)
    if size > 10_000:
        assert re.search(
            r"^[\d,]+ more rows are left out here; the report has them all\.$", text, re.MULTILINE
        )


def test_code_quality_has_every_problem_of_the_matrix_with_a_fingerprint_of_its_own():
    report = matrix_report()
    issues = json.loads(gitlab_report.render(report))
    assert len(issues) == sum(len(tool.verdicts) for tool in report.tools)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert {issue["severity"] for issue in issues} == {"critical", "minor"}
    assert all(issue["location"]["lines"]["begin"] >= 1 and issue["location"]["path"] for issue in issues)


def test_a_tool_that_is_incomplete_is_an_issue(report):
    found = [issue for issue in json.loads(gitlab_report.render(report)) if issue["check_name"] == "STATUS"]
    assert [issue["severity"] for issue in found] == ["critical", "critical"]


@pytest.mark.parametrize(
    ("tools", "members", "message", "colour"),
    [
        ([], {}, "no tools", "lightgrey"),
        ([conforming("a"), conforming("b")], {}, "2 conforming", "brightgreen"),
        ([conforming("a"), waived()], {}, "1 conforming, 1 with waivers", "yellowgreen"),
        ([waived()], {}, "0 conforming, 1 with waivers", "yellowgreen"),
        ([conforming("a")], {"complete": False}, "the run ended early", "orange"),
        ([conforming("a"), failed_target_report("b", "aptix", "e", "no")], {}, "1 of 2 incomplete", "orange"),
        ([conforming("a"), hostile_tool()], {}, "1 of 2 nonconforming", "red"),
    ],
)
def test_a_badge_is_green_only_where_everything_is(tools, members, message, colour):
    report = report_of(*tools, **members)
    data = json.loads(shields(report))
    assert data == {"schemaVersion": 1, "label": "aptix conformance", "message": message, "color": colour}
    image = ET.fromstring(svg(report))
    texts = [element.text for element in image.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["aptix conformance", message]
    assert image.attrib["aria-label"] == f"aptix conformance: {message}"


def test_every_summary_counts_a_waived_tool_once_and_not_as_conforming():
    report = report_of(conforming("a"), waived())
    line = "2 tools: 1 conforming, 1 conforming-with-waivers"
    assert terminal.render(report).splitlines()[-1] == line
    assert line in summary(report).splitlines()
    assert f"<p>{line}.</p>" in html_summary(report)
    (badge,) = re.findall(r"(\d+) conforming, (\d+) with waivers", svg(report))[:1]
    assert badge == ("1", "1")
    assert report.totals.tools == {
        "conforming": 1,
        "conforming-with-waivers": 1,
        "nonconforming": 0,
        "incomplete": 0,
    }


def test_no_summary_counts_a_server_as_a_tool():
    server = replace(conforming("b"), kind="server")
    report = report_of(conforming("a"), server)
    line = "1 tool: 1 conforming; 1 server: 1 conforming"
    assert line in summary(report).splitlines()
    assert f"<p>{line}.</p>" in html_summary(report)


def test_a_place_that_a_tool_names_stays_a_path():
    command, _ = commands(
        report_of(replace(full_tool(), source=replace(full_tool().source, file="a,b:c%0A.py")))
    )
    assert unquote(command["file"]) == "a,b:c%0A.py"


def test_two_findings_of_one_cause_have_fingerprints_of_their_own():
    """As two places of one function that raise the same exception."""
    tool = full_tool()
    must = tool.verdicts[0]
    twice = replace(tool, verdicts=(replace(must, further=(must.finding,), causes=2),))
    fingerprints = [issue["fingerprint"] for issue in json.loads(gitlab_report.render(report_of(twice)))]
    assert [found.partition("-")[2] for found in fingerprints] == ["1", "2"]
    assert len({found.partition("-")[0] for found in fingerprints}) == 1
