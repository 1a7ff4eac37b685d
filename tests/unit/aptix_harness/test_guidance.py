import types

import pytest

from aptix_harness import AgentToolRegistry, InvalidOperationError, read_tool_guides
from aptix_harness.guidance import instructions_parameter, tools_parameter
from aptix_reference_tools import (
    AgentListModesTool,
    CalculatorTool,
    DelayTool,
    FailureInjectionTool,
    HelloWorldClientTool,
    HelloWorldTool,
    PingPongTool,
)

REFERENCE_TOOLS = (
    AgentListModesTool,
    CalculatorTool,
    DelayTool,
    FailureInjectionTool,
    HelloWorldClientTool,
    HelloWorldTool,
    PingPongTool,
)
PARAMETERS = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}


def schema(**members):
    """Return a well-formed schema of test_tool; a member that is None is left out."""
    whole = {
        "type": "function",
        "name": "test_tool",
        "description": "Tests.",
        "parameters": PARAMETERS,
        **members,
    }
    return {key: value for key, value in whole.items() if value is not None}


@pytest.fixture
def registered(logger, make_tool):
    """Return a function that gives a registry with one tool that has this schema."""

    def register(tool_schema, **members):
        registry = AgentToolRegistry(logger)
        registry.register(make_tool(get_schema=staticmethod(lambda: tool_schema), **members))
        return registry

    return register


def refusal_of(registry):
    with pytest.raises(InvalidOperationError) as refused:
        read_tool_guides(registry)
    return str(refused.value)


@pytest.mark.clause("AGN-005.7.16", "AGN-005.12.3")
def test_every_reference_tool_has_its_guide(logger):
    """Sorted by name, with the usage text as it is and the schema as it is."""
    registry = AgentToolRegistry(logger)
    for tool_type in REFERENCE_TOOLS:
        registry.register(tool_type)
    guides = read_tool_guides(registry)
    by_name = {tool_type.TOOL_NAME: tool_type for tool_type in REFERENCE_TOOLS}
    assert [guide.name for guide in guides] == sorted(by_name)
    for guide in guides:
        tool_type = by_name[guide.name]
        assert guide.usage_text == tool_type.TOOL_USAGE_METADATA
        assert guide.definition == {**tool_type.get_schema(), "strict": False}


def test_definition_shares_nothing_with_the_tool(registered):
    """A tool that changes its schema later changes no request."""
    shared = schema(parameters={"type": "object", "properties": {}})
    (guide,) = read_tool_guides(registered(shared))
    shared["parameters"]["properties"]["b"] = {}
    assert guide.definition["parameters"] == {"type": "object", "properties": {}}


def test_mappings_and_tuples_become_plain_json(registered):
    """A read-only schema is as good as a dict."""
    either = (types.MappingProxyType({"type": "string"}), {"type": "null"})
    frozen = types.MappingProxyType(
        {**PARAMETERS, "properties": types.MappingProxyType({"a": {"anyOf": either}})}
    )
    (guide,) = read_tool_guides(registered(types.MappingProxyType(schema(parameters=frozen))))
    properties = {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}
    assert guide.definition["parameters"] == {**PARAMETERS, "properties": properties}


def test_only_what_the_api_knows_is_taken_over(registered):
    """A further key would make the API refuse the request for all tools."""
    (guide,) = read_tool_guides(registered(schema(version="7", strict=True)))
    assert guide.definition == {**schema(), "strict": True}


