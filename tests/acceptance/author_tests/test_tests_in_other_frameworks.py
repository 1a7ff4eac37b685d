"""Tests that `--as-test` writes for ART, Amplifier and MCP: each fails on a fixture that breaks its rule, and passes on its twin."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.stimuli import stimulus

from aptix_conformance.app.run import RunOptions
from aptix_conformance.app.run.replay import find_rule
from aptix_conformance.core.model import Outcome, SchemaReading
from aptix_conformance.core.model.report import CallReport, FindingReport, ResultReport
from aptix_conformance.systems.amplifier import author_test as amplifier
from aptix_conformance.systems.amplifier.facts import AmplifierMount
from aptix_conformance.systems.art import author_test as art
from aptix_conformance.systems.art.facts import ArtTool
from aptix_conformance.systems.author_tests import Subject
from aptix_conformance.systems.mcp import author_test as mcp
from aptix_conformance.systems.mcp.facts import McpTool
from aptix_conformance.targets import ToolSettings

FIXTURES = Path(__file__).parents[3] / "fixtures"
READING = SchemaReading("returned")
CONTEXT = {"callId": "call-1", "traceId": "trace-1", "threadId": "thread-1"}
SUCCESS = ResultReport("ToolResult", is_invoke_result=True, successful=True)

ART = {"EXC002_never_answers": ('{"symbol": "A"}', Outcome.TIMED_OUT)}
AMPLIFIER = {"ARG006_searches_for_nothing": ("{}", Outcome.RETURNED)}
MCP = {"MCP055_takes_whatever_comes": '{"value": 1, "unit": "m", "unexpected": 2}'}
"""Findings by the fixture, each with the arguments of its call."""


def finding(arguments, outcome, context=None):
    made = stimulus("valid", "generated", arguments, context)
    call = CallReport(plan=made, label=made.label, outcome=outcome, result=SUCCESS)
    return FindingReport("it broke the rule", call, (), reproduced=True, replay="")


def twin_of(source):
    return re.search(r"Conforming twin: (\w+)", source.read_text(encoding="utf-8")).group(1)


def subject(module, name, facts, directory, declared=""):
    declaration = SimpleNamespace(facts=facts, module=declared)
    return Subject(module, name, ToolSettings(timeout=2.0), directory, declaration, directory)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js on PATH")
def test_a_test_in_javascript_fails_until_the_breach_is_fixed(tmp_path):
    shutil.copytree(FIXTURES / "art", tmp_path, dirs_exist_ok=True)
    for name, (arguments, outcome) in ART.items():
        source = tmp_path / "nonconforming" / f"{name}.mjs"
        twin = tmp_path / "conforming" / f"{twin_of(source)}.mjs"
        for state, file in (("red", source), ("green", twin)):
            export = re.search(r"^export class (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE).group(
                1
            )
            tool = subject(f"./{file.relative_to(tmp_path)}", export, ArtTool("class", READING), tmp_path)
            rule = find_rule(name.partition("_")[0])
            text = art.write_test(tool, rule, finding(arguments, outcome, CONTEXT), RunOptions())
            (tmp_path / f"{name}.{state}.test.mjs").write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["node", "--test", "--test-reporter=tap", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert re.search(rf"^# pass {len(ART)}$", done.stdout, re.MULTILINE), done.stdout
    assert re.search(rf"^# fail {len(ART)}$", done.stdout, re.MULTILINE), done.stdout


def test_a_test_for_amplifier_fails_until_the_breach_is_fixed(tmp_path):
    shutil.copytree(FIXTURES / "amplifier", tmp_path, dirs_exist_ok=True)
    for name, (arguments, outcome) in AMPLIFIER.items():
        source = tmp_path / "nonconforming" / f"{name}.py"
        twin = tmp_path / "conforming" / f"{twin_of(source)}.py"
        for state, file in (("red", source), ("green", twin)):
            facts = AmplifierMount(
                where=f"./{file.relative_to(tmp_path)}", function="async", parameters=(), returned="nothing", detail="",
                key="search_notes", registrations=(), entry_points=(), events=(), events_fault=None, input_schema=READING,
                get_schema=READING,
            )  # fmt: skip
            tool = subject(facts.where, "search_notes", facts, tmp_path, file.stem)
            rule = find_rule(name.partition("_")[0])
            text = amplifier.write_test(tool, rule, finding(arguments, outcome), RunOptions())
            (tmp_path / f"test_{state}_{name}.py").write_text(text, encoding="utf-8")
    assert outcomes(tmp_path) == {
        ("FAILED", "red"): len(AMPLIFIER),
        ("PASSED", "green"): len(AMPLIFIER),
    }
    assert passes_ruff(tmp_path)


@pytest.mark.skipif(importlib.util.find_spec("mcp") is None, reason="the client mcp is not installed")
def test_a_test_for_mcp_fails_until_the_breach_is_fixed(tmp_path):
    shutil.copytree(FIXTURES / "mcp", tmp_path / "mcp")
    for name, arguments in MCP.items():
        source = tmp_path / "mcp" / "nonconforming" / f"{name}.py"
        twin = tmp_path / "mcp" / "conforming" / f"{twin_of(source)}.py"
        for state, file in (("red", source), ("green", twin)):
            place = f"python ./{file.relative_to(tmp_path)}"
            tool = subject(place, "convert_length", McpTool("2025-11-25", "{}", "{}"), tmp_path)
            found = finding(arguments, Outcome.RETURNED)
            text = mcp.write_test(tool, find_rule(name.partition("_")[0]), found, RunOptions())
            (tmp_path / f"test_{state}_{name}.py").write_text(text.replace("SECONDS = 2", "SECONDS = 60"))
    assert outcomes(tmp_path) == {("FAILED", "red"): len(MCP), ("PASSED", "green"): len(MCP)}
    assert passes_ruff(tmp_path)


def outcomes(folder):
    """How many tests failed and passed, by what they are about: `red` is a tool that breaks its rule, `green` its twin."""
    command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider", "--rootdir=."]
    alone = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [*command, "-rA", *(path.name for path in sorted(folder.glob("test_*.py")))],
        cwd=folder,
        env=alone,
        capture_output=True,
        text=True,
        check=False,
    )
    return Counter(re.findall(r"^(FAILED|PASSED) test_(red|green)_", done.stdout, re.MULTILINE))


def passes_ruff(folder):
    """Whether the files pass ruff's defaults, except for long lines."""
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--ignore=E501"]
    files = [path.name for path in folder.glob("test_*.py")]
    return subprocess.run([*ruff, *files], cwd=folder, capture_output=True, check=False).returncode == 0
