"""The lines of a slow tool in a log, which the controller of xdist writes for its workers."""

import re

import pytest

from aptix_conformance.app.run import progress


@pytest.mark.parametrize("workers", [("-p", "no:xdist"), ("-n", "1")], ids=["one process", "xdist"])
def test_a_tool_that_takes_long_has_lines_of_its_own_and_nothing_else_changes(project, monkeypatch, workers):
    """Here a tool takes long at once. The lines are whole, and no item is counted twice, also in JUnit."""
    monkeypatch.setattr(
        progress, "PLAIN", progress.Pace(0.0, 0.0, 0.0)
    )  # a worker learns it from the controller
    result = project.run("-k", "SCH001 or SCH002", *workers, "--junitxml=junit.xml")
    lines = [line for line in result.outlines if line.startswith("examining ")]
    assert lines[0] == "examining     agent_weather: declaration, 0 calls, 0 s"
    assert all(re.fullmatch(r"examining     agent_weather: \S+, \d+ calls, \d+ s.*", line) for line in lines)
    assert result.parseoutcomes()["passed"] == 2
    assert (project.path / "junit.xml").read_text(encoding="utf-8").count("<testcase ") == 2


def test_a_tool_that_is_done_at_once_has_no_line(project):
    assert not [line for line in project.run("-k", "SCH001").outlines if line.startswith("examining ")]


def test_the_first_rule_that_is_seen_broken_has_one_line_in_a_log(pytester, tool_source, monkeypatch):
    """Of all tools of the run; it need not take long before that."""
    monkeypatch.setattr(progress, "PLAIN", progress.Pace(600.0, 600.0, 0.0))
    monkeypatch.delenv("CI", raising=False)
    source = tool_source("weather").replace('"weather": "rain"', '"weather": exit()')
    other = source.replace("agent_weather", "agent_rain").replace("AgentWeather", "AgentRain")
    pytester.makepyfile(first_tools=source, other_tools=other)
    pytester.makepyprojecttoml('[tool.aptix-conformance]\ntools = ["first_tools", "other_tools"]\n')
    result = pytester.runpytest_inprocess(
        "-p", "no:xdist", "--aptix-conformance", "-k", "EXC002", "--aptix-jobs=1"
    )
    assert result.parseoutcomes()["failed"] == 2
    lines = [line for line in result.outlines if line.startswith("examining ")]
    assert [line.partition(" s;")[2] for line in lines] == [" EXC002 was seen broken; tool 1 of 2"], lines
