"""What holds for each of the seven tools."""

import asyncio
import dataclasses
import json

import pytest

from aptix_harness import (
    AgentTool,
    AgentToolCall,
    AgentToolExecutionContext,
    AgentToolExecutor,
    AgentToolRegistry,
    AgentToolRequest,
    ToolFactory,
)
from aptix_harness.strict_json import is_strict_json
from aptix_reference_tools import AgentListModesTool, DelayTool, HelloWorldClientTool, make_catalog

HOSTILE_TEXTS = [
    "",
    "\ud800",
    "\x00",
    '"}{',
    "x" * 1_000_000,
    "\u202eevil",
    "<script>",
    "../../etc/passwd\n",
    "{0}%s",
]
NOT_AN_OBJECT = {
    "not JSON": "hello",
    "truncated": '{"name": "Ada"',
    "byte order mark": '\ufeff{"name": "Ada"}',
    "single quotes": "{'name': 'Ada'}",
    "unquoted key": "{name: 1}",
    "comment": '{} // "name"',
    "trailing text": '{"name": "Ada"} x',
    "trailing comma": '{"name": "Ada",}',
    "bad escape": '{"name": "\\x"}',
    "raw NUL": '{"name": "\x00"}',
    "NaN": '{"name": NaN}',
    "Infinity": '{"count": Infinity, "left": -Infinity}',
    "long number": '{"count": %s}' % ("9" * 5_000),
    "deep array": "[" * 100_000 + "]" * 100_000,
    "deep object": '{"name":' * 100_000,
    "a megabyte": "x" * 1_000_000,
    "array": '["Ada"]',
    "string": '"Ada"',
    "number": "7",
    "null": "null",
    "true": "true",
}


def check_executable_anywhere(result):
    """Check that a result is one that a tool may return: JSON, or a message."""
    if result.successful:
        assert is_strict_json(result.result)
        assert result.errors == ()
    else:
        assert result.result is None
        assert result.error_message


def check_schema(tool_type):
    schema = tool_type.get_schema()
    assert (schema["type"], schema["name"]) == ("function", tool_type.TOOL_NAME)
    assert schema["description"]
    parameters = schema["parameters"]
    assert parameters["type"] == "object"
    assert set(parameters["required"]) <= set(parameters["properties"])
    for declared in parameters["properties"].values():
        assert declared["type"] in {"string", "number", "integer", "boolean", "object", "array"}
        assert declared["description"]


@pytest.mark.clause("TUL-011.5.3")
async def test_tool_registers_and_runs_through_the_executor(tool_type, logger, context, valid):
    """Registry, factory and executor take the tool as it is, and nothing is logged but the registration."""
    registry = AgentToolRegistry(logger)
    registry.register(tool_type)
    executor = AgentToolExecutor(registry, logger, ToolFactory(logger, {"catalog": make_catalog()}))
    result = await executor.execute(AgentToolCall(tool_type.TOOL_NAME, valid, "c"), context)
    assert result.successful
    assert result.requires_client_execution == (tool_type is HelloWorldClientTool)
    assert [call[0] for call in logger.calls] == ["trace"]


def test_tool_is_an_agent_tool(tool, tool_type):
    """The interface is there, and the name property returns the constant."""
    assert isinstance(tool, AgentTool)
    assert tool.name == tool_type.TOOL_NAME
    assert tool.is_tool_fully_executed_on_server is (tool_type is not HelloWorldClientTool)


def test_schema_has_the_function_form(tool_type):
    """Type, name, description and parameters, and each property has a simple type and a description."""
    check_schema(tool_type)


def test_schema_is_equal_and_fresh_each_time(tool_type):
    """Changing a schema that was handed out changes no other."""
    first = tool_type.get_schema()
    text = json.dumps(first)
    first["parameters"]["properties"].clear()
    assert json.dumps(tool_type.get_schema()) == text


