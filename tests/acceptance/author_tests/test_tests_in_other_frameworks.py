"""Tests that `--as-test` writes for other systems than Aptix: each fails on a fixture that breaks its rule, and passes on its twin."""

import importlib.metadata
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
from aptix_conformance.systems.ai_sdk import author_test as ai_sdk
from aptix_conformance.systems.ai_sdk.facts import AISDKTool
from aptix_conformance.systems.amplifier import author_test as amplifier
from aptix_conformance.systems.amplifier.facts import AmplifierMount
from aptix_conformance.systems.art import author_test as art
from aptix_conformance.systems.art.facts import ArtTool
from aptix_conformance.systems.author_tests import Subject
from aptix_conformance.systems.frameworks import FrameworkTool
from aptix_conformance.systems.langchain import author_test as langchain
from aptix_conformance.systems.mcp import author_test as mcp
from aptix_conformance.systems.mcp.facts import McpTool
from aptix_conformance.systems.openai_agents import author_test as openai_agents
from aptix_conformance.systems.pydantic_ai import author_test as pydantic_ai
from aptix_conformance.targets import ToolSettings

FIXTURES = Path(__file__).parents[3] / "fixtures"
AI_SDK_PACKAGES = FIXTURES / "ai-sdk" / "node_modules"
READING = SchemaReading("returned")
CONTEXT = {"callId": "call-1", "traceId": "trace-1", "threadId": "thread-1"}
SUCCESS = ResultReport("ToolResult", is_invoke_result=True, successful=True)
NONE = ResultReport("str", is_invoke_result=False)

ART = {"EXC002_never_answers": ('{"symbol": "A"}', Outcome.TIMED_OUT)}
AI_SDK = {
    "EXC002_waits_for_a_note_that_holds_the_word": ('{"query": "zz"}', Outcome.TIMED_OUT),
    "RES001_counts_in_big_integers": ('{"shelf": "bakery"}', Outcome.RETURNED),
}
AMPLIFIER = {"ARG006_searches_for_nothing": ("{}", Outcome.RETURNED)}
MCP = {"MCP055_takes_whatever_comes": '{"value": 1, "unit": "m", "unexpected": 2}'}
FRAMEWORKS = [
    (langchain, "langchain-core", "langchain", "search_notes", "search_notes", {
        "ARG010_bounds_are_only_in_the_schema": ('{"query": "bread", "limit": 0}', Outcome.RETURNED),
        "EXC001_takes_the_first_of_none": ('{"query": "zz"}', Outcome.RAISED),
        "EXC002_exits_where_no_note_holds_the_word": ('{"query": "zz"}', Outcome.CRASHED),
        "RES001_content_without_an_artifact": ('{"query": "bread"}', Outcome.RETURNED),
    }),
    (openai_agents, "openai-agents", "openai-agents", "search_notes", "search_notes", {
        "EXC001_hands_no_failure_to_the_model": (
            '{"query": "zz", "limit": 5, "order": "newest"}', Outcome.RAISED
        ),
    }),
    (pydantic_ai, "pydantic-ai-slim", "pydantic-ai", "best_note", "TOOLS", {
        "EXC001_lets_a_failure_end_the_run": ('{"query": "zz"}', Outcome.RAISED),
        "EXC002_waits_for_a_note_that_holds_the_word": ('{"query": "zz"}', Outcome.TIMED_OUT),
    }),
]  # fmt: skip
"""Findings by the fixture, each with the arguments of its call."""


def finding(arguments, outcome, context=None, result=SUCCESS):
    made = stimulus("valid", "generated", arguments, context)
    call = CallReport(plan=made, label=made.label, outcome=outcome, result=result)
    return FindingReport("it broke the rule", call, (), reproduced=True, replay="")


def twin_of(source):
    return re.search(r"Conforming twin: (\w+)", source.read_text(encoding="utf-8")).group(1)


def subject(module, name, facts, directory, declared=""):
    declaration = SimpleNamespace(facts=facts, module=declared, tool_name=SimpleNamespace(value=name))
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
    assert outcomes_in_node(tmp_path) == {"red": (0, len(ART)), "green": (len(ART), 0)}


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js on PATH")
@pytest.mark.skipif(not AI_SDK_PACKAGES.is_dir(), reason="fixtures/ai-sdk: npm install")
def test_a_test_for_the_ai_sdk_fails_until_the_breach_is_fixed(tmp_path):
    """The tool is an export, or a key of a toolset that is one."""
    shutil.copytree(FIXTURES / "ai-sdk", tmp_path, dirs_exist_ok=True, ignore=lambda *_: {"node_modules"})
    (tmp_path / "node_modules").symlink_to(AI_SDK_PACKAGES)
    for name, (arguments, outcome) in AI_SDK.items():
        source = tmp_path / "nonconforming" / f"{name}.mjs"
        twin = tmp_path / "conforming" / f"{twin_of(source)}.mjs"
        for state, file in (("red", source), ("green", twin)):
            (export,) = re.findall(r"^export const (\w+) = (?:tool\(|\{$)", file.read_text(), re.MULTILINE)
            keys = ("search_notes",) if export == "tools" else ()
            facts = AISDKTool("ai 7", is_async=True, variable=export, validates=True, keys=keys)
            tool = subject(f"./{file.relative_to(tmp_path)}", export, facts, tmp_path)
            code = name.partition("_")[0]
            found = finding(arguments, outcome, result=NONE if code == "RES001" else SUCCESS)
            text = ai_sdk.write_test(tool, find_rule(code), found, RunOptions())
            (tmp_path / f"{name}.{state}.test.mjs").write_text(text, encoding="utf-8")
    assert outcomes_in_node(tmp_path) == {"red": (0, len(AI_SDK)), "green": (len(AI_SDK), 0)}


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


