"""`action.yml`: its steps run as scripts, with the inputs, the files and the variables that a runner gives them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

FILE = Path(__file__).parents[2] / "action.yml"
ACTION = yaml.safe_load(FILE.read_text(encoding="utf-8"))
EXPRESSION = re.compile(r"\$\{\{ *(.*?) *\}\}")


@pytest.fixture
def project(tmp_path, tool_source, monkeypatch):
    """A project below the root of a checkout. Its tool breaks a MUST, which reading it shows."""
    folder = tmp_path / "packages" / "my tools"
    folder.mkdir(parents=True)
    source = tool_source("weather").replace('"type": "object"', '"type": "array"')
    (folder / "weather_tools.py").write_text(source, encoding="utf-8")
    table = '[tool.aptix-conformance.tool."weather_tools:WeatherTool"]\nside_effects = "destructive"\n'
    (folder / "pyproject.toml").write_text(f"[tool.aptix-conformance]\n{table}", encoding="utf-8")
    return tmp_path


def run_steps(checkout, **given):
    """Run the scripts of the action; gives the exit status, what was printed, the outputs and the job's summary."""
    inputs = {
        name: given.get(name.replace("-", "_"), stated["default"])
        for name, stated in ACTION["inputs"].items()
    }
    known = {f"inputs.{name}": value for name, value in inputs.items()}
    output, summary = checkout / "output", checkout / "summary.md"
    status, printed = 0, ""
    for step in ACTION["runs"]["steps"]:
        if "run" not in step:
            continue
        resolved = {name: filled(text, known) for name, text in step["env"].items()}
        env = {**os.environ, **resolved, "GITHUB_ACTIONS": "true", "CI": "true"}
        env |= {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=checkout / filled(step["working-directory"], known), env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip
        status, printed = done.returncode, done.stdout + done.stderr
    outputs = dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
    return status, printed, outputs, summary.read_text(encoding="utf-8")


def filled(text, known):
    return EXPRESSION.sub(lambda found: known[found[1]], text)


def test_its_steps_examine_the_tools_and_write_what_is_uploaded(project):
    """The inputs reach pytest as they are, blanks and shell's marks included."""
    status, printed, outputs, summary = run_steps(
        project,
        targets="weather_tools:WeatherTool\nnot here:$(touch hacked)\n",
        edition="aptix-agn-005-1.1",
        arguments="-p\nno:cacheprovider\n--aptix-examples=1",
        python=sys.executable,
        working_directory="packages/my tools",
    )
    assert status == 1, printed
    report = json.loads((project / outputs["report"]).read_text(encoding="utf-8"))
    (tool,) = [tool for tool in report["tools"] if tool["target"] == "weather_tools:WeatherTool"]
    assert (tool["status"], tool["edition"]) == ("nonconforming", "aptix-agn-005-1.1")
    assert json.loads((project / outputs["sarif"]).read_text(encoding="utf-8"))["runs"][0]["results"]
    assert "::error file=" in printed
    assert "| nonconforming |" in summary
    assert not list(project.rglob("hacked"))


def test_a_baseline_tells_new_findings_from_known_and_fixed_ones(project):
    """Its path has a blank; the job fails, since the baseline has an entry whose finding is gone."""
    about = {
        "target": "weather_tools:WeatherTool",
        "edition": "aptix-tul-011",
        "cause": "",
        "reason": "issue 12",
    }
    entries = [{**about, "rule": "SCH006"}, {**about, "rule": "SCH001"}]
    baseline = {"format": "aptix-conformance-baseline/1", "examples": 1, "entries": entries}
    (project / "packages" / "my tools" / "known findings.json").write_text(
        json.dumps(baseline), encoding="utf-8"
    )
    status, printed, _, summary = run_steps(
        project,
        targets="weather_tools",
        baseline="known findings.json",
        arguments="-p\nno:cacheprovider\n--aptix-examples=1\n-k=SCH001 or SCH006",
        python=sys.executable,
        working_directory="packages/my tools",
    )
    assert status == 1
    assert "Baseline: 1 known, 0 new, 1 stale" in summary
    assert "(known to the baseline: issue 12)" in summary.partition("### Known findings")[2]
    assert "SCH001" in summary.partition("### Fixed")[2].partition("###")[0]
    assert "### Not examined" in summary
    assert "::error" not in printed
    assert "not annotated: 1 known to the baseline" in printed


def test_no_script_holds_an_expression():
    """What an input says would be read as a part of the script."""
    scripts = [step["run"] for step in ACTION["runs"]["steps"] if "run" in step]
    assert scripts
    assert not [script for script in scripts if EXPRESSION.search(script)]


def test_reports_are_uploaded_also_where_the_job_fails():
    """Each of the two by an input; what is uploaded is what the script writes."""
    uploads = {step["uses"].partition("@")[0]: step for step in ACTION["runs"]["steps"] if "uses" in step}
    assert set(uploads) == {"actions/upload-artifact", "github/codeql-action/upload-sarif"}
    assert all(step["if"].startswith("always() && inputs.upload-") for step in uploads.values())
    assert (
        uploads["github/codeql-action/upload-sarif"]["with"]["sarif_file"]
        == "${{ steps.examine.outputs.sarif }}"
    )


def test_every_input_is_used_and_described():
    text = FILE.read_text(encoding="utf-8").partition("\nruns:")[2]
    for name, stated in ACTION["inputs"].items():
        assert stated["description"].endswith("."), name
        assert f"inputs.{name}" in text, name
