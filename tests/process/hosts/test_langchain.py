"""Tools of LangChain: found in a module, called as an agent calls them, and what LangChain itself does for every tool."""

import json
import sys
import textwrap

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import CancellationPoint, Outcome
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.rules.lib.scope import sort_of_leftover
from aptix_conformance.systems.pools import Systems
from aptix_conformance.targets import Target, ToolSettings

pytest.importorskip("langchain_core", reason="pip install 'aptix-conformance[langchain]'")

MODULE = '''
from __future__ import annotations

import datetime
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from langchain_core.messages import RemoveMessage, ToolMessage
from langchain_core.messages.tool import ToolOutputMixin
from langchain_core.tools import BaseTool, InjectedToolArg, InjectedToolCallId, StructuredTool, ToolException, tool
from pydantic import BaseModel

if TYPE_CHECKING:
    from decimal import Decimal


class Strict(BaseModel):
    number: int


@tool
async def echo(number: int, flag: bool = False, text: str = "") -> dict:
    """Gives back what it is sent."""
    return {"number": number, "flag": flag, "text": text}


@tool(args_schema={"title": "loose", "type": "object", "properties": {"number": {"type": "integer"}}})
async def loose(number=0) -> str:
    """Gives back what it is sent."""
    return repr(number)


@tool
def fails(how: str) -> str:
    """Fails in a way that one can choose."""
    if how == "refused":
        raise ToolException("Choose another way.")
    if how == "read":
        Strict.model_validate({})
    if how == "dates":
        return {"due": datetime.date(2026, 1, 2)}
    if how == "blocks":
        return [{"type": "json", "json": {"due": datetime.date(2026, 1, 2)}}]
    raise ValueError(how)


fails.handle_tool_error = True


@tool
async def greet(user: Annotated[str, InjectedToolArg], call: Annotated[str, InjectedToolCallId]) -> str:
    """Greets the user of the session."""
    return f"Hello, {user}."


def ada():
    return "Ada"


@dataclass
class Command(ToolOutputMixin):
    """What langgraph has for updates of a graph's state: only `update` and `graph` count here."""

    update: object = None
    graph: str | None = None


@dataclass
class Runtime:
    tool_call_id: str


@tool
async def updates(how: str, runtime: Annotated[Runtime, InjectedToolArg]) -> Command:
    """Gives what a graph takes."""
    answer = ToolMessage(how, tool_call_id=runtime.tool_call_id)
    other = ToolMessage(how, tool_call_id="call_0")
    return {
        "dict": Command({"messages": [answer], "user": "Ada"}),
        "form": Command({"messages": [{"role": "tool", "content": how, "tool_call_id": "call_1"}]}),
        "messages": Command([answer]),
        "refused": Command([ToolMessage(how, tool_call_id="call_1", status="error")]),
        "list": [Command({"user": "Ada"}), answer],
        "two": [Command([answer]), answer],
        "none": Command({"user": "Ada"}),
        "other": Command([other]),
        "parent": Command({"user": "Ada"}, graph="__parent__"),
        "goto": Command(),
        "chat": Command({"todos": ["a"], "chat": [answer]}),
        "texts": Command({"todos": ["a"]}),
        "emptied": Command({"messages": [RemoveMessage(id="__remove_all__")]}),
        "removed": Command({"messages": [RemoveMessage(id="m1")]}),
        "removed twice": Command([RemoveMessage(id="__remove_all__"), RemoveMessage(id="__remove_all__")]),
    }[how]


def runtime():
    return Runtime("call_of_the_test")


class Pays(BaseTool):
    name: str = "pays"
    description: str = "Pays for the user of the session."
    args_schema: type[BaseModel] = Strict

    def _run(self, number: int, user: Annotated[str, InjectedToolArg]) -> Decimal:
        return f"{user} pays {number}."


pays = Pays()


@tool
async def asks() -> str:
    """Calls another tool, and tells what it needs of it."""
    message = await fails.ainvoke({"type": "tool_call", "id": "inner", "name": "fails", "args": {"how": "dates"}})
    return f"{len(message.content)} characters"


@tool(response_format="content_and_artifact")
async def alone() -> str:
    """Forgets its artifact."""
    return "content"


@tool
def waits() -> str:
    """Waits in a thread."""
    time.sleep(4)
    return "done"


class Hours(BaseTool):
    name: str = "hours"
    description: str = "Says when the shop is open."

    def _run(self) -> str:
        return "always"


class Unused(BaseTool):
    name: str = "unused"
    description: str = "Nobody makes an object of it."

    def _run(self) -> str:
        return ""


class Toolkit:
    def get_tools(self):
        return [echo, StructuredTool.from_function(lambda: "late", name="late", description="Comes from a toolkit.")]


_private = echo
TOOLS = [echo, Hours()]
KIT = Toolkit()
'''


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    place = tmp_path_factory.mktemp("langchain")
    (place / "lc_tools.py").write_text(textwrap.dedent(MODULE))
    environment = Environment(place, (str(place), *filter(None, sys.path)), limits=Limits(timeout=5))
    opened = Systems(environment)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def called(hosts):
    opened = {}

    def call(name, arguments="{}", disturbance=None, **settings):
        target = Target(f"langchain:lc_tools#{name}", "langchain", "lc_tools", name)
        if settings or name not in opened:
            opened[name] = hosts.open(target, ToolSettings(**settings))
        return opened[name].execute(stimulus("test", "generated", arguments, None, disturbance=disturbance))

    return call


