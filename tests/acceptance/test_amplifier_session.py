"""The reference module in a real session of Amplifier's: its loader, its coordinator, its hooks, and a loop as published ones are."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "reference_tools" / "amplifier-module-tool-glossary"
NONCONFORMING = ROOT / "fixtures" / "amplifier" / "nonconforming"
CONFORMING = ROOT / "fixtures" / "amplifier" / "conforming"

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("amplifier_core") is None,
    reason="amplifier-core is not installed: pip install 'aptix-conformance[amplifier]'",
)

LOOP = '''
import json
from amplifier_core import ToolCall, ToolSpec


class Loop:
    """Makes the calls that the prompt names, as a model would ask for them."""

    async def execute(self, prompt, context, providers, tools, hooks, **more):
        specs = [ToolSpec(name=t.name, description=t.description, parameters=t.input_schema) for t in tools.values()]
        told = []
        for call in map(ToolCall.model_validate, json.loads(prompt)):
            said = {"tool_call_id": call.id, "tool_name": call.name, "tool_input": call.arguments}
            await hooks.emit("tool:pre", said)
            tool = tools.get(call.name)
            try:
                if tool is None:
                    raise LookupError(f"there is no tool {call.name}")
                result = await tool.execute(call.arguments)
                content = result.get_serialized_output()
                await hooks.emit("tool:post", {**said, "result": result.safe_hook_presentation()})
            except Exception as error:
                content = str(error)
                await hooks.emit("tool:error", {**said, "error": content})
            told.append([call.id, content])
        return json.dumps({"offered": [spec.name for spec in specs], "told": told})


async def mount(coordinator, config):
    await coordinator.mount("orchestrator", Loop())
'''

CONTEXT = """
from amplifier_core.testing import MockContextManager


async def mount(coordinator, config):
    await coordinator.mount("context", MockContextManager())
"""

SESSION = """
import asyncio
import json
import os
import sys

from amplifier_core import AmplifierSession, HookResult


async def main():
    plan = {"session": {"orchestrator": "loop-tiny", "context": "context-tiny"}, "tools": [{"module": sys.argv[1]}]}
    session = AmplifierSession(plan)
    await session.initialize()
    events = []

    async def note(event, data):
        events.append([event, data["tool_call_id"], data["tool_name"], data["tool_input"]])
        return HookResult(action="continue")

    for event in ("tool:pre", "tool:post", "tool:error"):
        session.coordinator.hooks.register(event, note, name=event)
    try:
        said = json.loads(await session.execute(sys.argv[2]))
    except Exception as error:
        said = {"broke": f"{type(error).__name__}: {error}"}
    await session.cleanup()
    print(json.dumps({"events": events, **said}), flush=True)
    os._exit(0)  # the threads of amplifier-core's engine may crash an interpreter that is being taken down


asyncio.run(main())
"""


@pytest.fixture
def session(tmp_path):
    """Runs a session with one tool module and some calls; gives what the model reads, and the events."""
    (tmp_path / "amplifier_module_loop_tiny.py").write_text(LOOP)
    (tmp_path / "amplifier_module_context_tiny.py").write_text(CONTEXT)
    (tmp_path / "session.py").write_text(SESSION)

    def run(module, *calls, path=()):
        done = subprocess.run(
            [sys.executable, "session.py", module, json.dumps(calls)],
            cwd=tmp_path,
            env={"PYTHONPATH": ":".join(map(str, path)), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    def fixture(name, *calls):
        module = tmp_path / "amplifier_module_tool_fixture.py"
        module.write_text((NONCONFORMING / f"{name}.py").read_text())
        return run("tool-fixture", *calls, path=[CONFORMING])

    run.fixture = fixture
    return run


def call(number, name, **arguments):
    return {"id": f"call-{number}", "name": name, "arguments": arguments}


@pytest.mark.clause("AMP.1.3")
def test_each_answer_belongs_to_the_call_of_its_id(session):
    calls = [
        call(1, "glossary_lookup", term="verdict"),
        call(2, "glossary_list", limit=1),
        call(3, "glossary_lookup"),
    ]
    said = session("tool-glossary", *calls, path=[REFERENCE])
    assert said["offered"] == ["glossary_lookup", "glossary_list"]
    (one, verdict), (two, terms), (three, refusal) = said["told"]
    assert (one, two, three) == ("call-1", "call-2", "call-3")
    assert json.loads(verdict) == {"found": True, "explanation": "How a rule ended for a tool."}
    assert json.loads(terms)["terms"] == ["clause"]
    assert refusal == "term is required and has to be a text."


@pytest.mark.clause("AMP.5.2")
def test_events_surround_each_call_and_name_it(session):
    """Before and after; a tool that raises ends in tool:error."""
    good = session("tool-glossary", call(1, "glossary_lookup", term="rule"), path=[REFERENCE])
    assert good["events"] == [
        [f"tool:{when}", "call-1", "glossary_lookup", {"term": "rule"}] for when in ("pre", "post")
    ]
    bad = session.fixture("EXC001_trips_over_the_oldest", call(1, "search_notes", query="a", order="oldest"))
    assert [event[0] for event in bad["events"]] == ["tool:pre", "tool:error"]


def test_arguments_that_are_no_object_reach_no_tool(session):
    said = session(
        "tool-glossary", {"id": "call-1", "name": "glossary_lookup", "arguments": "[]"}, path=[REFERENCE]
    )
    assert "valid dictionary" in said["broke"]
    assert said["events"] == []


def test_a_tool_without_input_schema_takes_all_down(session):
    """The fact behind AMP012."""
    said = session.fixture("AMP012_has_get_schema_only", call(1, "search_notes", query="bread"))
    assert "input_schema" in said["broke"]


def test_a_tool_under_another_key_is_offered_and_not_found(session):
    """The fact behind AMP011."""
    said = session.fixture("AMP011_registered_under_the_modules_id", call(1, "search_notes", query="bread"))
    assert said["offered"] == ["search_notes"]
    assert said["told"] == [["call-1", "there is no tool search_notes"]]


def test_a_second_tool_of_the_same_name_takes_the_place_of_the_first(session):
    """The fact behind AMP010."""
    said = session.fixture("AMP010_second_tool_takes_the_name")
    assert said["offered"] == ["search_notes"]


def test_output_that_cannot_be_written_down_is_lost(session):
    """The fact behind AMP017."""
    said = session.fixture("AMP017_output_is_a_set", call(1, "search_notes", query="bread"))
    assert said["told"] == [["call-1", "Object of type set is not JSON serializable"]]


def test_what_a_call_takes_out_of_its_input_is_missing_from_the_events(session):
    """The fact behind AMP018."""
    said = session.fixture("AMP018_takes_the_query_out_of_its_input", call(1, "search_notes", query="bread"))
    assert [event[3] for event in said["events"]] == [{"query": "bread"}, {}]
