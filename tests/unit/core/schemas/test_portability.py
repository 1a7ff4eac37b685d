"""What providers would refuse, at the edge of each limit, and the forms in which they take tools."""

import pytest

from aptix_conformance.core.schemas.forms import FORMS
from aptix_conformance.core.schemas.portability import ANTHROPIC, GEMINI, OPENAI, refusals

CITY = {"city": {"type": "string", "description": "A city."}}


def function(name="agent_weather", properties=CITY, required=(), **members):
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    own = {key: members.pop(key) for key in ("name", "strict", "description") if key in members}
    return {"type": "function", "name": name, **own, "parameters": {**parameters, **members}}


TAKEN = {
    "plain": function(),
    "name of 64": function("a" * 64),
    "name with a hyphen": function("_a-b"),
    "alternatives below the root": function(
        properties={"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}
    ),
    "listed texts": function(properties={"a": {"type": "string", "enum": ["x"]}}),
    "an argument named enum": function(properties={"enum": {"type": "array", "items": {"type": "integer"}}}),
    "dots and digits": function(properties={"0.a-b_C": {"type": "string"}}),
    "description of 1,024": function(description="d" * 1024),
    "strict": function(required=["city"], strict=True, additionalProperties=False),
    "no parameters": {"type": "function", "name": "agent_weather"},
}
REFUSED = {
    "name of 65": (function("a" * 65), OPENAI),
    "name with a digit first": (function("2_weather"), GEMINI),
    "name with a blank": (function("agent weather"), OPENAI),
    "anyOf at the root": (function(anyOf=[{"required": ["city"]}]), ANTHROPIC),
    "a reference at the root": (function(**{"$ref": "#/$defs/a", "$defs": {"a": {}}}), OPENAI),
    "no properties at the root": ({"name": "a", "parameters": {"type": "object"}}, OPENAI),
    "listed numbers": (function(properties={"a": {"enum": [1]}}), GEMINI),
    "listed numbers in a definition": (function(**{"$defs": {"a": {"enum": [None]}}}), GEMINI),
    "an umlaut": (function(properties={"größe": {"type": "string"}}), ANTHROPIC),
    "an umlaut inside": (function(properties={"a": {"type": "object", "properties": {"ö": {}}}}), ANTHROPIC),
    "description of 1,025": (function(properties={"a": {"description": "d" * 1025}}), OPENAI),
    "strict and optional": (function(strict=True, additionalProperties=False), OPENAI),
    "strict and open": (function(required=["city"], strict=True), OPENAI),
    "strict and open inside": (
        function(
            properties={"a": {"type": "object", "properties": {}}},
            required=["a"],
            strict=True,
            additionalProperties=False,
        ),
        OPENAI,
    ),
    "strict with oneOf": (
        function(properties={"a": {"oneOf": [{}]}}, required=["a"], strict=True, additionalProperties=False),
        OPENAI,
    ),
    "strict with 1,001 values": (
        function(
            properties={"a": {"enum": [str(i) for i in range(1001)]}},
            required=["a"],
            strict=True,
            additionalProperties=False,
        ),
        OPENAI,
    ),
}


@pytest.mark.parametrize("schema", TAKEN.values(), ids=TAKEN)
def test_what_every_provider_takes_is_not_complained_of(schema):
    """The last value on the right side of each limit."""
    assert list(refusals(schema)) == []


@pytest.mark.parametrize(("schema", "provider"), REFUSED.values(), ids=REFUSED)
def test_what_a_provider_refuses_is_told_once_with_its_name(schema, provider):
    """The first value on the wrong side."""
    (found,) = refusals(schema)
    assert provider in found.providers


def test_each_form_puts_the_parameters_where_its_provider_looks():
    """Five forms of one tool."""
    written = {form: write(function(description="Tells.")) for form, write in FORMS.items()}
    parameters = function()["parameters"]
    assert written["openai-chat"]["function"]["parameters"] == parameters
    assert written["openai-responses"]["parameters"] == parameters
    assert written["anthropic"]["input_schema"] == parameters
    assert written["gemini"]["functionDeclarations"][0]["parameters"] == parameters
    assert written["mcp"]["inputSchema"] == parameters
    assert {form for form, tool in written.items() if "strict" in tool} == {"openai-responses"}


def test_a_tool_without_parameters_gets_an_empty_object():
    """No provider takes nothing."""
    for write in FORMS.values():
        assert "properties" in str(write({"name": "agent_weather"}))