def test_objects_are_tools_also_in_lists_and_toolkits_and_a_class_without_an_object_is_passed_over(hosts):
    listing = hosts.list_tools("langchain", "lc_tools", ToolSettings())
    assert sorted(listing.tools) == [
        "alone",
        "asks",
        "echo",
        "fails",
        "greet",
        "hours",
        "late",
        "loose",
        "pays",
        "updates",
        "waits",
    ]
    assert listing.passed_over == ("lc_tools:Unused is a class: make an object of it in the module",)


def test_a_declaration_holds_what_a_model_is_offered(hosts):
    declaration = hosts.open(
        Target("langchain:lc_tools#greet", "langchain", "lc_tools", "greet"), ToolSettings()
    ).describe()
    schema = json.loads(declaration.schema.text)
    assert (schema["type"], schema["name"]) == ("function", "greet")
    assert schema["parameters"]["properties"] == {}  # LCT.5.1
    assert declaration.missing_services == ("user",)
    assert declaration.source.startswith("lc_tools.py:")
    assert declaration.facts.library.startswith("langchain-core 1.")


@pytest.mark.clause("LCT.5.1")
def test_what_a_run_injects_comes_from_a_service(called):
    assert called("greet").outcome is Outcome.NOT_CONSTRUCTED
    assert called("greet", services={"user": "lc_tools:ada"}).result.payload == "Hello, Ada."
    paid = called("pays", '{"number": 4}', services={"user": "lc_tools:ada"})  # its Decimal is nowhere
    assert paid.result.payload == "Ada pays 4."
    with pytest.raises(TargetError, match="the framework injects user"):
        called("greet", services={"name": "lc_tools:ada"})


def test_a_tool_that_is_not_there_is_told_with_those_that_are(called):
    with pytest.raises(
        TargetError, match="there is no tool 'nothing'; those in the module are alone, asks, echo"
    ):
        called("nothing")


@pytest.mark.clause("LCT.2.4")
@pytest.mark.parametrize(
    "arguments", ["{}", '{"number": "x"}', '{"number": 1.5}', '{"number": 1, "text": 5}']
)
def test_what_a_model_of_pydantic_forbids_is_refused_before_the_tool_runs(called, arguments):
    call = called("echo", arguments)
    assert call.refused
    assert "validation error" in call.result.error_message


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"number": "4"}, {"number": 4, "flag": False}),
        ({"number": True}, {"number": 1, "flag": False}),
        ({"number": 1, "flag": "yes"}, {"number": 1, "flag": True}),
        ({"number": 1, "flag": 1, "more": 2}, {"number": 1, "flag": True}),
    ],
)
def test_what_langchain_converts_or_drops_for_every_tool_is_as_the_page_says(called, given, read):
    assert json.loads(called("echo", json.dumps(given)).result.payload) == {**read, "text": ""}


