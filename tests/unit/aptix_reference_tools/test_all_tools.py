"""What holds for each of the seven tools, and what their examination does not show."""

import dataclasses
import json

import pytest

from aptix_harness import (
    AgentToolCall,
    AgentToolExecutor,
    AgentToolRegistry,
    ToolFactory,
)
from aptix_reference_tools import HelloWorldClientTool, make_catalog


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


def test_schema_is_equal_and_fresh_each_time(tool_type):
    """Changing a schema that was handed out changes no other."""
    first = tool_type.get_schema()
    text = json.dumps(first)
    first["parameters"]["properties"].clear()
    assert json.dumps(tool_type.get_schema()) == text


def test_usage_text_describes_exactly_the_arguments_of_the_schema(tool_type):
    """Each argument has its line, and no line describes anything else."""
    section = tool_type.TOOL_USAGE_METADATA.partition("Arguments:\n")[2].partition("\n\n")[0]
    described = [line[2:].partition(":")[0] for line in section.splitlines() if line.startswith("- ")]
    assert described == list(tool_type.get_schema()["parameters"]["properties"])


@pytest.mark.clause("TUL-011.5.1")
@pytest.mark.parametrize("text", ['{"name": "Ada"', '["Ada"]'], ids=["truncated", "array"])
async def test_arguments_that_are_no_json_object_are_refused_with_a_code(tool, logger, text):
    """The message is short and repeats nothing, and no exception is logged for it."""
    result = await tool.execute(text, None)
    assert result.errors[0].code == "INVALID_ARGUMENTS"
    assert len(result.error_message) < 100
    assert "Ada" not in result.error_message
    assert logger.calls == []


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


@pytest.mark.clause("TUL-011.5.1")
async def test_unexpected_exception_is_logged_and_not_shown(tool, tool_type, logger, valid, broken_token):
    """The log has the exception under the tag of the class and its method; the result has a general message."""
    result = await tool.execute(valid, None, broken_token)
    assert not result.successful
    assert "secret" not in str(dataclasses.asdict(result))
    ((method, tag, exception),) = logger.calls
    assert (method, tag) == ("add_exception", f"[{tool_type.__name__}_ExecuteAsync__Exception]")
    assert str(exception) == "secret of the token"
