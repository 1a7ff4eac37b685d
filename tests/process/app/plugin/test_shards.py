"""`--aptix-shard`: the reports of all shards join to the report of the whole run."""

import json

import pytest
from tests.pages import read_page
from tests.real_project import QUICK

from aptix_conformance.app.cli import main

NEEDED, UNNEEDED = "SCH004", "SCH006"
KNOWN = {"edition": "aptix-tul-011", "rule": "SCH008", "cause": "", "reason": "old"}

KEEPS_JOURNAL = """
import pathlib, shutil

def pytest_runtest_logreport(report):
    if pathlib.Path("beside.json.journal").exists():
        shutil.copy("beside.json.journal", "kept.journal")
"""


@pytest.fixture
def tools(project):
    """Five tools in two modules, two of which break rules; a module that cannot be imported; a baseline; and two waivers of a module."""
    waivers = "".join(
        f'[[tool.aptix-conformance.tool.zoo_tools.waive]]\nrule = "{rule}"\nowner = "zoo"\nreason = "old"\nexpires = 2999-01-01\n'
        for rule in (NEEDED, UNNEEDED)
    )
    project.pytester.makepyprojecttoml(
        f'[tool.aptix-conformance]\ntools = ["weather_tools", "zoo_tools", "gone_a.same", "gone_b.same", "gone_c.same"]\nbaseline = "known.json"\n{waivers}'
    )
    for name in ("Ape", "Bear", "Cat"):
        broken = {NEEDED: {"message": "Another name."}} if name == "Bear" else {}
        project.add(f"zoo_tools:{name}", f"agent_{name.lower()}", broken=broken)
    project.add(
        "weather_tools:Rain",
        "agent_rain",
        broken={"SCH006": {"message": "No object."}, "SCH008": {"message": "Old."}},
    )
    entries = [{**KNOWN, "target": target} for target in ("weather_tools:Rain", "zoo_tools:Cat")]
    content = {"format": "aptix-conformance-baseline/1", "examples": 100, "entries": entries}
    (project.path / "known.json").write_text(json.dumps(content), encoding="utf-8")
    return project


def examine(project, name, *options):
    result = project.run(f"--aptix-report={name}", *options)
    return result.ret, project.path / name


def without_times(path):
    report = json.loads(path.read_text(encoding="utf-8"))
    report["run"] = {**report["run"], "started": "", "seconds": 0}
    for tool in report["tools"]:
        for timed in (tool, *tool["steps"]):
            timed["seconds"] = 0
    return json.dumps(report)


def test_the_commands_of_the_page_are_typed_as_they_stand(tools, monkeypatch):
    monkeypatch.chdir(tools.path)
    commands = read_page("docs/shards.md").commands()
    assert len(commands) == 6
    for program, *words in commands:
        status = tools.run(*words).ret if program == "pytest" else main(words)
        assert status == (0 if "html" in words or "costs" in words else 1), words
        assert (tools.path / words[-1]).stat().st_size


def merge(tools, *paths):
    path = tools.path / "merged.json"
    return main(["report", "merge", *map(str, paths), "-o", str(path)]), path


@pytest.mark.parametrize("shards", [2, 9])
def test_the_shards_of_a_run_join_to_the_report_of_the_run(tools, shards):
    status, whole = examine(tools, "whole.json")
    parts = [examine(tools, f"{n}.json", f"--aptix-shard={n}/{shards}") for n in range(1, shards + 1)]
    merged_status, merged = merge(tools, *(path for _, path in reversed(parts)))
    assert (status, merged_status) == (1, 1)
    assert without_times(merged) == without_times(whole)
    assert {status for status, _ in parts} <= {0, 1}, "a shard without a tool does not fail"


def test_the_controller_of_workers_knows_its_shard(tools):
    """Its journal does, too: it begins before a worker has collected."""
    _, alone = examine(tools, "alone.json", "--aptix-shard=1/2")
    tools.pytester.makepyfile(keeps_journal=KEEPS_JOURNAL)
    tools.pytester.runpytest_subprocess(
        *QUICK, "-n2", "-pkeeps_journal", "--aptix-shard=1/2", "--aptix-report=beside.json"
    )
    suites = [
        json.loads(path.read_text(encoding="utf-8"))["suite"] for path in (tools.path / "beside.json", alone)
    ]
    assert suites[0] == suites[1]
    head, *lines = (tools.path / "kept.journal").read_text(encoding="utf-8").splitlines()
    assert json.loads(head)["suite"]["shard"]["number"] == 1
    known = {
        tool["target"]
        for text in (head, *lines)
        for tool in json.loads(text).get("tools", [json.loads(text)])
    }
    assert known == {tool["target"] for tool in json.loads(alone.read_text(encoding="utf-8"))["tools"]}