@pytest.mark.clause("AGN-005.7.18")
@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (schema(type="tool"), 'type in its schema is not "function"'),
        ({"type": "function", "function": schema()}, "name in its schema is not 'test_tool'"),
        (schema(name="other"), "name in its schema is not 'test_tool'"),
        (schema(description=None), "no description"),
        (schema(description=" \n"), "no description"),
        (schema(parameters=None), "no parameters"),
        (schema(parameters={"type": "array"}), "no parameters"),
        (schema(parameters={"type": "object"}), "properties"),
        (schema(parameters={"type": "object", "properties": {"a": "string"}}), "properties"),
        (schema(parameters={**PARAMETERS, "required": "a"}), "required"),
        (schema(parameters={**PARAMETERS, "required": ["b"]}), "required"),
        (schema(parameters={**PARAMETERS, "required": [["a"]]}), "required"),
        (schema(parameters={**PARAMETERS, "maxProperties": float("nan")}), "cannot be written as JSON"),
        (schema(parameters={**PARAMETERS, 1: 2}), "cannot be written as JSON"),
        (schema(parameters={**PARAMETERS, "default": object()}), "cannot be written as JSON"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_schema_that_no_model_can_be_given_is_a_configuration_error(registered, wrong, fault):
    """The message names the tool, its class, the clause and what is wrong."""
    message = refusal_of(registered(wrong))
    assert "'test_tool'" in message
    assert "made.MadeTool breaks AGN-005.7.18" in message
    assert fault in message
    assert "To fix it" in message


def test_schema_that_goes_round_in_a_circle_is_a_configuration_error(registered):
    """It is refused, and the interpreter's stack is not the caller's trouble."""
    circle = schema()
    circle["parameters"] = {**PARAMETERS, "default": circle}
    assert "RecursionError" in refusal_of(registered(circle))


@pytest.mark.clause("AGN-005.7.17")
@pytest.mark.parametrize(
    "usage_text", ["", " \n", None, property(lambda tool: "text")], ids=["empty", "blank", "None", "property"]
)
def test_usage_text_that_is_gone_is_a_configuration_error(registered, usage_text):
    """A registered class can lose it; then the tool is not shown without it (AGN-005.7.17)."""
    registry = registered(schema())
    registry.get_tool_type("test_tool").TOOL_USAGE_METADATA = usage_text
    message = refusal_of(registry)
    assert "The model cannot be given the tool 'test_tool'" in message
    assert "TOOL_USAGE_METADATA" in message


@pytest.mark.clause("AGN-005.7.17")
def test_missing_usage_text_is_a_configuration_error(registered):
    """As if it were blank."""
    registry = registered(schema())
    del registry.get_tool_type("test_tool").TOOL_USAGE_METADATA
    assert "no constant TOOL_USAGE_METADATA" in refusal_of(registry)


def test_tool_that_changes_its_name_is_a_configuration_error(registered):
    """The model would call it by a name that the registry does not know."""
    registry = registered(schema(name="other"))
    registry.get_tool_type("test_tool").TOOL_NAME = "other"
    assert "registered as 'test_tool'" in refusal_of(registry)


@pytest.mark.clause("AGN-005.7.21")
def test_schema_and_usage_text_are_read_in_one_go(registered):
    """Both follow the class as it is now, never one of them alone (AGN-005.7.21)."""
    registry = registered(schema())
    (before,) = read_tool_guides(registry)
    tool_type = registry.get_tool_type("test_tool")
    tool_type.TOOL_USAGE_METADATA, tool_type.get_schema = (
        "New.",
        staticmethod(lambda: schema(description="New.")),
    )
    (after,) = read_tool_guides(registry)
    assert (before.usage_text, before.definition["description"]) == ("Use it in tests.", "Tests.")
    assert (after.usage_text, after.definition["description"]) == ("New.", "New.")


def test_guidance_follows_the_callers_instructions(registered):
    """Each usage text is unchanged between marks with the tool's name."""
    guides = read_tool_guides(registered(schema(), TOOL_USAGE_METADATA="# Heading\n\ntext\n"))
    assert instructions_parameter(guides, "Be kind.") == (
        'Be kind.\n\n<tool_guidance>\n<tool name="test_tool">\n# Heading\n\ntext\n\n</tool>\n</tool_guidance>'
    )


def test_without_tools_only_the_callers_instructions_are_left(logger):
    """There is no empty section, and without either there are no instructions."""
    guides = read_tool_guides(AgentToolRegistry(logger))
    assert guides == ()
    assert tools_parameter(guides) == []
    assert instructions_parameter(guides, "Be kind.") == "Be kind."
    assert instructions_parameter(guides, None) is None
