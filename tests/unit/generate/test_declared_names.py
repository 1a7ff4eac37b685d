"""Which names a parameters schema declares."""

import pytest

from aptix_conformance.generate import declared_names

CITY = {"properties": {"city": {"properties": {"inner": {}}}}}


@pytest.mark.parametrize(
    "schema",
    [
        CITY,
        {"$ref": "#/$defs/a", "$defs": {"a": CITY}},
        {"allOf": [CITY]},
        {"anyOf": [{"oneOf": [CITY]}]},
        {"if": {}, "then": CITY},
        {"else": CITY},
        {"dependentSchemas": {"x": CITY}},
        {"patternProperties": {"^ci": {}}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}, CITY]}}},
    ],
)
def test_a_name_is_known_wherever_the_root_declares_it(schema):
    """Not by a property's own schema."""
    declared = declared_names(schema)
    assert declared.knows("city")
    assert not declared.knows("inner")
    assert not declared.is_open


@pytest.mark.parametrize(
    ("schema", "is_open"),
    [
        ({}, False),
        ({"additionalProperties": False}, False),
        ({"additionalProperties": True}, True),
        ({"additionalProperties": {"type": "string"}}, True),
        ({"allOf": [{"unevaluatedProperties": {}}]}, True),
        ({"properties": {"x": {"additionalProperties": True}}}, False),
    ],
)
def test_a_schema_is_open_where_it_says_so(schema, is_open):
    """What it does not say is not said."""
    assert declared_names(schema).is_open is is_open


def test_a_pattern_that_would_take_for_ever_is_given_up():
    """Patterns come from the tool."""
    assert not declared_names({"patternProperties": {r"^(a+)+\1$": {}}}).knows("a" * 60 + "!")