def test_a_json_schema_is_not_enforced(called):
    assert called("loose", '{"number": "x"}').result.payload == "'x'"


def test_an_error_that_the_tool_handles_is_a_refusal_and_any_other_is_raised(called):
    refused = called("fails", '{"how": "refused"}')
    assert refused.refused
    assert refused.result.error_message == "Choose another way."
    assert called("fails", '{"how": "x"}').raised.type_name == "ValueError"
    assert called("fails", '{"how": "read"}').raised.type_name == "ValidationError"


def test_what_langchain_cannot_write_and_what_it_does_not_take_are_told_apart(called):
    dates = called("fails", '{"how": "dates"}').result
    assert dates.payload == "{'due': datetime.date(2026, 1, 2)}"
    assert dates.unserialisable.startswith("dict: TypeError")
    blocks = called("fails", '{"how": "blocks"}').result
    assert blocks.payload == "[{'type': 'json', 'json': {'due': datetime.date(2026, 1, 2)}}]"
    assert blocks.unserialisable.startswith("list: TypeError")
    asks = called("asks").result
    assert (asks.payload, asks.unserialisable) == (
        "34 characters",
        None,
    )  # what the other returned is not its own
    alone = called("alone").result
    assert (alone.is_invoke_result, alone.type_name) == (False, "str")


def test_the_thread_of_a_plain_function_outlasts_its_cancellation(called, hosts):
    """The first call of a process, so that the thread is new: what the table of LangChain's share has for CAN008."""
    call = called("waits", disturbance=CancellationPoint("task", 1, within=0.05, hold=0.1))
    (left,) = call.disturbed.left_running
    target = Target("langchain:lc_tools#waits", "langchain", "lc_tools", "waits")
    facts = hosts.open(target, ToolSettings()).describe().facts
    assert facts.breaks_by_itself("CAN008", sort_of_leftover(left)) == facts.library


@pytest.fixture(scope="module")
def updated(called):
    return lambda how: (
        called("updates", json.dumps({"how": how}), services={"runtime": "lc_tools:runtime"}).result
    )


@pytest.mark.parametrize("how", ["dict", "form", "messages", "list", "chat"])
def test_the_model_reads_the_message_of_a_command_that_answers_the_call(updated, how):
    """Also one with the id that the runtime has which the project injects."""
    result = updated(how)
    assert (result.is_invoke_result, result.successful, result.payload) == (True, True, how)


def test_the_message_of_a_command_says_whether_the_call_is_refused(updated):
    assert updated("refused").error_message == "refused"


@pytest.mark.clause("LCT.4.3")
def test_a_command_for_the_current_graph_answers_the_call(updated):
    """What ToolNode raises an error for is no result; other graphs, and updates of another form, it does not check."""
    missing = "without one ToolMessage for the call"
    names = (
        "none",
        "other",
        "two",
        "texts",
        "removed",
        "removed twice",
        "parent",
        "goto",
        "emptied",
    )
    results = {how: updated(how) for how in names}
    assert {how: (each.is_invoke_result, each.type_name) for how, each in results.items()} == {
        "none": (False, f"Command {missing}"),
        "other": (False, f"Command {missing}"),
        "two": (False, f"list {missing}"),
        "texts": (False, f"Command {missing}"),
        "removed": (False, f"Command {missing}"),
        "removed twice": (False, f"Command {missing}"),
        "parent": (True, "Command"),
        "goto": (True, "Command"),
        "emptied": (True, "Command"),
    }
