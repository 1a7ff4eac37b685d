"""How a value breaks a schema, also a value that the validator cannot show."""

import jsonschema_rs
import pytest

from aptix_conformance.rules.lib.misfits import misfits

HALF = "\ud83d"


def nested(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


def found(schema, value):
    return list(misfits(jsonschema_rs.Draft202012Validator(schema, offline=True), value))


def test_each_way_is_told_with_its_place_in_the_schema_and_in_the_value():
    schema = {"properties": {"port": {"type": "integer"}, "high": {"type": "array"}}, "required": ["name"]}
    places = {place for place, _ in found(schema, {"port": "Brest", "high": 1})}
    assert places == {("properties", "port", "type"), ("properties", "high", "type"), ("required",)}
    assert all("at /" in said for place, said in found(schema, {"port": "Brest", "name": 1}))


@pytest.mark.parametrize("value", [{"port": HALF}, {HALF: 1}, nested(400)])
def test_a_value_that_is_allowed_is_allowed_whatever_it_holds(value):
    assert found(True, value) == []
    assert found({"type": ["object", "array"]}, value) == []


@pytest.mark.parametrize(
    ("schema", "value"),
    [({"properties": {"port": {"type": "integer"}}}, {"port": HALF}), ({"type": "string"}, nested(400))],
)
def test_half_of_a_character_or_depth_does_not_hide_that_a_value_is_forbidden(schema, value):
    assert [place for place, _ in found(schema, value)] == [()]
