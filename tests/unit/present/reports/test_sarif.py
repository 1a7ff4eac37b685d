"""The SARIF report: valid, inside GitHub's limits, the same for another seed, and no text of a tool is markup in it."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
from tests.unit.present.reports.conftest import SUITE, full_tool
from tests.unit.present.reports.matrix_report import matrix_report

from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import RevisionReport, RunReport, SourceReport, VerdictReport
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.reports import make_report
from aptix_conformance.present.reports.sarif import MOST_RESULTS, plain, render

SCHEMA = Path(__file__).parents[3] / "data" / "sarif" / "sarif-schema-2.1.0.json"
VALIDATOR = jsonschema.Draft4Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def sarif(report):
    """The run of a report's SARIF file, which is valid and which GitHub would take."""
    document = json.loads(render(report))
    assert not [error.message for error in VALIDATOR.iter_errors(document)]
    (run,) = document["runs"]
    check_that_github_takes(run)
    return run


def check_that_github_takes(run):
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) <= 5000
    assert all(len(rule["properties"]["tags"]) <= 10 for rule in rules)
    assert all(
        0 < len(rule[text]["text"]) <= 1024
        for rule in rules
        for text in ("shortDescription", "fullDescription")
    )
    for result in run["results"]:
        (location,) = result["locations"]
        uri = location["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"[\w%~.-][\w%~./-]*", uri, re.ASCII), uri
        assert ".." not in uri.split("/")
        assert location["physicalLocation"]["region"]["startLine"] >= 1
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
    hashes = [result["partialFingerprints"]["primaryLocationLineHash"] for result in run["results"]]
    assert len(set(hashes)) == len(hashes)


def report_of(*tools, **members):
    return make_report(tools, replace(SUITE, **members), RunReport(), None)


def result_of(tool, rule="ARG001"):
    return next(result for result in sarif(report_of(tool))["results"] if result["ruleId"] == rule)


def uri(result):
    return result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]


def test_every_finding_of_the_matrix_is_a_valid_result():
    """One result for each, with its rule's help."""
    report = matrix_report()
    run = sarif(report)
    assert len(run["results"]) == sum(len(tool.verdicts) for tool in report.tools) > 300
    assert all(rule["help"]["markdown"] for rule in run["tool"]["driver"]["rules"])


def test_a_broken_must_is_an_error_and_advice_is_a_warning():
    run = sarif(report_of(full_tool()))
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == [
        ("ARG001", "error"),
        ("ARG002", "warning"),
    ]


def test_a_tool_that_is_incomplete_does_not_look_green(report):
    """It is a result of its own."""
    texts = [result["message"]["text"] for result in sarif(report)["results"] if result["ruleId"] == "STATUS"]
    assert texts == ["ape was not examined: no such module", "zoo was not examined: no such module"]


def test_a_waived_finding_is_suppressed_in_the_words_of_its_waiver():
    tool = full_tool()
    waived = replace(tool.verdicts[0], verdict=VerdictKind.WAIVED, reason="waived by us: [soon]")
    result = result_of(replace(tool, verdicts=(waived,)))
    assert result["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "waived by us: [soon]"}
    ]
    assert "suppressions" not in result_of(tool)


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("birds.py", "birds.py"),
        (
            "my tools/b\N{LATIN SMALL LETTER A WITH DIAERESIS}r\udc80#1.py",
            "my%20tools/b%C3%A4r%ED%B2%80%231.py",
        ),
        ("http://evil.example/x.py", "http%3A/evil.example/x.py"),
        ("/usr/lib/python3/site-packages/birds.py", "pyproject.toml"),
        ("../elsewhere/birds.py", "pyproject.toml"),
        ("", "pyproject.toml"),
    ],
)
def test_a_result_stands_at_the_tools_file_or_at_the_configuration(file, expected):
    """Never outside of the repository, and never at another server."""
    assert uri(result_of(replace(full_tool(), source=SourceReport(file, 7)))) == expected


def test_without_a_file_a_result_stands_at_the_line_that_names_the_tool():
    tool = replace(full_tool(), source=None, configured=SourceReport("pyproject.toml", 12))
    place = result_of(tool)["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]) == ("pyproject.toml", {"startLine": 12})


def test_paths_begin_at_the_root_of_the_repository():
    revision = RevisionReport("git", "0" * 40, modified=False, directory="packages/birds")
    report = make_report([full_tool()], SUITE, RunReport(), revision)
    assert uri(sarif(report)["results"][0]) == "packages/birds/birds.py"


def test_a_fingerprint_is_of_the_tool_the_rule_and_the_cause():
    """Not of the message, the call, the line or the seed."""

    def fingerprint(**members):
        tool = full_tool()
        finding = replace(tool.verdicts[0].finding, **members)
        moved = replace(
            tool, source=SourceReport("birds.py", 99), verdicts=(replace(tool.verdicts[0], finding=finding),)
        )
        return result_of(moved)["partialFingerprints"]["primaryLocationLineHash"]

    first = fingerprint(cause="KeyError in hoot")
    assert re.fullmatch(r"[0-9a-f]{32}:1", first)
    assert fingerprint(cause="KeyError in hoot", message="another", call=None) == first
    assert fingerprint(cause="KeyError in fly") != first


def test_of_too_many_results_the_worst_stay_and_the_rest_is_counted(monkeypatch):
    """Advice goes first. GitHub takes 5,000 results; fewer are quicker to make."""
    assert MOST_RESULTS == 5_000
    monkeypatch.setattr("aptix_conformance.present.reports.sarif.MOST_RESULTS", 1_020)
    tool = full_tool()
    must, advice = tool.verdicts
    named = [
        replace(tool, tool=f"owl{number}", target=f"birds:Owl{number}", verdicts=(advice, must))
        for number in range(1010)
    ]
    run = sarif(report_of(*named))
    levels = [result["level"] for result in run["results"]]
    assert (levels.count("error"), len(levels)) == (1010, 1020)
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("1,000 results of less weight were left out")


def test_a_run_that_ended_early_says_so():
    invocation = sarif(report_of(full_tool(), complete=False))["invocations"][0]
    assert invocation["executionSuccessful"] is False
    assert "ended before" in invocation["toolExecutionNotifications"][0]["message"]["text"]


HOSTILE = "[click](http://evil.example) {0} \\ \x1b[2J \u202e \ud800 <script> ::error::x\n"


def test_no_text_of_a_tool_is_a_link_a_placeholder_or_a_control_character():
    tool = full_tool()
    finding = replace(tool.verdicts[0].finding, message=HOSTILE, replay=HOSTILE, cause=HOSTILE)
    verdicts = (
        replace(tool.verdicts[0], finding=finding),
        VerdictReport(f"X{HOSTILE}", HOSTILE, Level.MAY, (), VerdictKind.FAIL, 1, HOSTILE, None),
    )
    run = sarif(report_of(replace(tool, tool=HOSTILE, target=HOSTILE, verdicts=verdicts)))
    messages = [result["message"]["text"] for result in run["results"]]
    assert all(r"[click] (http://evil.example) {{0}} \ \x1b[2J" in text for text in messages), messages
    texts = json.dumps(run, ensure_ascii=False)
    assert all(character.isprintable() for character in texts.replace("\\n", "")), texts
    assert "markdown" not in run["tool"]["driver"]["rules"][-1]["help"]


def test_what_is_no_markup_stays_as_it_is():
    assert plain('Sent: {"city": 1} (a_b)') == 'Sent: {"city": 1} (a_b)'
