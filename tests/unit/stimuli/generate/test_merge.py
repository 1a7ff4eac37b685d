"""Merged keywords allow what both sides allow, and None stands for nothing."""

import pytest

from aptix_conformance.stimuli.generate.merge import merge


@pytest.mark.parametrize(
    ("left", "right", "merged"),
    [
        (
            {"minLength": 2, "maxLength": 9},
            {"minLength": 3, "maxLength": 5},
            {"minLength": 3, "maxLength": 5},
        ),
        ({"minimum": 1, "maximum": 9}, {"minimum": 0, "maximum": 5}, {"minimum": 1, "maximum": 5}),
        ({"minItems": 1, "maxItems": 9}, {"minItems": 2, "maxItems": 3}, {"minItems": 2, "maxItems": 3}),
        ({"type": ["string", "null"]}, {"type": "string"}, {"type": ["string"]}),
        ({"type": "number"}, {"type": "integer"}, {"type": ["integer"]}),
        ({"enum": [1, 2, True]}, {"enum": [True, 2]}, {"enum": [2, True]}),
        ({"required": ["a"]}, {"required": ["b", "a"]}, {"required": ["a", "b"]}),
        ({"multipleOf": 4}, {"multipleOf": 6}, {"multipleOf": 12}),
        ({"uniqueItems": False}, {"uniqueItems": True}, {"uniqueItems": True}),
        ({"items": {"a": 1}}, {"items": {"b": 1}}, {"items": {"allOf": [{"a": 1}, {"b": 1}]}}),
        (
            {"prefixItems": [{"a": 1}]},
            {"prefixItems": [True, {"b": 1}]},
            {"prefixItems": [{"a": 1}, {"b": 1}]},
        ),
        ({"title": "left"}, {"title": "right"}, {"title": "left"}),
    ],
    ids=str,
)
def test_both_sides_hold(left, right, merged):
    assert merge(left, right) == merged
    assert merge(left, {}) == left
    assert merge({}, right) == right


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"type": "string"}, {"type": "integer"}),
        ({"enum": [1]}, {"enum": [2]}),
        ({"const": 1}, {"const": True}),
        ({"const": 1}, {"enum": [2, 3]}),
    ],
    ids=str,
)
def test_what_contradicts_allows_nothing(left, right):
    assert merge(left, right) is None


def test_a_property_is_held_to_the_additional_properties_of_the_side_that_does_not_name_it():
    closed = {"properties": {"a": {}}, "additionalProperties": False}
    assert merge(closed, {"properties": {"b": {"type": "string"}}})["properties"]["b"] is False
    assert merge(closed, {"properties": {"b": {}}, "required": ["b"]}) is None
