"""The start-up test of a solution: every tool that it has is registered before it serves anybody."""

import importlib
import pkgutil

import pytest

import aptix_reference_tools
from aptix_harness import AgentToolRegistry, InvalidOperationError, read_tool_guides


def tools_of(package):
    """Every class in the modules of a package that says a tool's name in its body, by that name."""
    modules = [
        importlib.import_module(f"{package.__name__}.{found.name}")
        for found in pkgutil.iter_modules(package.__path__)
    ]
    classes = [value for module in modules for value in vars(module).values() if isinstance(value, type)]
    return {found.TOOL_NAME: found for found in classes if "TOOL_NAME" in vars(found)}


@pytest.mark.clause("TUL-011.2.10", "TUL-011.5.2")
def test_every_tool_of_the_package_registers_and_can_be_shown_to_a_model(logger):
    """None is left out, none is refused, and no two share a name."""
    registry = AgentToolRegistry(logger)
    tools = tools_of(aptix_reference_tools)
    for tool_type in tools.values():
        registry.register(tool_type)
    assert dict(registry.registered_tools) == tools
    assert {found.__name__ for found in tools.values()} <= set(aptix_reference_tools.__all__)
    assert [guide.name for guide in read_tool_guides(registry)] == sorted(tools)
    assert [call[0] for call in logger.calls] == ["trace"] * len(tools) != []


@pytest.mark.clause("TUL-011.2.10")
@pytest.mark.parametrize(
    "fault",
    [{"TOOL_USAGE_METADATA": " "}, {"TOOL_NAME": "Agent List"}, {"get_schema": lambda self: {}}],
    ids=["blank usage text", "blank in its name", "schema of an instance"],
)
def test_one_malformed_tool_stops_the_start_up(logger, fault):
    """A start-up test fails then, and says which tool it was."""
    registry = AgentToolRegistry(logger)
    malformed = type("MalformedTool", (aptix_reference_tools.PingPongTool,), fault)
    with pytest.raises(InvalidOperationError, match="MalformedTool"):
        registry.register(malformed)
    assert not registry.registered_tools
