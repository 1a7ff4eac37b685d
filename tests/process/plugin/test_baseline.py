"""`--aptix-baseline`: what pytest shows of known, new and stale findings. Tools are read and not called where that is enough."""

import json

import pytest

from aptix_conformance.cli import main

QUICK = ["--aptix-conformance", "--aptix-examples", "3", "-p", "no:cacheprovider", "-p", "no:asyncio"]
READ = '[tool.aptix-conformance.tool.agent_weather]\nside_effects = "destructive"'
KEPT = {
    "target": "weather_tools:WeatherTool",
    "edition": "aptix-tul-011",
    "rule": "SCH004",
    "cause": "",
    "reason": "old",
}


@pytest.fixture
def project(pytester, examined_once, tool_source, monkeypatch):
    """A project with a conforming tool that is read only."""
    monkeypatch.delenv("CI", raising=False)
    pytester.makepyfile(weather_tools=tool_source("weather"))
    pytester.makepyprojecttoml(f'[tool.aptix-conformance]\ntools = ["weather_tools"]\n{READ}')
    return pytester


def run(project, *arguments):
    return project.runpytest_inprocess(*QUICK, *arguments)


def change(project, name, *changes):
    path = project.path / name
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def baseline(project, *entries, examples=3):
    content = {"format": "aptix-conformance-baseline/1", "examples": examples, "entries": entries}
    (project.path / "known.json").write_text(json.dumps(content), encoding="utf-8")
    return "--aptix-baseline=known.json"


def test_another_seed_moved_lines_and_workers_make_no_new_finding(project):
    """Every known finding is expected, the run succeeds, and the report says nonconforming."""
    change(project, "pyproject.toml", (READ, ""))
    changes = [
        ("(ValueError, RecursionError)", "ZeroDivisionError"),
        ("except Exception as", "except ZeroDivisionError as"),
    ]
    change(project, "weather_tools.py", *changes)
    assert run(project, "--aptix-seed=1", "--aptix-report=report.json").ret == 1
    assert main(["baseline", "write", "report.json", "-o", "known.json", "--reason", "issue 12"]) == 0
    change(project, "weather_tools.py", ("import json\n", "import json\n\n\n"))
    change(project, "pyproject.toml", ("tools = ", 'baseline = "known.json"\ntools = '))
    result = run(project, "--aptix-seed=2", "-n", "1", "-rx", "--aptix-report=report.json")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "nonconforming agent_weather *",
            "baseline      [1-9]* known, 0 new, 0 stale",
            "XFAIL *::ARG002-* - known to the baseline: issue 12",
            "XFAIL aptix::agent_weather::status - nonconforming, known to the baseline: ARG002*: issue 12",
        ]
    )
    report = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    assert report["tools"][0]["status"] == "nonconforming"
    assert report["totals"]["tools"]["nonconforming"] == 1


def test_a_new_finding_fails_beside_known_ones(project):
    """One rule is known and xfailed, the other fails."""
    names, types = ('"name": WeatherTool.TOOL_NAME', '"name": "x"'), ('"type": "object"', '"type": "array"')
    change(project, "weather_tools.py", names, types)
    result = run(project, "-k", "SCH004 or SCH006", "-rx", baseline(project, KEPT))
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
    result = run(project, "-k", "SCH004", baseline(project, {**KEPT, "rule": rule}))
    assert result.ret == 1
    result.assert_outcomes(failed=int(rule == "SCH004"), passed=int(rule != "SCH004"))
    result.stdout.fnmatch_lines(
        [f"stale         agent_weather: {rule}: the finding is gone; remove it with *prune*"]
    )
    assert run(project, "-k", "SCH004", "--aptix-no-baseline").ret == 0


def test_an_entry_of_a_tool_that_is_gone_fails_a_whole_run_only(project):
    given = baseline(project, {**KEPT, "target": "weather_tools:Gone"})
    result = run(project, "-k", "SCH004", given)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["stale         weather_tools:Gone: SCH004: the run has no such tool; *--gone"]
    )
    project.makepyfile(
        zoo_tools=(project.path / "weather_tools.py").read_text().replace("agent_weather", "agent_zoo")
    )
    assert (
        run(
            project,
            given,
            "--aptix-tools=zoo_tools",
            "aptix::agent_weather::SCH004-schema-has-the-tools-name",
        ).ret
        == 0
    )


@pytest.mark.parametrize("given", ["option", "key", "empty"])
def test_a_bad_baseline_stops_the_run_before_anything_is_examined(project, given):
    (project.path / "bad.json").write_text('{"format": "aptix-conf', encoding="utf-8")
    options = {"option": ["--aptix-baseline=bad.json"], "key": [], "empty": ["--aptix-baseline="]}
    if given == "key":
        change(project, "pyproject.toml", ("tools = ", 'baseline = "bad.json"\ntools = '))
    result = run(project, *options[given])
    assert result.ret == 4
    said = (
        "*--aptix-baseline is empty*"
        if given == "empty"
        else "*the baseline *bad.json is not JSON, perhaps truncated*"
    )
    result.stderr.fnmatch_lines([said])
    result.stdout.no_fnmatch_line("*agent_weather*")