def test_usage_text_has_the_recommended_sections(tool_type):
    """Title and headings stand in order, each with a line of its own below."""
    lines = tool_type.TOOL_USAGE_METADATA.splitlines()
    assert lines[0] == f"{tool_type.TOOL_NAME} — Usage Guide"
    headings = ["Primary purpose:", "Rules:", "Arguments:", "Error codes:", "Good usage:", "Bad usage:"]
    assert [line for line in lines if line.endswith(":") and not line.startswith(("-", " "))] == headings
    assert all(lines[lines.index(heading) + 1].startswith("- ") for heading in headings)


def test_usage_text_describes_exactly_the_arguments_of_the_schema(tool_type):
    """Each argument has its line, and no line describes anything else."""
    section = tool_type.TOOL_USAGE_METADATA.partition("Arguments:\n")[2].partition("\n\n")[0]
    described = [line[2:].partition(":")[0] for line in section.splitlines() if line.startswith("- ")]
    assert described == list(tool_type.get_schema()["parameters"]["properties"])


@pytest.mark.clause("TUL-011.5.1")
async def test_valid_call_succeeds_the_same_way_each_time(tool, tool_type, context, valid):
    """The payload is strict JSON and does not vary."""
    payloads = []
    for _ in range(2):
        result = await tool.execute(valid, context)
        check_executable_anywhere(result)
        payload = json.loads(result.result)
        if tool_type is DelayTool:
            assert type(payload.pop("elapsedMs")) is int
        payloads.append(payload)
    assert payloads[0] == payloads[1]


@pytest.mark.clause("TUL-011.5.4")
async def test_identifiers_of_the_context_are_in_the_payload(tool, tool_type, context, valid):
    """Conversation and session come back, except from the tool whose own contract has no room for them."""
    payload = json.loads((await tool.execute(valid, context)).result)
    found = {key.lower(): value for key, value in payload.items() if key.lower().endswith("id")}
    expected = {"conversationid": "conversation-1", "sessionid": "session-1"}
    assert found == ({} if tool_type is AgentListModesTool else expected)


@pytest.mark.parametrize(
    "context",
    [
        None,
        AgentToolExecutionContext(),
        AgentToolExecutionContext(request=AgentToolRequest()),
        AgentToolExecutionContext(session_id=b"s", request=AgentToolRequest(conversation_id=object())),
    ],
    ids=["none", "empty", "empty request", "identifiers of another type"],
)
async def test_missing_context_makes_the_identifiers_null(tool, context, valid):
    """No part of the context is needed."""
    result = await tool.execute(valid, context)
    assert result.successful
    payload = json.loads(result.result)
    assert all(value is None for key, value in payload.items() if key.lower().endswith("id"))


@pytest.mark.parametrize("hostile", HOSTILE_TEXTS, ids=lambda text: ascii(text)[:20])
async def test_hostile_identifiers_come_back_unharmed(tool, tool_type, valid, hostile):
    """Whatever the identifiers are, the payload is strict JSON and holds them exactly."""
    context = AgentToolExecutionContext(session_id=hostile, request=AgentToolRequest(conversation_id=hostile))
    result = await tool.execute(valid, context)
    assert is_strict_json(result.result)
    if tool_type is not AgentListModesTool:
        assert list(json.loads(result.result).values()).count(hostile) >= 2


@pytest.mark.clause("TUL-011.5.1")
@pytest.mark.parametrize("text", NOT_AN_OBJECT.values(), ids=NOT_AN_OBJECT)
async def test_arguments_that_are_no_json_object_are_refused(tool, logger, text):
    """The failure has a code and a short message that repeats nothing, and no exception is logged for it."""
    result = await tool.execute(text, None)
    assert not result.successful
    assert result.errors[0].code == "INVALID_ARGUMENTS"
    assert len(result.error_message) < 100
    assert "Ada" not in result.error_message
    assert logger.calls == []


