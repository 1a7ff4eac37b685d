"""Tools of Pydantic AI: found in a module, called as a run does, and what Pydantic AI itself does for every tool."""

import json

import pytest
from tests.process.hosts.frameworks import called, hosts_of, is_thread_of_the_framework, opening

from aptix_conformance.targets import ToolSettings

pytest.importorskip("pydantic_ai", reason="pip install 'aptix-conformance[pydantic-ai]'")

MODULE = '''
import asyncio
import time
from typing import Annotated

from pydantic import Field
from pydantic_ai import (
    Agent,
    ApprovalRequired,
    CallDeferred,
    FunctionToolset,
    ModelRetry,
    RunContext,
    Tool,
    ToolFailed,
    ToolReturn,
)

AGENT = Agent(deps_type=str)
TOOLS = FunctionToolset()


@AGENT.tool
async def echo(run: RunContext[str], number: Annotated[int, Field(ge=1)], flag: bool = False) -> dict:
    """Gives back what it is sent."""
    return {"number": number, "flag": flag, "deps": run.deps}


def user():
    return "Ada"


@TOOLS.tool_plain
def fails(how: str) -> object:
    """Fails, in one of some ways."""
    if how == "retry":
        raise ModelRetry("another one, please")
    if how == "done":
        raise ToolFailed("it is gone")
    if how == "odd":
        return object()
    if how == "many":
        return [ToolReturn("for the model")]
    if how == "later":
        raise CallDeferred
    if how == "apart":
        return ToolReturn("for the model", content=["for the user"])
    raise KeyError(how)


never_again = Tool(fails, name="never_again", max_retries=0)


async def pay(run: RunContext[str], twice: bool = False) -> str:
    """Pays, if a person approves."""
    if not run.tool_call_approved:
        raise ApprovalRequired
    return "paid"


async def not_now(run, definition):
    return None


approved = Tool(pay, name="approved", requires_approval=True)
prepared = Tool(pay, name="prepared", prepare=not_now)
INNER = FunctionToolset()


@INNER.tool_plain
def waits() -> str:
    """Waits in a thread."""
    time.sleep(4)
    return "done"


SHORT = FunctionToolset(timeout=0.1)


@SHORT.tool_plain
async def late() -> str:
    """Waits without end, and its toolset stops it."""
    await asyncio.Event().wait()


PREFIXED = INNER.prefixed("shop")
del INNER
'''


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    with hosts_of(tmp_path_factory.mktemp("pydantic"), "pa_tools", MODULE) as opened:
        yield opened


@pytest.fixture(scope="module")
def opened(hosts):
    return opening(hosts, "pydantic-ai", "pa_tools")


def test_objects_are_tools_also_those_of_a_toolset_and_an_agent(hosts):
    listing = hosts.list_tools("pydantic-ai", "pa_tools", ToolSettings())
    assert sorted(listing.tools) == ["approved", "echo", "fails", "late", "never_again", "prepared", "waits"]


def test_a_tool_says_where_its_module_has_it(opened):
    """A test that is kept imports it from there."""
    facts = {name: opened(name).describe().facts for name in ("echo", "fails", "waits", "approved")}
    assert {name: (each.variable, each.holder) for name, each in facts.items()} == {
        "echo": ("AGENT", "Agent"),
        "fails": ("TOOLS", "FunctionToolset"),
        "waits": ("PREFIXED", "PrefixedToolset"),
        "approved": ("approved", ""),
    }


@pytest.mark.clause("PYD.1.2")
def test_arguments_are_read_by_a_lax_model_before_the_tool_runs(opened):
    """A text of digits is taken for a number: what the page says of Pydantic AI."""
    host = opened("echo", services={"deps": "pa_tools:user"})
    declaration = host.describe()
    schema = json.loads(declaration.schema.text)
    assert schema["parameters"]["required"] == ["number"]
    assert declaration.source.startswith("pa_tools.py:")
    result = called(host, '{"number": "4", "flag": "yes"}').result
    assert json.loads(result.payload) == {"number": 4, "flag": True, "deps": "Ada"}
    for forbidden in ('{"number": 0}', '{"number": "x"}', '{"number": 1, "more": 1}', "{}", "null"):
        assert called(host, forbidden).refused


@pytest.mark.clause("PYD.2.2")
def test_a_retry_and_a_failed_call_are_refusals_and_every_other_exception_ends_the_run(opened):
    host = opened("fails")
    assert called(host, '{"how": "retry"}').result.error_message.startswith("another one, please")
    assert called(host, '{"how": "done"}').result.error_message == "it is gone"
    assert called(host, '{"how": "apart"}').result.payload == "for the model"
    assert called(host, '{"how": "x"}').raised.type_name == "KeyError"


@pytest.mark.clause("PYD.3.1")
def test_what_no_request_to_a_model_can_hold_is_no_result(opened):
    host = opened("fails")
    for how, kind in (("odd", "object that has no JSON form"), ("many", "list that holds a ToolReturn")):
        result = called(host, json.dumps({"how": how})).result
        assert (result.is_invoke_result, result.type_name) == (False, kind)


@pytest.mark.parametrize("name", ["approved", "prepared"])
def test_what_the_run_decides_is_no_fault_of_the_tool(opened, name):
    """Whether a call is approved, and whether the tool is offered."""
    assert called(opened(name)).result.payload == "paid"


def test_a_call_that_is_stopped_at_the_timeout_of_the_toolset_is_a_refusal(opened):
    assert called(opened("late")).result.error_message.startswith("Timed out after 0.1 seconds.")


def test_a_deferred_call_is_a_result_of_the_applications(opened):
    assert called(opened("fails"), '{"how": "later"}').result.payload == "deferred"


def test_a_tool_without_retries_ends_the_run_by_the_first(opened):
    assert called(opened("never_again"), '{"how": "retry"}').raised.type_name == "UnexpectedModelBehavior"


def test_the_thread_of_a_plain_function_outlasts_its_cancellation(opened):
    """What the table of the framework's share has for CAN008."""
    assert is_thread_of_the_framework(opened("waits"))
