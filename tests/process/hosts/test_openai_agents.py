"""Tools of the OpenAI Agents SDK: found in a module, invoked as a run does, and what the SDK itself does for every tool."""

import json

import pytest
from tests.process.hosts.frameworks import called, hosts_of, is_thread_of_the_framework, opening

from aptix_conformance.rules.announced import HIDDEN_REASON
from aptix_conformance.targets import ToolSettings

pytest.importorskip("agents", reason="pip install 'aptix-conformance[openai-agents]'")

MODULE = '''
import asyncio
import time
from typing import Annotated, Any

from agents import Agent, FunctionTool, ModelBehaviorError, RunContextWrapper, function_tool
from pydantic import BaseModel, Field


@function_tool
async def echo(run: RunContextWrapper[Any], number: Annotated[int, Field(ge=1)], flag: bool = False) -> str:
    """Gives back what it is sent."""
    return f"{number} {flag} {run.context}"


def user():
    return "Ada"


@function_tool
async def fails() -> str:
    """Always fails."""
    raise ValueError("a secret")


@function_tool(failure_error_function=lambda context, error: f"No: {error}")
async def explains() -> str:
    """Always fails, and says why."""
    raise ValueError("closed")


@function_tool(failure_error_function=None)
async def raises(number: int) -> str:
    """Always fails, and hands the failure on."""
    raise ModelBehaviorError("another model") if number == 2 else ValueError("x")


@function_tool
def waits() -> str:
    """Waits in a thread."""
    time.sleep(4)
    return "done"


@function_tool(timeout=0.1)
async def late() -> str:
    """Waits without end, and the SDK stops it."""
    await asyncio.Event().wait()


@function_tool(timeout=0.1, timeout_error_function=lambda context, error: "Ask for less.")
async def too_late() -> str:
    """Waits without end, and says why."""
    await asyncio.Event().wait()


async def by_hand(context, arguments):
    if arguments == "{}":
        raise ModelBehaviorError("a model that the tool asked")
    return {"got": arguments}


class Weather(BaseModel):
    city: str


@function_tool(output_type=Weather)
async def typed(city: str) -> Weather:
    """Gives what its output_type wants, or text."""
    return Weather(city=city) if city else "no weather"


@function_tool(output_json_schema={"type": "object"})
async def untyped() -> str:
    """Gives no object."""
    return "no json"


AGENT = Agent(
    name="agent",
    tools=[echo, FunctionTool("by_hand", "Is made by hand.", {"type": "object", "properties": {}}, by_hand)],
)
'''


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    with hosts_of(tmp_path_factory.mktemp("agents"), "oa_tools", MODULE) as opened:
        yield opened


@pytest.fixture(scope="module")
def opened(hosts):
    return opening(hosts, "openai-agents", "oa_tools")


def test_objects_are_tools_also_those_of_an_agent(hosts):
    listing = hosts.list_tools("openai-agents", "oa_tools", ToolSettings())
    assert sorted(listing.tools) == [
        "by_hand",
        "echo",
        "explains",
        "fails",
        "late",
        "raises",
        "too_late",
        "typed",
        "untyped",
        "waits",
    ]


@pytest.mark.clause("OAI.1.3")
def test_the_model_is_offered_a_strict_schema_and_the_sdk_reads_by_a_lax_model(opened):
    """A required argument that has a default may be missing, and "4" is taken for 4: what the page says of the SDK."""
    host = opened("echo", services={"context": "oa_tools:user"})
    declaration = host.describe()
    schema = json.loads(declaration.schema.text)
    assert (schema["strict"], schema["parameters"]["required"]) == (True, ["number", "flag"])
    assert declaration.source.startswith("oa_tools.py:")
    assert called(host, '{"number": "4"}').result.payload == "4 False Ada"
    assert called(host, '{"number": true, "flag": "yes", "more": 1}').result.payload == "1 True Ada"
    for forbidden in ('{"number": 0}', '{"number": "x"}', "{}", "null"):
        assert called(host, forbidden).refused


@pytest.mark.clause("OAI.2.2")
def test_a_failure_is_a_refusal_unless_the_tool_hands_it_on(opened):
    assert called(opened("fails")).result.error_message == (
        "An error occurred while running the tool. Please try again."
    )
    assert called(opened("explains")).result.error_message == "No: closed"
    raises = opened("raises")
    assert called(raises, '{"number": 1}').raised.type_name == "ValueError"
    assert called(raises, '{"number": 2}').raised.type_name == "ModelBehaviorError"
    assert called(raises, '{"number": "x"}').refused


def test_only_the_fixed_text_of_the_sdk_hides_why_a_tool_failed(opened):
    """What the table of the framework's share has for ARG012."""
    hidden = {
        name: called(opened(name)).result.facts.is_libraries_refusal()
        for name in ("fails", "explains", "late")
    }
    assert hidden == {"fails": True, "explains": False, "late": False}
    facts = opened("fails").describe().facts
    assert facts.breaks_by_itself("ARG012", HIDDEN_REASON) == facts.library


def test_a_call_that_the_sdk_stops_at_the_timeout_of_the_tool_is_a_refusal(opened):
    assert called(opened("late")).result.error_message == "Tool 'late' timed out after 0.1 seconds."
    assert called(opened("too_late")).result.error_message == "Ask for less."


def test_a_tool_that_is_made_by_hand_is_called_too(opened):
    host = opened("by_hand")
    assert called(host, '{"a": 1}').result.payload == "{'got': '{\"a\": 1}'}"
    assert called(host).raised.type_name == "ModelBehaviorError"


@pytest.mark.clause("OAI.3.1")
def test_an_output_is_held_to_the_schema_that_the_tool_has_for_it(opened):
    host = opened("typed")
    assert called(host, '{"city": "Bern"}').result.payload == '{"city":"Bern"}'
    assert called(host, '{"city": ""}').refused  # the SDK's own text is held to no schema
    result = called(opened("untyped")).result
    assert (result.is_invoke_result, result.type_name) == (
        False,
        "str where output_json_schema wants a JSON object that fits",
    )


def test_only_a_function_of_the_authors_that_answers_failures_is_given_their_text(opened):
    """By default, the SDK answers with a fixed text and reads no exception; its trace has the text beside an own answer."""
    copying = {
        name: opened(name).describe().facts.copies_exceptions() for name in ("fails", "explains", "raises")
    }
    assert copying == {"fails": False, "explains": True, "raises": False}


def test_the_thread_of_a_plain_function_outlasts_its_cancellation(opened):
    """What the table of the framework's share has for CAN008."""
    assert is_thread_of_the_framework(opened("waits"))
