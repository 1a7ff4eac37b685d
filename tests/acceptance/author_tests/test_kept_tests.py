"""`replay --as-test` from the report to the file: the tool is found in the project, and its system writes the test."""

import ast
import shutil
from pathlib import Path

import pytest
from tests.stimuli import stimulus

from aptix_conformance import cli
from aptix_conformance.model import Outcome
from aptix_conformance.model.codec import replace
from aptix_conformance.model.report import (
    CallReport,
    FindingReport,
    ResultReport,
    RunReport,
    SuiteReport,
    VerdictReport,
)
from aptix_conformance.model.verdict import Level, VerdictKind
from aptix_conformance.reports import failed_target_report, make_report, write_report

FIXTURES = Path(__file__).parents[3] / "fixtures"
WANTED = '{"value": 1, "unit": "m", "unexpected": 2}'


def write_report_of(path, target, system, rule):
    """A report with one finding, of a call that succeeded."""
    plan = stimulus("invalid", "additional", WANTED, None)
    result = ResultReport("R", is_invoke_result=True, successful=True)
    call = CallReport(plan, plan.label, Outcome.RETURNED, result=result)
    finding = FindingReport("it broke the rule", call, (), reproduced=True, replay="")
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


@pytest.mark.skipif(shutil.which("mcs") is None, reason="what C# tools run on is not installed")
def test_a_tool_in_csharp_gets_a_line_that_says_why_there_is_none(tmp_path, monkeypatch, capsys):
    shutil.copytree(FIXTURES / "csharp", tmp_path, dirs_exist_ok=True)
    target = "aptix-cs:./nonconforming/EXC001_asks_its_table_in_a_text.cs"
    write_report_of(tmp_path / "report.json", target, "aptix", "EXC001")
    monkeypatch.chdir(tmp_path)
    words = ["replay", "report.json#the_tool/EXC001", f"--aptix-tools={target}", "--as-test"]
    assert cli.main(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "does not know the test framework of a project in C#" in line
    assert line.endswith("replay reproduces the finding without --as-test")
