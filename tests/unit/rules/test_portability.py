"""SCH030 to SCH036: what providers and clients refuse."""

import re

import pytest
from tests.unit.rules import builders as b
from tests.unit.rules import mcp_builders as m
from tests.unit.rules.argument_builders import emitted


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("SCH031", {"anyOf": [{"required": ["name"]}]}),
        ("SCH032", {"properties": {"level": {"type": "integer", "enum": [1, 2], "description": "Level."}}}),
        ("SCH033", {"properties": {"größe": {"type": "string", "description": "Size."}}}),
        ("SCH035", {"properties": {"names": {"type": "array", "description": "Names."}}}),
        ("SCH036", {"properties": {"page": {"type": "string", "format": "uri", "description": "A page."}}}),
    ],
)
def test_what_a_provider_refuses_is_told_with_the_provider(code, changes):
    assert b.judge(code, b.declaration()) is None
    found = b.judge(code, emitted(**{"required": [], **changes}))
    assert re.search(r": refused by [A-Z][^(]+ \(20\d\d-\d\d-\d\d\)", found.message)
    assert found.message[0].isupper()


def test_sch034_is_about_schemas_that_ask_to_be_strict():
    assert b.judge("SCH034", b.declaration()) is None
    assert b.judge("SCH034", b.declaration(b.schema(strict=True)))


@pytest.mark.parametrize(
    ("name", "is_broken"),
    [("1agent", True), ("a" * 65, True), ("a" * 64, False), ("_a", False), ("-a", True)],
)
def test_sch030_wants_names_that_every_provider_takes(name, is_broken):
    assert (b.judge("SCH030", b.declaration(b.schema(name=name))) is not None) is is_broken


def test_they_are_not_for_what_is_out_of_form_already():
    for code in ("SCH031", "SCH032", "SCH033", "SCH034"):
        assert not b.RULES[code].when(b.declaration(b.schema(parameters=None)))
    assert not b.RULES["SCH030"].when(b.declaration(b.schema(name="größe")))
    assert not b.RULES["SCH030"].when(b.declaration(b.schema(name=7)))
    assert not b.RULES["SCH030"].when(b.declaration({"type": "tool", "name": "a"}))


def mcp(code, name="weather", **properties):
    """The finding of a rule on a tool of an MCP server."""
    schema = {"type": "object", "properties": properties, "$defs": {"A": {"type": "string"}}}
    return b.judge(code, m.declared(name=name, inputSchema=schema))


@pytest.mark.parametrize(
    ("name", "who"), [("city.weather", "Claude Desktop"), ("a" * 59, "Cursor"), ("a" * 58, None)]
)
def test_what_clients_refuse_of_a_name_is_advice_over_mcp(name, who):
    """A dot is of the form that MCP007 wants, and clients refuse it."""
    found = mcp("SCH030", name=name)
    assert found is None if who is None else who in found.message


def test_clients_refuse_nothing_of_a_tool_that_is_not_offered_over_mcp():
    """The name is as long as providers take it, and the array is theirs."""
    assert b.judge("SCH030", b.declaration(b.schema(name="a" * 64))) is None
    names = {"type": "array", "description": "Names."}
    assert "VS Code" not in b.judge("SCH035", emitted(properties={"names": names})).message
    assert "VS Code" in mcp("SCH035", names=names).message
    assert mcp("SCH035", names={**names, "items": {}}) is None


@pytest.mark.parametrize(
    ("schema", "reporter"),
    [
        ({"description": "Any."}, "SCH008"),
        ({"$ref": "#/$defs/A"}, "MCP005"),
        ({"type": ["object", "string"]}, ""),
    ],
)
def test_sch036_leaves_to_other_rules_what_they_report(schema, reporter):
    """A property without a type in Aptix, and a reference that leads nowhere."""
    tool = m.declared(inputSchema={"type": "object", "properties": {"a": schema}})
    (found,) = b.RULES["SCH036"].judge(tool)
    assert found.defers_to == reporter


def test_the_page_of_a_rule_names_its_sources():
    """With the day on which they were read."""
    for code in ("SCH030", "SCH031", "SCH032", "SCH033", "SCH034", "SCH035", "SCH036"):
        assert "https://" in b.RULES[code].why
        assert "as read on 20" in b.RULES[code].why