@pytest.mark.parametrize("text", [None, "", " ", "\r\n\t", "{}"], ids=repr)
async def test_empty_arguments_are_an_object_without_properties(tool, tool_type, cancelled_token, text):
    """They fail where something is required, and succeed where nothing is."""
    # The delay would wait for its default time, so it is cancelled beforehand.
    token = {"cancellation_token": cancelled_token} if tool_type is DelayTool else {}
    result = await tool.execute(text, None, **token)
    required = tool_type.get_schema()["parameters"]["required"]
    assert result.successful == (not required)
    if required:
        assert "is required" in result.error_message


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1e400}',
        '{"a": "\ud800"}',
        '{"a": 1, "a": 2}',
        '{"\\u0000": {"$ref": "#"}}',
        '{"a": %s}' % ("[" * 500 + "]" * 500),
    ],
    ids=["1e400", "lone surrogate", "duplicate key", "NUL key", "nested"],
)
async def test_unknown_properties_are_ignored(tool, valid, text):
    """What the schema does not speak of may be anything."""
    result = await tool.execute(valid[:-1] + ", " + text[1:], None)
    assert result.successful
    check_executable_anywhere(result)


async def test_null_counts_as_missing(tool, tool_type, cancelled_token):
    """All properties null is the same as none at all."""
    nothing = dict.fromkeys(tool_type.get_schema()["parameters"]["properties"])
    token = {"cancellation_token": cancelled_token} if tool_type is DelayTool else {}
    with_null = await tool.execute(json.dumps(nothing), None, **token)
    without = await tool.execute("{}", None, **token)
    assert with_null.successful == without.successful
    assert with_null.errors == without.errors


@pytest.mark.clause("TUL-011.5.1")
async def test_wrong_type_of_each_argument_is_refused_by_name(tool, tool_type, logger, valid):
    """A bool is no number, a number no string, and so on for every property; the value is not repeated."""
    right = {"string": str, "boolean": bool, "integer": int, "number": (int, float)}
    wrong = ["Kq7", True, 1.5, 17, [], {}, [17], {"a": None}]
    for name, declared in tool_type.get_schema()["parameters"]["properties"].items():
        for value in wrong:
            is_right = isinstance(value, right[declared["type"]])
            if (
                is_right and not (isinstance(value, bool) and declared["type"] != "boolean")
            ) or "enum" in declared:
                continue
            result = await tool.execute(json.dumps(json.loads(valid) | {name: value}), None)
            assert not result.successful, (name, value)
            assert f"'{name}'" in result.error_message
            assert json.dumps(value) not in result.error_message
    assert logger.calls == []


async def test_cancelled_call_succeeds_and_says_so(tool, tool_type, context, valid, cancelled_token):
    """A token cancelled beforehand gives a payload that speaks of it, with the identifiers."""
    result = await tool.execute(valid, context, cancelled_token)
    assert result.successful
    assert is_strict_json(result.result)
    if tool_type is AgentListModesTool:
        # Its catalog answers at once, and running to the normal end keeps both contracts.
        assert list(json.loads(result.result)) == ["modes"]
    else:
        assert "cancelled" in result.result.lower()
        assert json.loads(result.result).get("cancelled", json.loads(result.result).get("Cancelled")) is True
        assert "session-1" in result.result


@pytest.mark.clause("TUL-011.5.1")
async def test_unexpected_exception_is_logged_and_not_shown(tool, tool_type, logger, valid, broken_token):
    """The log has the exception under the tag of the class and its method; the result has a general message."""
    result = await tool.execute(valid, None, broken_token)
    assert not result.successful
    assert "secret" not in str(dataclasses.asdict(result))
    ((method, tag, exception),) = logger.calls
    assert (method, tag) == ("add_exception", f"[{tool_type.__name__}_ExecuteAsync__Exception]")
    assert str(exception) == "secret of the token"


async def test_calls_leave_no_task_behind(tool, valid, cancelled_token):
    """After a call, cancelled or not, only this test's task is alive."""
    await tool.execute(valid, None)
    await tool.execute(valid, None, cancelled_token)
    assert asyncio.all_tasks() == {asyncio.current_task()}
