"""A distribution of a third party's, found by its entry points: its system, rules, probe and renderer are all used."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "extension"


class Project:
    """A project with toys in it, where `acme` is installed."""

    def __init__(self, place):
        self.place = place
        shutil.copytree(FOLDER / "tools", place / "tools")
        shutil.copy(FOLDER / "tools.toml", place / "pyproject.toml")

    def run(self, *arguments, **env):
        """Run a module of Python's; gives the exit status and what was printed."""
        path = os.pathsep.join(filter(None, [str(FOLDER), os.environ.get("PYTHONPATH")]))
        kept = {name: value for name, value in os.environ.items() if name != "CI"}
        done = subprocess.run(
            [sys.executable, "-m", *arguments],
            cwd=self.place, env={**kept, "PYTHONPATH": path, **env}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    def examine(self, *arguments, **env):
        thin = ("--aptix-examples=5", "-p", "no:cacheprovider")
        return self.run("pytest", "--aptix-conformance", *thin, *arguments, **env)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    made = Project(tmp_path_factory.mktemp("project"))
    made.status, made.said = made.examine("--aptix-report=report.json", "--snapshot-update")
    made.report = json.loads((made.place / "report.json").read_text())
    return made


def verdicts(project, name):
    (tool,) = [tool for tool in project.report["tools"] if tool["tool"] == name]
    return tool, {verdict["rule"]: verdict for verdict in tool["verdicts"]}


def test_toys_are_examined_by_the_rules_of_their_contract_and_reported(project):
    assert project.status == 1, project.said
    tool, found = verdicts(project, "toy_greet")
    assert (tool["system"], tool["edition"], tool["status"]) == ("toy", "toy-1", "conforming")
    assert {code: verdict["verdict"] for code, verdict in found.items()} == {
        "ACME-NET001": "pass",
        "ACME-TOY001": "pass",
        "ACME-TOY002": "pass",
        "RES007": "pass",
    }
    tool, found = verdicts(project, "toy_sulk")
    assert tool["status"] == "nonconforming"
    assert found["ACME-TOY002"]["verdict"] == "fail"
    assert (found["ACME-NET001"]["verdict"], found["ACME-NET001"]["level"]) == ("fail", "SHOULD")


def test_without_the_distribution_nobody_knows_a_toy(project):
    status, said = project.examine("--co", PYTHONPATH="")
    assert status == 0
    assert "toy_greet" not in said


LABELS = """
from aptix_conformance import Run, RunOptions
with Run.open(".", RunOptions(examples=5)) as run:
    (tool,) = run.find("toy:tools#greet").all_found()
    print(sorted({call.plan.label for call in run.examine(tool).exploration.calls if call.plan.probe == "capitals"}))
"""


def test_the_probe_makes_its_calls(project):
    (project.place / "labels.py").write_text(LABELS)
    assert project.run("labels") == (0, "['capitals:1', 'capitals:2', 'capitals:3']\n")


def test_a_finding_is_replayed(project):
    status, said = project.run("aptix_conformance", "replay", "report.json#toy_sulk/ACME-TOY002")
    assert status == 1
    assert "still broken: A call was refused without a word." in said


def test_a_lock_shows_a_change(project):
    assert project.examine("aptix::toy_greet::lock", CI="1")[0] == 0
    file = project.place / "tools" / "greet.json"
    before = file.read_text()
    file.write_text(before.replace("Greets Ada.", "Greets nobody."))
    status, said = project.examine("aptix::toy_greet::lock", CI="1")
    file.write_text(before)
    assert status == 1
    assert "+Greets nobody." in said


def test_commands_know_what_was_added(project):
    status, said = project.run("aptix_conformance", "rules", "--area", "ACME-NET")
    assert (status, said.splitlines()[-1]) == (0, "1 rule")
    status, said = project.run("aptix_conformance", "report", "table", "report.json")
    assert (status, said) == (0, "toy_greet\ttoy\tconforming\ntoy_sulk\ttoy\tnonconforming\n")
