"""What providers would refuse, at the edge of each limit, and the forms in which they take tools."""

import pytest

from aptix_conformance.core.schemas.forms import FORMS
from aptix_conformance.core.schemas.portability import CHECKS, refusals
from aptix_conformance.core.schemas.refusing import (
    ANTHROPIC,
    BEDROCK,
    GEMINI,
    MISTRAL,
    MOST_TOOLS,
    OPENAI,
    OPENAI_STRICT,
    READ,
    TABLE,
    VERTEX,
    lines,
    names,
    sources,
)

CITY = {"city": {"type": "string", "description": "A city."}}


def function(name="agent_weather", properties=CITY, required=(), **members):
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    own = {key: members.pop(key) for key in ("name", "strict", "description") if key in members}
    return {"type": "function", "name": name, **own, "parameters": {**parameters, **members}}


TAKEN = {
    "plain": function(),
    "name of 58": function("a" * 58),
    "name with a hyphen": function("_a-b"),
    "alternatives below the root": function(
        properties={"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}
    ),
    "listed texts": function(properties={"a": {"type": "string", "enum": ["x"]}}),
    "listed texts without a type": function(properties={"a": {"enum": ["x"]}}),
    "an argument named enum": function(properties={"enum": {"type": "array", "items": {"type": "integer"}}}),
    "an argument named items": function(properties={"items": {"type": "string"}}),
    "anything in an array": function(properties={"a": {"type": "array", "items": {}}}),
    "a text or null": function(properties={"a": {"type": ["string", "null"]}}),
    "an array or null": function(properties={"a": {"type": ["array", "null"], "items": {"type": "string"}}}),
    "more about an array that says what it holds": function(
        properties={
            "a": {
                "type": "array",
                "items": {"type": "string"},
                "if": {"type": "array", "maxItems": 1},
                "then": {"type": "array", "minItems": 1},
                "not": {"type": "array", "minItems": 9},
                "contains": {"type": "array"},
            }
        }
    ),
    "more about a property that has a type": function(
        properties={
            "a": {"type": "object", "properties": CITY, "allOf": [{"properties": {"city": {"minLength": 1}}}]}
        }
    ),
    "a title beside anyOf": function(
        properties={"a": {"title": "A", "description": "A.", "default": None, "anyOf": [{"type": "string"}]}}
    ),
    "formats of strict mode": function(properties={"a": {"type": "string", "format": "uuid"}}),
    "a format of a number": function(properties={"a": {"type": "integer", "format": "int32"}}),
    "dots and digits": function(properties={"0.a-b_C": {"type": "string"}}),
    "description of 1,024": function(description="d" * 1024),
    "strict": function(required=["city"], strict=True, additionalProperties=False),
    "no parameters": {"type": "function", "name": "agent_weather"},
}
REFUSED = {
    "name with a dot": (function("agent.weather"), BEDROCK),
    "name with a line break": (function("a\n"), OPENAI),
    "a draft of long ago": (
        function(properties={"a": {"type": "integer", "minimum": 0, "exclusiveMinimum": True}}),
        MISTRAL,
    ),
    "an array of what": (function(properties={"a": {"type": "array"}}), GEMINI),
    "an array with prefixItems alone": (
        function(properties={"a": {"type": "array", "prefixItems": [{"type": "string"}]}}),
        OPENAI,
    ),
    "an array inside": (
        function(properties={"a": {"type": "array", "items": {"type": "array"}}}),
        GEMINI,
    ),
    "an array among alternatives": (
        function(properties={"a": {"anyOf": [{"type": "array"}, {"type": "string"}]}}),
        GEMINI,
    ),
    "no type": (function(properties={"a": {"description": "Any."}}), OPENAI_STRICT),
    "anything at all": (function(properties={"a": True}), OPENAI_STRICT),
    "no type inside": (
        function(properties={"a": {"type": "object", "properties": {"b": {}}}}),
        OPENAI_STRICT,
    ),
    "a text or an array": (
        function(properties={"a": {"type": ["string", "array"], "items": {"type": "string"}}}),
        GEMINI,
    ),
    "an object or null in an array": (
        function(properties={"a": {"type": "array", "items": {"type": ["object", "null"]}}}),
        "GitHub Copilot CLI",
    ),
    "no type in an element": (
        function(properties={"a": {"type": "array", "items": {"type": "object", "properties": {"b": {}}}}}),
        OPENAI_STRICT,
    ),
    "a type beside anyOf": (
        function(properties={"a": {"type": "string", "anyOf": [{"minLength": 1}]}}),
        VERTEX,
    ),
    "a URI": (function(properties={"a": {"type": "string", "format": "uri"}}), OPENAI_STRICT),
    "a URI or null": (
        function(properties={"a": {"type": ["string", "null"], "format": "uri"}}),
        OPENAI_STRICT,
    ),
    "name with a digit first": (function("2_weather"), GEMINI),
    "name with a blank": (function("agent weather"), OPENAI),
    "anyOf at the root": (function(anyOf=[{"required": ["city"]}]), ANTHROPIC),
    "no properties at the root": ({"name": "a", "parameters": {"type": "object"}}, OPENAI),
    "listed numbers": (function(properties={"a": {"enum": [1]}}), GEMINI),
    "listed numbers in a definition": (function(**{"$defs": {"a": {"enum": [None]}}}), GEMINI),
    "an umlaut": (function(properties={"größe": {"type": "string"}}), ANTHROPIC),
    "an umlaut inside": (
        function(properties={"a": {"type": "object", "properties": {"ö": {"type": "string"}}}}),
        ANTHROPIC,
    ),
    "description of 1,025": (
        function(properties={"a": {"type": "string", "description": "d" * 1025}}),
        OPENAI,
    ),
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


@pytest.mark.parametrize(("length", "refused_by"), [(58, []), (59, [1]), (64, [1]), (65, [3, 1])])
def test_a_client_counts_the_name_of_the_server_too(length, refused_by):
    """From 59 characters on one client, from 65 on providers as well: how many, without clients but that one."""
    found = [refusal.providers for refusal in refusals(function("a" * length))]
    assert [len(set(who) - {"Claude Desktop"}) for who in found] == refused_by
    assert any("Cursor" in who for who in found) == (length > 58)


def test_a_reference_is_refused_by_clients_and_what_stands_beside_it_by_a_provider():
    """And by no client where the tool is not offered over MCP."""
    plain, beside = {"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A", "description": "A.", "minLength": 1}
    for schema, to_clients, expected in (
        (plain, True, [("GitHub Copilot CLI", "n8n", "LM Studio")]),
        (plain, False, []),
        ({**plain, "description": "A.", "default": ""}, False, []),
        (beside, False, [(GEMINI,)]),
    ):
        tool = function(properties={"a": schema}, **{"$defs": {"A": {"type": "string"}}})
        assert [found.providers for found in refusals(tool, to_clients=to_clients)] == expected


def test_some_of_it_can_be_asked_for():
    """By the names of the checks."""
    tool = function("2_weather", properties={"a": {"enum": [1]}})
    assert len(list(refusals(tool))) == 2
    assert [found.providers for found in refusals(tool, "enum", "items")] == [(GEMINI,)]


def test_a_large_schema_is_read_once_for_each_check():
    """Wide and deep: no check walks it more than once, and none ends by its depth."""
    deep = {"type": "string"}
    for _ in range(2_000):
        deep = {"type": "array", "items": deep}
    wide = {f"a{index}": {"type": "string"} for index in range(20_000)}
    tool = function(properties={**wide, "deep": deep})
    assert list(refusals(tool, *(what for what in CHECKS if what != "schema"))) == []


@pytest.mark.parametrize(
    "value",
    [None, 7, "a", [], [[]], {}, {"a": []}, [{"type": []}], {"a": {"type": {}, "format": [], "enum": 7}}],
)
@pytest.mark.parametrize(
    "keyword", ["type", "format", "enum", "items", "properties", "anyOf", "$ref", "description", "required"]
)
def test_no_value_of_a_keyword_ends_a_check(keyword, value):
    """A stranger wrote the schema: whatever is wrong in it, each check gives a sentence or none."""
    inner = {"type": "string", "anyOf": [{}], keyword: value}
    tool = function(properties={"a": inner}, strict=True)
    assert all(isinstance(found.message, str) for found in refusals(tool))
    assert list(refusals({"name": value, "parameters": {keyword: value}})) is not None
    assert list(refusals({"name": value, "parameters": value, "description": value})) is not None


# ---- the table


def test_each_check_has_those_who_refuse_what_it_finds():
    """And the rest of the table is of rules that look at no function schema."""
    of_servers = {"name-beside-server-of-60", "name-beside-server-of-64", *MOST_TOOLS}
    assert set(TABLE) - set(CHECKS) == {"output-draft", "refusal-shape"} | of_servers
    assert set(CHECKS) <= set(TABLE)


def test_each_line_has_a_source_and_a_day_that_is_not_later_than_the_reading():
    """So that a reader can look it up, and sees how old it is."""
    for line in (line for found in TABLE.values() for line in found):
        assert line.who
        assert "/" in line.source
        assert "://" not in line.source
        assert " " not in line.source
        assert "2024-01-01" <= line.dated <= READ


def test_those_who_refuse_are_named_with_their_dates():
    """As a phrase for a finding, and with their sources for the page of a rule."""
    assert names(lines("enum", to_clients=True)) == f"{GEMINI} (2026-07-30)"
    assert names(lines("reference", to_clients=True)[1:]) == "n8n (2026-02-19) and LM Studio (2025-07-06)"
    assert lines("reference", to_clients=False) == ()
    page = sources("enum", "beside-reference")
    assert page.count(GEMINI) == 1
    assert f"as read on {READ}" in page
    assert "https://github.com/microsoft/vscode/pull/328147 (2026-07-30)" in page


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
