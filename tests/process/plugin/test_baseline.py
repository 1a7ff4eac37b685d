"""`--aptix-baseline`: what pytest shows of known, new and stale findings."""

import json

import pytest
from tests.process.plugin.projects import FAULT

from aptix_conformance.cli import main

KEPT = {
    "target": "weather_tools:WeatherTool",
    "edition": "aptix-tul-011",
    "rule": "SCH004",
    "cause": "",
    "reason": "old",
}


def baseline(project, *entries):
    content = {"format": "aptix-conformance-baseline/1", "examples": 100, "entries": entries}
    (project.path / "known.json").write_text(json.dumps(content), encoding="utf-8")
    return "--aptix-baseline=known.json"


def test_another_seed_moved_lines_and_workers_make_no_new_finding(real_project, capsys):
    """Every known finding is expected, the run succeeds, and the report says nonconforming.

    An alert that is made of the report stands at the tool's line, and is the same one.
    """
    real_project.change(*FAULT)
    assert real_project.run("--aptix-seed=1", "--aptix-report=report.json").ret == 1
    first = alerts_of("report.json", capsys)
    assert first
    assert main(["baseline", "write", "report.json", "-o", "known.json", "--reason", "issue 12"]) == 0
    real_project.change(("import json\n", "import json\n\n\n"))
    real_project.change(("tools = ", 'baseline = "known.json"\ntools = '), name="pyproject.toml")
    result = real_project.run("--aptix-seed=2", "-n", "1", "-rx", "--aptix-report=report.json")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "nonconforming agent_weather *",
            "baseline      [1-9]* known, 0 new, 0 stale",
            "XFAIL *::ARG002-* - known to the baseline: issue 12",
            "XFAIL aptix::agent_weather::status - nonconforming, known to the baseline: ARG002*: issue 12",
        ]
    )
    report = real_project.report()
    assert report["tools"][0]["status"] == "nonconforming"
    assert report["totals"]["tools"]["nonconforming"] == 1
    second = alerts_of("report.json", capsys)
    assert [alert[0] for alert in first] == [alert[0] for alert in second]
    assert {after[1] - before[1] for before, after in zip(first, second, strict=True)} == {2}


def alerts_of(report, capsys):
    """The fingerprint and the line of each result in SARIF."""
    capsys.readouterr()
    assert main(["report", "sarif", report]) == 0
    (found,) = json.loads(capsys.readouterr().out)["runs"]
    return sorted(
        (
            result["partialFingerprints"]["primaryLocationLineHash"],
            result["locations"][0]["physicalLocation"]["region"]["startLine"],
        )
        for result in found["results"]
    )


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
