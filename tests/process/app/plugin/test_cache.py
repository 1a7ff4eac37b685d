"""`--aptix-cache`: a real tool is examined once, and each later run says where its results come from."""

import json
from xml.etree import ElementTree as ET

import pytest
from tests.real_project import FAULT

CACHE = ("--aptix-cache=store", "--aptix-report=report.json", "--aptix-report=junit=report.xml")


def examine(project, *options):
    """The run, and what its report says of the tool's cache."""
    result = project.run(*CACHE, *options)
    (tool,) = project.report()["tools"]
    return result, tool


@pytest.fixture
def cached(real_project):
    """The project, after a run that has examined its tool and found it conforming."""
    _, tool = examine(real_project, "--snapshot-update")
    examine(real_project)  # with the lock, which the tool can read
    assert tool["status"] == "conforming"
    return real_project


def test_a_tool_is_taken_whole_and_is_one_item(cached):
    result, tool = examine(cached)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*cached*", "cache         1 taken from earlier runs*"])
    assert (tool["status"], tool["cache"]["state"]) == ("conforming", "taken")
    cases = ET.parse(cached.path / "report.xml").iter("testcase")
    marks = {case.find("properties/property").get("value") for case in cases}
    assert marks == {f"cached, examined {tool['cache']['examined']}"}


def test_who_asks_for_rules_gets_their_items(cached):
    rules, _ = examine(cached, "-k", "ARG002 or lock")
    rules.assert_outcomes(passed=2)
    result, tool = examine(cached, "-v")
    assert result.parseoutcomes()["passed"] > 40
    assert tool["cache"]["state"] == "taken"


def test_a_sample_is_examined_again_and_a_forged_result_found(cached):
    _, tool = examine(cached, "--aptix-recheck=1")
    assert tool["cache"]["state"] == "confirmed"
    for path in cached.path.glob("store/??/*.json"):
        entry = json.loads(path.read_text(encoding="utf-8"))
        entry["report"]["calls"] += 1
        path.write_text(json.dumps(entry), encoding="utf-8")
    result, tool = examine(cached, "--aptix-recheck=1")
    assert result.ret == 1
    assert tool["cache"]["state"] == "differs"
    result.stdout.fnmatch_lines(["*the results are not reproducible*the number of calls was*"])


def test_a_changed_tool_is_examined_and_its_fault_found(cached):
    cached.change(*FAULT)
    result, tool = examine(cached)
    assert result.ret == 1
    assert (tool["status"], tool["cache"]["state"]) == ("nonconforming", "new")
    again, tool = examine(cached)
    assert again.ret == 1
    assert again.parseoutcomes()["failed"] == result.parseoutcomes()["failed"]
    assert tool["cache"]["state"] == "taken"