@pytest.fixture
def halves(tools):
    return [examine(tools, f"{n}.json", f"--aptix-shard={n}/2")[1] for n in (1, 2)]


def test_what_does_not_make_a_whole_run_is_refused_by_name(tools, halves, capsys):
    one, two = halves
    _, whole = examine(tools, "whole.json")
    _, seeded = examine(tools, "seeded.json", "--aptix-shard=2/2", "--aptix-seed=7")
    _, narrowed = examine(tools, "narrowed.json", "--aptix-shard=2/2", "-k", "no_such_rule")
    foreign = tools.path / "foreign.json"
    foreign.write_text(
        two.read_text(encoding="utf-8").replace('"number": 2,', '"number": 3,'), encoding="utf-8"
    )
    tools.add("zoo_tools:Dog", "agent_dog")
    _, grown = examine(tools, "grown.json", "--aptix-shard=2/2")
    capsys.readouterr()
    for paths, words in {
        (one,): "the report of 2/2 is missing",
        (one, one, two): "shard 1/2 is there twice",
        (one, whole): "whole.json is the report of a whole run",
        (one, seeded): "differ in suite.seed.",
        (one, narrowed): "narrowed.json has 0 of the",
        (one, two, foreign): "foreign.json has",
        (one, grown): "differ in tools, configuration or costs.",
    }.items():
        assert merge(tools, *paths)[0] == 2
        assert words in capsys.readouterr().err
    assert not (tools.path / "merged.json").exists()
    assert main(["report", "diff", str(whole), str(one)]) == 2
    assert "different parts of a run" in capsys.readouterr().err


def test_a_waiver_that_a_tool_left_out_may_need_is_not_called_unneeded(tools, halves):
    """The other half was ended before it came to the tool that needs it."""
    bear = next(path for path in halves if "zoo_tools:Bear" in path.read_text(encoding="utf-8"))
    number = bear.stem
    _, stopped = examine(tools, "stopped.json", f"--aptix-shard={number}/2", "-x")
    status, merged = merge(tools, stopped, *(path for path in halves if path != bear))
    report = json.loads(merged.read_text(encoding="utf-8"))
    assert (status, report["suite"]["complete"], report["unneeded_waivers"]) == (1, False, [])


def test_costs_part_the_tools_by_their_time(tools):
    """The longest is alone; those that the file does not know go by their names."""
    costs = {"zoo_tools:Ape": 9, "zoo_tools:Bear": 3, "zoo_tools:Cat": 4, "weather_tools:Rain": 1}
    content = {"format": "aptix-conformance-costs/1", "seconds": costs}
    (tools.path / "costs.json").write_text(json.dumps(content), encoding="utf-8")
    _, first = examine(tools, "1.json", "--aptix-shard=1/2", "--aptix-shard-costs=costs.json")
    targets = {tool["target"] for tool in json.loads(first.read_text(encoding="utf-8"))["tools"]}
    assert targets & costs.keys() == {"zoo_tools:Ape"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--aptix-shard=0/2"], "'0/2' is not a shard: write 2/8"),
        (["--aptix-shard=3/2"], "'3/2' is not a shard"),
        (["--aptix-shard=a"], "'a' is not a shard"),
        (["--aptix-shard-costs=costs.json"], "--aptix-shard-costs balances shards: add --aptix-shard 1/2"),
        (["--aptix-shard=1/2", "--aptix-shard-costs=none.json"], "none.json cannot be read: No such file"),
        (["--aptix-shard=1/2", "--aptix-shard-costs=cut.json"], "cut.json are not JSON, perhaps truncated"),
        (
            ["--aptix-shard=1/2", "--aptix-shard-costs=bad.json"],
            "bad.json are not JSON, perhaps truncated: 1e999 is too large",
        ),
    ],
)
def test_a_shard_or_costs_that_make_no_sense_stop_the_run(project, options, words):
    (project.path / "cut.json").write_text('{"format": "aptix', encoding="utf-8")
    (project.path / "bad.json").write_text(
        '{"format": "aptix-conformance-costs/1", "seconds": {"a": 1e999}}', encoding="utf-8"
    )
    result = project.run(*options)
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"*{words}*"])


def test_a_report_gives_the_costs_of_its_targets(tools, capsys):
    _, whole = examine(tools, "whole.json")
    capsys.readouterr()
    assert main(["report", "costs", str(whole)]) == 0
    costs = json.loads(capsys.readouterr().out)
    assert costs["format"] == "aptix-conformance-costs/1"
    assert sorted(costs["seconds"]) == sorted(tools.tools)
