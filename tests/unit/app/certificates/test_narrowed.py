"""How many values a configuration leaves of an argument: never more than it leaves."""

import pytest

from aptix_conformance.app.certificates.narrowed import narrowed, values_of


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        ({"const": 1}, 1),
        ({"enum": ["a", "b", "a"]}, 2),
        ({"enum": ["a", "b"], "pattern": "b"}, 1),
        ({"type": "string", "enum": ["a", 1, 2, 3]}, 1),
        ({"enum": [1, 1.0]}, 1),
        ({"type": "string", "const": 1}, 0),
        ({"type": "boolean"}, 2),
        ({"type": "null"}, 1),
        ({"type": ["boolean", "null"]}, 3),
        ({"type": ["string", "null"]}, None),
        ({"minLength": 20, "maxLength": 10}, 0),
        ({"type": "number", "minimum": 1, "maximum": 1.0000001}, 1),
        ({"type": "integer", "minimum": 1, "maximum": 3.5}, 3),
        ({"type": "integer", "minimum": 3, "maximum": 1}, 0),
        ({"type": "number", "minimum": 1, "maximum": 1}, 1),
        ({"type": "number", "minimum": 1, "maximum": 2}, 1),
        ({"minimum": 1}, None),
        ({"type": "string", "maxLength": 40}, None),
        ({"type": "string", "maxLength": 0}, 1),
        ({"type": "string", "pattern": "^a$"}, 1),
        ({"anyOf": [{"const": 1}]}, 1),
        ({"type": "string"}, None),
        ({}, None),
        (True, None),
        (False, 0),
    ],
)
def test_the_values_are_counted_where_they_can_be_and_else_are_one(schema, values):
    assert values_of(schema) == values


def test_each_narrowed_argument_is_named():
    found = narrowed({"b": {"const": 1}, "a": {"minimum": 1}})
    assert [(one.argument, one.values) for one in found] == [("a", None), ("b", 1)]
