"""`docs/ci.md`: its commands are typed as they stand, and its workflow gives the action inputs that it has."""

import re
import shlex
from pathlib import Path

import yaml
from tests.pages import read_page

from aptix_conformance.app.cli import main
from aptix_conformance.app.commands.wiring import make_parser
from aptix_conformance.core.model.report import RunReport, SuiteReport
from aptix_conformance.present.reports import failed_target_report, make_report, write_report
from aptix_conformance.present.reports.renderers import all_renderers

ROOT = Path(__file__).parents[3]
PAGE = read_page("docs/ci.md")


def test_each_command_makes_its_file(tmp_path, monkeypatch):
    tool = failed_target_report("birds:Owl", "aptix", "aptix-tul-011", "no such module")
    suite = SuiteReport(version="1.0", seed=7, examples=5, complete=True, isolated=True)
    write_report(tmp_path / "report.json", make_report([tool], suite, RunReport(), None))
    monkeypatch.chdir(tmp_path)
    commands = PAGE.commands()
    for command in commands:
        assert command[0] == "aptix-conformance"
        assert main(command[1:]) == 0
        assert (tmp_path / command[-1]).stat().st_size
    assert len(commands) == 5


def test_every_format_of_the_table_exists():
    cells = [row[0] for row in PAGE.rows() if row[0].startswith("`")]
    assert len(cells) > 5
    assert set(re.findall(r"`(.*?)`", " ".join(cells))) <= set(all_renderers())


def test_the_workflow_gives_inputs_that_the_action_has():
    inputs = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    workflow, _ = (yaml.safe_load(block) for block in PAGE.blocks("yaml"))
    (step,) = [
        step for step in workflow["jobs"]["conformance"]["steps"] if step.get("uses") == "./aptix-conformance"
    ]
    assert set(step["with"]) <= set(inputs)


def test_the_hooks_of_pre_commit_are_those_of_the_page_and_call_commands_that_exist():
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    *_, block = PAGE.blocks("yaml")
    named = [hook["id"] for hook in yaml.safe_load(block)["repos"][0]["hooks"]]
    assert named == [hook["id"] for hook in hooks]
    for hook in hooks:
        program, *words = shlex.split(hook["entry"])
        assert program == "aptix-conformance"
        make_parser().parse_args(words)