@pytest.mark.parametrize(
    ("module", "library", "folder", "variable", "of_twin", "findings"),
    FRAMEWORKS,
    ids=[each[2] for each in FRAMEWORKS],
)
def test_a_test_for_a_framework_fails_until_the_breach_is_fixed(
    tmp_path, module, library, folder, variable, of_twin, findings
):
    """The tool is a variable of the module, or a toolset that is one holds it."""
    try:
        version = importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{library} is not installed")
    for name, (arguments, outcome) in findings.items():
        source = FIXTURES / folder / "nonconforming" / f"{name}.py"
        shutil.copy(source, tmp_path)
        twin = twin_of(source)
        shutil.copy(FIXTURES / folder / "conforming" / f"{twin}.py", tmp_path)
        for state, place, at in (("red", name, variable), ("green", twin, of_twin)):
            holder = "FunctionToolset" if at == "TOOLS" else ""
            facts = FrameworkTool(f"{library} {version}", is_async=True, variable=at, holder=holder)
            tool = subject(place, "search_notes", facts, tmp_path)
            code = name.partition("_")[0]
            found = finding(arguments, outcome, result=NONE if code == "RES001" else SUCCESS)
            text = module.CALLING.write_test(tool, find_rule(code), found, RunOptions())
            (tmp_path / f"test_{state}_{name}.py").write_text(text, encoding="utf-8")
    assert outcomes(tmp_path) == {("FAILED", "red"): len(findings), ("PASSED", "green"): len(findings)}
    assert passes_ruff(tmp_path)


COMMANDS = """
from dataclasses import dataclass

from langchain_core.messages import ToolMessage
from langchain_core.messages.tool import ToolOutputMixin
from langchain_core.tools import tool


@dataclass
class Command(ToolOutputMixin):
    update: object
    graph: str | None = None


def plain():
    pass


@tool
def search_notes(query: str) -> Command:
    \"\"\"Answers in a graph's state.\"\"\"
    return Command({"chat": [ToolMessage("No.", tool_call_id="call_1", status="STATUS")]})


TOOLS = [plain, search_notes]
"""
"""A tool of a list with a plain function, which answers with a Command; its status is to be filled in."""
WAITS = """
import asyncio

from pydantic_ai import Agent, FunctionToolset


async def search_notes(query: str) -> str:
    await asyncio.sleep(60)


AGENT = Agent(toolsets=[FunctionToolset([search_notes], timeout=LIMIT).prefixed("notes")])
"""
"""A tool without a limit, of a toolset with one, in an agent under a prefix."""


@pytest.mark.parametrize(
    ("module", "library", "place", "code", "outcome", "source", "states"),
    [
        (
            langchain,
            "langchain-core",
            ("TOOLS", "list"),
            "ARG006",
            Outcome.RETURNED,
            COMMANDS,
            {"red": ("STATUS", "success"), "green": ("STATUS", "error")},
        ),
        (
            pydantic_ai,
            "pydantic-ai-slim",
            ("AGENT", "Agent"),
            "EXC002",
            Outcome.TIMED_OUT,
            WAITS,
            {"red": ("LIMIT", "None"), "green": ("LIMIT", "0.2")},
        ),
    ],
    ids=["langchain", "pydantic-ai"],
)
def test_a_test_finds_the_tool_and_its_answer_where_the_suite_does(
    tmp_path, module, library, place, code, outcome, source, states
):
    if importlib.util.find_spec(library.replace("-", "_").removesuffix("_slim")) is None:
        pytest.skip(f"{library} is not installed")
    variable, holder = place
    facts = FrameworkTool(f"{library} 1", is_async=True, variable=variable, holder=holder)
    for state, (word, value) in states.items():
        (tmp_path / f"{state}.py").write_text(source.replace(word, value), encoding="utf-8")
        tool = subject(state, "search_notes", facts, tmp_path)
        found = finding('{"query": "zz"}', outcome)
        text = module.CALLING.write_test(tool, find_rule(code), found, RunOptions())
        (tmp_path / f"test_{state}_{code}.py").write_text(text, encoding="utf-8")
    assert outcomes(tmp_path) == {("FAILED", "red"): 1, ("PASSED", "green"): 1}
    assert passes_ruff(tmp_path)


def outcomes_in_node(folder):
    """By state, how many tests passed and failed."""
    found = {}
    for state in ("red", "green"):
        files = [path.name for path in folder.glob(f"*.{state}.test.mjs")]
        command = ["node", "--test", "--test-reporter=tap", *files]
        said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
        found[state] = tuple(
            int(re.search(rf"^# {word} (\d+)$", said, re.MULTILINE)[1]) for word in ("pass", "fail")
        )
    return found


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
