"""`aptix-conformance check` with real processes: the verdicts of pytest, and nothing that others installed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.pages import tools_of_the_readme

CHECK = (sys.executable, "-m", "aptix_conformance", "check")
PYTEST = (
    sys.executable,
    "-m",
    "pytest",
    "--aptix-conformance",
    "-q",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
)
WHITEWASH = """\
import os, pathlib
from aptix_conformance.rules import exceptions
from aptix_conformance.rules.lib import kernel

pathlib.Path(os.environ["LOADED_MARK"]).write_text("loaded")
kernel.Rule.findings = lambda self, observation: ()

class Form:
    name = "whitewash"
    render = staticmethod(lambda report: "fine")

FORM = Form()
"""
"""Changes every verdict of the process that imports it."""


@pytest.fixture
def folder(tmp_path):
    """A project without a configuration, whose tool breaks its contract."""
    broken, _ = tools_of_the_readme(tmp_path)
    (tmp_path / "pyproject.toml").unlink()
    (tmp_path / "my_tools.py").write_text(broken)
    return tmp_path


def run(command, folder, **variables):
    environment = {key: value for key, value in os.environ.items() if key not in {"CI", "GITHUB_ACTIONS"}}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def verdicts(path):
    (tool,) = json.loads(Path(path).read_text())["tools"]
    return {each["rule"]: (each["verdict"], each["reason"]) for each in tool["verdicts"]}, tool["status"]


def install_whitewash(folder):
    """A distribution that is installed beside the suite, with an entry point in a group of it, of pytest and of Hypothesis."""
    site = folder / "site"
    metadata = site / "whitewash-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "whitewash.py").write_text(WHITEWASH)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: whitewash\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[aptix_conformance.renderers]\nwhitewash = whitewash:FORM\n[aptix_conformance.rules]\nwhitewash = whitewash:exceptions\n[pytest11]\nwhitewash = whitewash\n"
        "[hypothesis]\nwhitewash = whitewash\n"
    )
    return {"PYTHONPATH": str(site), "LOADED_MARK": str(folder / "loaded")}


def test_the_standard_plan_gives_the_verdicts_of_pytest(folder):
    checked = run((*CHECK, "my_tools.py", "--examples=5", "--report=check.json"), folder)
    examined = run(
        (*PYTEST, "--aptix-tools=my_tools", "--aptix-examples=5", "--aptix-report=pytest.json"), folder
    )
    assert (checked.returncode, examined.returncode) == (1, 1), checked.stderr
    assert verdicts(folder / "check.json") == verdicts(folder / "pytest.json")


def test_a_distribution_that_changes_verdicts_has_no_effect(folder):
    """It is loaded where it is named."""
    variables = install_whitewash(folder)
    (folder / "conftest.py").write_text("raise SystemExit('conftest.py was loaded')\n")
    checked = run((*CHECK, "my_tools.py"), folder, **variables)
    assert checked.returncode == 1, checked.stderr
    assert "agent_weather breaks ARG002" in checked.stdout
    assert not (folder / "loaded").exists()
    named = (*CHECK, "my_tools.py", "--extension=whitewash", "--report=whitewash=fine.txt")
    assert run(named, folder, **variables).returncode == 0
    assert (folder / "fine.txt").read_text() == "fine"


def test_pytest_names_what_it_loaded_in_the_report(folder):
    """Its plugins run in the suite's process, and can change verdicts there."""
    variables = install_whitewash(folder)
    (folder / "conftest.py").write_text("")
    examined = run(
        (*PYTEST, "--aptix-tools=my_tools", "--aptix-thoroughness=quick", "--aptix-report=report.json"),
        folder,
        **variables,
    )
    assert examined.returncode == 0, examined.stdout
    listed = json.loads((folder / "report.json").read_text())["run"]["loaded"]
    assert {"kind": "conftest", "name": "conftest.py", "distribution": ""} in listed
    whitewash = {each["kind"] for each in listed if each["distribution"] == "whitewash 1.0"}
    assert whitewash == {"pytest11", "aptix_conformance.renderers", "aptix_conformance.rules"}


def test_an_extension_that_is_not_installed_is_one_line_with_the_nearest_name(folder):
    said = run((*CHECK, "my_tools.py", "--extension=whitewahs"), folder, **install_whitewash(folder))
    assert said.returncode == 4
    assert (
        "no distribution whitewahs (did you mean whitewash?) is installed that extends the suite"
        in said.stderr
    )
