"""Values that a schema names without listing them are sent, each in a call of its own."""

import pytest

from aptix_conformance.stimuli.generate import Arguments
from aptix_conformance.stimuli.generate.named import MOST, named_values


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("A coupon, such as SPRING10.", ["SPRING10"]),
        ("The zone (e.g. Europe/Oslo); UTC if left out.", ["Europe/Oslo"]),
        ('The letter, for example "Dear {name}".', ["Dear {name}"]),
        ("One of `low` or `high`.", ["low", "high"]),
        ("It's the user's name.", []),
        ("The name.", []),
    ],
)
def test_what_a_description_gives_as_an_example_is_a_value(said, values):
    assert list(named_values({"description": said}, ("string",))) == values


def test_a_number_in_words_is_a_number():
    described = {"description": "The customer's number, such as 1042, or e.g. 4.5."}
    assert list(named_values(described, ("number",))) == [1042, 4.5]
    assert list(named_values({"description": "Such as ten."}, ("integer",))) == []


def test_examples_and_a_default_come_first_and_no_value_comes_twice():
    node = {"examples": ["a", "b", ["c"]], "default": "a", "description": "Such as b, such as d."}
    assert list(named_values(node, ("string",))) == ["a", "b", "d"]


def test_of_many_values_the_first_ones_are_taken():
    assert len(list(named_values({"examples": list(range(50))}, ("integer",)))) == MOST


def test_each_is_sent_where_the_schema_allows_it():
    code = {"type": "string", "pattern": "^[A-Z]+[0-9]*$", "description": 'Such as SPRING10, not "spring".'}
    lines = {"type": "array", "items": {"type": "object", "properties": {"code": code}}}
    schema = {"type": "object", "properties": {"code": code, "lines": lines}}
    made = dict(Arguments(schema).boundaries())
    assert made["code", "named-2"] == {"code": "SPRING10"}
    assert ("code", "named-1") not in made
    assert made["lines[].code", "named-2"]["lines"] == [{"code": "SPRING10"}]


def test_a_listed_value_is_not_sent_twice():
    schema = {"properties": {"unit": {"enum": ["m", "ft"], "description": "Such as m."}}}
    assert not [edge for (_, edge) in dict(Arguments(schema).boundaries()) if edge.startswith("named")]
