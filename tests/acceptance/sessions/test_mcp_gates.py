"""The gates of the suite on a tool of an MCP server: its lock, the comparison of schemas, and the baseline."""

import json
import shutil
from pathlib import Path

import pytest

from aptix_conformance.app.cli import main

SERVERS = Path(__file__).parents[3] / "fixtures" / "mcp"
LOCK = "aptix::convert_length::lock"


@pytest.fixture
def project(pytester, examined_once, monkeypatch):
    """A project with a server, whose one tool is read and not called."""
    monkeypatch.delenv("CI", raising=False)
    pytester.mkdir("mcp")
    shutil.copy(SERVERS / "serving.py", pytester.path / "mcp")
    shutil.copy(SERVERS / "conforming" / "lengths.py", pytester.path)
    pytester.makepyprojecttoml(
        """
        [tool.aptix-conformance]
        tools = ["mcp:python lengths.py#convert_length"]
        [tool.aptix-conformance.tool."mcp:python lengths.py"]
        side_effects = "destructive"
        """
    )
    return pytester


def run(project, *arguments):
    return project.runpytest_inprocess(
        "--aptix-conformance", "-p", "no:cacheprovider", "-p", "no:asyncio", *arguments
    )


def change(project, old, new):
    path = project.path / "lengths.py"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_schema_of_a_tool_is_locked_and_each_change_has_its_class(project, capsys):
    run(project, LOCK).assert_outcomes(skipped=1)
    assert run(project, LOCK, "--snapshot-update").ret == 0
    assert run(project, LOCK).ret == 0
    (lock,) = (project.path / "snapshots").iterdir()
    before = shutil.copy(lock, project.path / "before.json")
    change(
        project,
        '"required": ["value", "unit"],\n            "additional',
        '"required": ["value"],\n            "additional',
    )
    loosened = run(project, LOCK)
    assert loosened.ret == 1
    loosened.stdout.fnmatch_lines(["*compatible*unit*"])
    assert run(project, LOCK, "--snapshot-update").ret == 0
    capsys.readouterr()
    assert main(["schema", "diff", str(before), str(lock)]) == 0
    assert main(["schema", "diff", str(lock), str(before)]) == 1
    assert "breaking" in capsys.readouterr().out


def test_a_known_finding_of_a_tool_is_expected_and_a_new_one_fails(project):
    change(
        project,
        '"description": "The length.",',
        '"description": "The length.",\n                    "format": 5,',
    )
    assert run(project, "--aptix-report=report.json").ret == 1
    assert main(["baseline", "write", "report.json", "-o", "known.json", "--reason", "issue 5"]) == 0
    known = run(project, "--aptix-baseline=known.json", "--aptix-allow-incomplete", "-rx")
    assert known.ret == 0
    known.stdout.fnmatch_lines(["XFAIL *::MCP005-* - known to the baseline: issue 5"])
    (entry,) = json.loads((project.path / "known.json").read_text(encoding="utf-8"))["entries"]
    assert (entry["target"], entry["rule"]) == ("mcp:python lengths.py#convert_length", "MCP005")
    change(project, '"name": "convert_length",', '"name": "convert length",')
    assert run(project, "--aptix-tools=mcp:python lengths.py", "--aptix-baseline=known.json").ret == 1
