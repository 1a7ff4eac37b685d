"""`--aptix-baseline`: what pytest shows of known, new and stale findings."""

import json

import pytest

KEPT = {
    "target": "weather_tools:WeatherTool",
    "edition": "aptix-tul-011",
    "rule": "SCH004",
    "cause": "",
    "reason": "old",
}


def baseline(project, *entries, examples=100):
    content = {"format": "aptix-conformance-baseline/1", "examples": examples, "entries": entries}
    (project.path / "known.json").write_text(json.dumps(content), encoding="utf-8")
    return "--aptix-baseline=known.json"


def test_a_new_finding_fails_beside_known_ones(project):
    """One rule is known and xfailed, the other fails."""
    project.replace(broken={"SCH004": {"message": "Another name."}, "SCH006": {"message": "No object."}})
    result = project.run("-k", "SCH004 or SCH006", "-rx", baseline(project, KEPT))
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "*breaks SCH006*",
            "baseline      1 known, 1 new, 0 stale",
            "XFAIL *SCH004-* - known to the baseline: old",
        ]
    )


@pytest.mark.parametrize("rule", ["SCH004", "OLD001"])
def test_a_stale_entry_fails_the_run_with_an_item_and_without(project, rule):
    result = project.run("-k", "SCH004", baseline(project, {**KEPT, "rule": rule}))
    assert result.ret == 1
    result.assert_outcomes(failed=int(rule == "SCH004"), passed=int(rule != "SCH004"))
    result.stdout.fnmatch_lines(
        [f"stale         agent_weather: {rule}: the finding is gone; remove it with *prune*"]
    )
    assert project.run("-k", "SCH004", "--aptix-no-baseline").ret == 0


def test_a_quick_run_calls_no_entry_stale(project):
    """What it does not show may be there."""
    given = baseline(project, KEPT, examples=1)
    assert project.run("-k", "SCH004", given).ret == 1
    assert project.run("-k", "SCH004", given, "--aptix-thoroughness=quick").ret == 0


def test_an_entry_of_a_tool_that_is_gone_fails_a_whole_run_only(project):
    given = baseline(project, {**KEPT, "target": "weather_tools:Gone"})
    result = project.run("-k", "SCH004", given)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["stale         weather_tools:Gone: SCH004: the run has no such tool; *--gone"]
    )
    project.add("zoo_tools:ZooTool", "agent_zoo")
    chosen = "aptix::agent_weather::SCH004-schema-has-the-tools-name"
    assert project.run(given, "--aptix-tools=zoo_tools", chosen).ret == 0


@pytest.mark.parametrize("given", ["option", "key", "empty"])
def test_a_bad_baseline_stops_the_run_before_anything_is_examined(project, given):
    (project.path / "bad.json").write_text('{"format": "aptix-conf', encoding="utf-8")
    options = {"option": ["--aptix-baseline=bad.json"], "key": [], "empty": ["--aptix-baseline="]}
    if given == "key":
        project.configure(keys='baseline = "bad.json"')
    result = project.run(*options[given])
    assert result.ret == 4
    said = (
        "*--aptix-baseline is empty*"
        if given == "empty"
        else "*the baseline *bad.json is not JSON, perhaps truncated*"
    )
    result.stderr.fnmatch_lines([said])
    result.stdout.no_fnmatch_line("*agent_weather*")
