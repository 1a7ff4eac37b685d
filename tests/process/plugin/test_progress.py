"""The lines of a slow tool in a log, which the controller of xdist writes for its workers."""

import re

import pytest

from aptix_conformance.plugin import progress


@pytest.mark.parametrize("workers", [("-p", "no:xdist"), ("-n", "1")], ids=["one process", "xdist"])
def test_a_tool_that_takes_long_has_lines_of_its_own_and_nothing_else_changes(
    pytester, tool_source, monkeypatch, workers
):
    """Here a tool takes long at once. The lines are whole, and no item is counted twice, also in JUnit."""
    pytester.makepyfile(weather_tools=tool_source("weather"))
    pytester.makepyprojecttoml(
        """
        [tool.aptix-conformance]
        tools = ["weather_tools"]
        tool.agent_weather.side_effects = "destructive"
        """
    )
    asked = ("--aptix-conformance", "-p", "no:cacheprovider", "-k", "SCH001 or SCH002")
    monkeypatch.setattr(progress, "PLAIN", progress.Pace(0.0, 0.0))  # a worker learns it from the controller
    result = pytester.runpytest_inprocess(*asked, *workers, "--junitxml=junit.xml")
    lines = [line for line in result.outlines if line.startswith("examining ")]
    assert lines[0] == "examining     agent_weather: declaration, 0 calls, 0 s"
    assert all(re.fullmatch(r"examining     agent_weather: \S+, \d+ calls, \d+ s.*", line) for line in lines)
    assert result.parseoutcomes()["passed"] == 2
    assert (pytester.path / "junit.xml").read_text(encoding="utf-8").count("<testcase ") == 2
