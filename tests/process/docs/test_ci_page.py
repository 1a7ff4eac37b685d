"""`docs/ci.md`: its commands are typed as they stand, and its workflow gives the action inputs that it has."""

import re
import shlex
from pathlib import Path

import yaml

from aptix_conformance.cli import main
from aptix_conformance.model.report import RunReport, SuiteReport
from aptix_conformance.reports import failed_target_report, make_report, write_report
from aptix_conformance.reports.renderers import all_renderers

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_each_command_makes_its_file(tmp_path, monkeypatch):
    tool = failed_target_report("birds:Owl", "aptix", "aptix-tul-011", "no such module")
    suite = SuiteReport(version="1.0", seed=7, examples=5, complete=True, isolated=True)
    write_report(tmp_path / "report.json", make_report([tool], suite, RunReport(), None))
    monkeypatch.chdir(tmp_path)
    (block,) = blocks("console")
    commands = [shlex.split(line.removeprefix("$ ")) for line in block.splitlines()]
    for command in commands:
        assert command[0] == "aptix-conformance"
        assert main(command[1:]) == 0
        assert (tmp_path / command[-1]).stat().st_size
    assert len(commands) == 5


def test_every_format_of_the_table_exists():
    rows = re.findall(r"^\| (`.*?`) \| ", PAGE, re.MULTILINE)
    assert len(rows) > 5
    assert set(re.findall(r"`(.*?)`", " ".join(rows))) <= set(all_renderers())


def test_the_workflow_gives_inputs_that_the_action_has():
    inputs = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    workflow, gitlab = (yaml.safe_load(block) for block in blocks("yaml"))
    (step,) = [
        step for step in workflow["jobs"]["conformance"]["steps"] if step.get("uses") == "./aptix-conformance"
    ]
    assert set(step["with"]) <= set(inputs)
    (script,) = gitlab["conformance"]["script"]
    assert f"gitlab={gitlab['conformance']['artifacts']['reports']['codequality']}" in script
