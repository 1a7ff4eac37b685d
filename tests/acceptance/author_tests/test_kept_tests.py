"""`replay --as-test` from the report to the file: the tool is found in the project, and its system writes the test."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.stimuli import stimulus

from aptix_conformance.app import cli
from aptix_conformance.core.model import Outcome
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import (
    CallReport,
    FindingReport,
    ResultReport,
    RunReport,
    SuiteReport,
    VerdictReport,
)
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.reports import failed_target_report, make_report, write_report

FIXTURES = Path(__file__).parents[3] / "fixtures"
WANTED = '{"value": 1, "unit": "m", "unexpected": 2}'


def write_report_of(path, target, system, rule, *, listed=False):
    """A report with one finding, of a call that succeeded, or of a listing."""
    plan = stimulus("invalid", "additional", WANTED, None)
    result = ResultReport("R", is_invoke_result=True, successful=True)
    call = CallReport(plan, plan.label, Outcome.RETURNED, result=result)
    finding = FindingReport("it broke the rule", None if listed else call, (), reproduced=True, replay="")
    verdict = VerdictReport(
        rule, "a-rule", Level.MUST, (), VerdictKind.FAIL, 1, "it broke the rule", finding, causes=1
    )
    tool = failed_target_report(target, system, "an-edition", "")
    tool = replace(tool, tool="the_tool", status="nonconforming", error=None, verdicts=(verdict,))
    suite = SuiteReport(version="1.0", seed=0, examples=1, complete=True, isolated=True)
    write_report(path, make_report([tool], suite, RunReport(), None))


def test_a_tool_of_an_mcp_server_gets_a_test_with_the_official_client(tmp_path, monkeypatch, capsys):
    shutil.copytree(FIXTURES / "mcp", tmp_path / "mcp")
    (tmp_path / "pyproject.toml").touch()
    target = "mcp:python ./mcp/nonconforming/MCP055_takes_whatever_comes.py#convert_length"
    write_report_of(tmp_path / "report.json", target, "mcp", "MCP055")
    monkeypatch.chdir(tmp_path)
    words = ["replay", "report.json#the_tool/MCP055", f"--aptix-tools={target}", "--as-test", "-o", "kept.py"]
    assert cli.main(words) == 0, capsys.readouterr().err
    written = (tmp_path / "kept.py").read_text(encoding="utf-8")
    assert ast.literal_eval(written.partition("ARGUMENTS = ")[2].partition("\n")[0])["unexpected"] == 2
    assert "from mcp import Client" in written


def test_what_only_the_suite_shows_is_replayed_and_kept_once_it_is_fixed(tmp_path, monkeypatch, capsys):
    """The test stands alone: it has the finding, and no report beside it."""
    fixed = (FIXTURES / "mcp" / "conforming" / "lengths.py").read_text(encoding="utf-8")
    shutil.copytree(FIXTURES / "mcp", tmp_path / "mcp")
    (tmp_path / "pyproject.toml").touch()
    target = "mcp:python ./mcp/nonconforming/MCP004_schema_without_a_type.py#convert_length"
    write_report_of(tmp_path / "report.json", target, "mcp", "MCP004", listed=True)
    monkeypatch.chdir(tmp_path)
    words = ["replay", "report.json#the_tool/MCP004", f"--aptix-tools={target}", "--as-test", "-o"]
    assert cli.main([*words, "kept.mjs"]) == 2
    assert "its test is in Python" in capsys.readouterr().err
    assert cli.main([*words, "test_kept.py"]) == 0, capsys.readouterr().err
    (tmp_path / "report.json").unlink()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_kept.py"]
    broken = subprocess.run(command, check=False, capture_output=True, text=True)
    assert broken.returncode == 1
    assert "MCP004" in broken.stdout
    assert "still broken" in broken.stdout
    source = tmp_path / "mcp" / "nonconforming" / "MCP004_schema_without_a_type.py"
    source.write_text(fixed, encoding="utf-8")
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(shutil.which("mcs") is None, reason="what C# tools run on is not installed")
def test_a_tool_in_csharp_gets_a_test_that_needs_the_suite(tmp_path, monkeypatch, capsys):
    shutil.copytree(FIXTURES / "csharp", tmp_path, dirs_exist_ok=True)
    target = "aptix-cs:./nonconforming/EXC001_asks_its_table_in_a_text.cs"
    write_report_of(tmp_path / "report.json", target, "aptix", "EXC001")
    monkeypatch.chdir(tmp_path)
    words = ["replay", "report.json#the_tool/EXC001", f"--aptix-tools={target}", "--as-test"]
    assert cli.main(words) == 0
    assert "It needs the suite" in capsys.readouterr().out.partition("\n")[0]
