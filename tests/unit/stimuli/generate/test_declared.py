"""What a schema says in `allOf` and behind `$ref` at its root is the root's own; a name is declared anywhere beside."""

import pytest

from aptix_conformance.stimuli.generate import (
    Arguments,
    declared_names,
    root_properties,
    root_required,
    root_schemas,
)
from aptix_conformance.stimuli.generate.argument_schema import fault
from aptix_conformance.stimuli.generate.schema_members import Members

CITY = {"type": "string", "description": "The city."}
OWN = {"type": "object", "properties": {"city": CITY, "days": {"type": "integer"}}, "required": ["city"]}


@pytest.mark.parametrize(
    "schema",
    [
        OWN,
        {"allOf": [OWN]},
        {"type": "object", "properties": {}, "required": [], "allOf": [{"allOf": [OWN]}]},
        {"$ref": "#/$defs/own", "$defs": {"own": OWN}},
        {"allOf": [{"$ref": "#/$defs/own"}], "$defs": {"own": OWN}},
        {"allOf": [{"properties": OWN["properties"]}, {"required": ["city"]}]},
        {"allOf": [OWN, OWN]},
        {"allOf": [OWN, {"$ref": "#"}, {"$ref": "#/nowhere"}, True, None]},
    ],
)
def test_properties_and_required_names_are_read_wherever_they_bind_every_call(schema):
    assert root_properties(schema) == OWN["properties"]
    assert root_required(schema) == ("city",)


def test_the_members_of_branches_are_known_by_path_and_closed_by_their_branch():
    closed = {**OWN, "additionalProperties": False}
    members = Members({"allOf": [{"$ref": "#/$defs/own"}], "$defs": {"own": closed}})
    assert members.paths == ("/city", "/days")
    assert members.declared("") == {"city", "days"}


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_a_branch_that_binds_some_calls_is_not_the_roots(keyword):
    assert root_properties({keyword: [OWN]}) == {}
    assert root_required({keyword: [OWN]}) == ()


def test_what_two_branches_say_of_one_argument_holds_together():
    schema = {
        "type": "object",
        "allOf": [OWN, {"properties": {"days": {"minimum": 3, "default": 4}}, "required": ["days"]}],
    }
    assert root_properties(schema)["days"] == {"allOf": [{"type": "integer"}, {"minimum": 3, "default": 4}]}
    assert root_required(schema) == ("city", "days")
    arguments = Arguments(schema)
    assert arguments.full()["days"] == 4
    assert not arguments.judge.admits({"city": "Oslo", "days": 1})


def test_branches_that_exclude_each_other_allow_nothing():
    schema = {"type": "object", "allOf": [OWN, {"properties": {"city": {"type": "integer"}}}]}
    assert Arguments(schema).minimal() is None


@pytest.mark.parametrize(
    "schema", [{"allOf": 7}, {"properties": []}, {"required": "city"}, {"$ref": 7}, {"allOf": [7]}]
)
def test_what_is_malformed_says_nothing(schema):
    assert (root_properties(schema), root_required(schema)) == ({}, ())


def test_a_schema_of_many_branches_is_read_in_time():
    many = [
        {"properties": {"a": {"type": "string", "minLength": n}}, "required": ["a"]} for n in range(1_500)
    ]
    schema = {"type": "object", "allOf": many}
    assert fault(schema) is None
    assert len(Arguments(schema).minimal()["a"]) == 1_499
    assert len(root_properties(schema)["a"]["allOf"]) == 1_500


def test_a_schema_that_nests_deeply_or_refers_to_itself_often_is_read_in_time():
    deep = OWN
    for _ in range(50_000):
        deep = {"allOf": [deep]}
    assert root_required(deep) == ("city",)
    nested = [{"properties": {"a": deep}}, {"properties": {"a": {"allOf": [*deep["allOf"]]}}}]
    assert list(root_properties({"allOf": nested})) == ["a"]
    doubling = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(60)}
    found = root_schemas({"$ref": "#/$defs/d0", "$defs": {**doubling, "d60": OWN}})
    assert (
        len(list(found)) == 1 + 2 * 60 + 1
    )  # the root, each node and one of its equal branches, and what they lead to


NESTED = {"properties": {"city": {"properties": {"inner": {}}}}}


@pytest.mark.parametrize(
    "schema",
    [
        NESTED,
        {"$ref": "#/$defs/a", "$defs": {"a": NESTED}},
        {"allOf": [NESTED]},
        {"anyOf": [{"oneOf": [NESTED]}]},
        {"if": {}, "then": NESTED},
        {"else": NESTED},
        {"dependentSchemas": {"x": NESTED}},
        {"patternProperties": {"^ci": {}}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}, NESTED]}}},
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
