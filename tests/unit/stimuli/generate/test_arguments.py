"""What is sent as valid is valid, and what can be made is made."""

import datetime
import json
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from aptix_conformance.stimuli.generate import Arguments, write
from aptix_conformance.stimuli.generate.argument_schema import fault

QUICK = settings(max_examples=60, database=None, deadline=None, suppress_health_check=list(HealthCheck))


def test_everything_drawn_is_valid_for_another_validator(schema):
    judge = Draft202012Validator(schema)

    @QUICK
    @given(Arguments(schema).drawn())
    def check(arguments):
        judge.validate(arguments)
        assert isinstance(arguments, dict)

    check()


def test_everything_drawn_can_be_written_as_utf_8(schema):
    @QUICK
    @given(Arguments(schema).drawn(), st.sampled_from(["plain", "compact", "escaped", "indented"]))
    def check(arguments, style):
        text = write(arguments, style)
        text.encode()
        assert json.loads(text) == arguments

    check()


def test_the_minimal_and_the_full_object_are_valid(schema):
    arguments = Arguments(schema)
    judge = Draft202012Validator(schema)
    judge.validate(arguments.minimal())
    assert arguments.full() is None or judge.is_valid(arguments.full())


def test_the_minimal_object_has_the_required_members_only(schemas):
    assert set(Arguments(schemas["five-fields"]).minimal()) == {"city", "days"}


def test_the_full_object_has_every_member(schemas):
    assert set(Arguments(schemas["five-fields"]).full()) == {"city", "days", "unit", "tags", "detailed"}


def test_boundary_objects_are_valid_and_differ(schema):
    judge = Draft202012Validator(schema)
    made = list(Arguments(schema).boundaries())
    assert all(judge.is_valid(candidate) for _, candidate in made)
    assert len({write(candidate) for _, candidate in made}) == len(made)


def test_bounds_enumerations_and_empty_values_are_among_the_boundaries(schemas):
    made = dict(Arguments(schemas["five-fields"]).boundaries())
    assert made["days", "minimum"]["days"] == 1
    assert made["days", "maximum"]["days"] == 14
    assert repr(made["days", "integral-float"]["days"]) == "1.0"
    assert len(made["city", "maxLength"]["city"]) == 40
    assert [made["unit", f"enum-{n}"]["unit"] for n in (1, 2)] == ["C", "F"]
    assert made["tags", "empty-array"]["tags"] == []


def test_equal_schemas_give_equal_objects(schema):
    one, other = Arguments(schema), Arguments(schema)
    assert (one.minimal(), one.full(), list(one.boundaries())) == (
        other.minimal(),
        other.full(),
        list(other.boundaries()),
    )


def test_a_narrowed_argument_is_drawn_within_its_narrowing(schemas):
    arguments = Arguments(schemas["five-fields"], {"days": {"maximum": 2}, "city": {"enum": ["Oslo"]}})

    @QUICK
    @given(arguments.drawn())
    def check(drawn):
        assert drawn["days"] <= 2
        assert drawn["city"] == "Oslo"

    check()
    assert arguments.minimal() == {"city": "Oslo", "days": 1}


def test_values_of_an_example_are_preferred_to_made_up_ones(schemas):
    example = {"city": "Trondheim", "days": 7, "unit": "F"}
    arguments = Arguments(schemas["five-fields"], examples=[example])
    assert arguments.minimal() == {"city": "Trondheim", "days": 7}
    assert arguments.full()["unit"] == "F"


def test_an_example_against_the_schema_is_not_built_upon(schemas):
    assert Arguments(schemas["five-fields"], examples=[{"city": 5}]).minimal()["city"] != 5


def test_drawn_objects_shrink_to_what_a_person_would_write(schemas):
    assert find(
        Arguments(schemas["five-fields"]).drawn(), lambda _: True, settings=settings(database=None)
    ) == {
        "city": "a",
        "days": 1,
    }


@pytest.mark.parametrize(
    "schema",
    [
        {
            "type": "object",
            "properties": {"n": {"type": "integer", "minimum": 5, "maximum": 3}},
            "required": ["n"],
        },
        {"type": "object", "properties": {"n": False}, "required": ["n"]},
        {"type": "array"},
        {"type": "object", "required": ["n"], "properties": {"n": {"type": "string", "minLength": 10**9}}},
        {"type": "object", "required": ["n"], "properties": {"n": {"type": "array", "minItems": 10**9}}},
        {"type": "object", "required": ["n"], "properties": {"n": {"enum": ["a"], "type": "integer"}}},
        {"type": "object", "required": ["n"], "properties": {"n": {"allOf": [{"const": 1}, {"const": 2}]}}},
        {"$ref": "#"},
        {"type": "object", "properties": {"n": {"$ref": "#"}}, "required": ["n"]},
        {
            "type": "object",
            "required": ["n"],
            "properties": {
                "n": {"type": "array", "items": {"enum": ["a"]}, "minItems": 2, "uniqueItems": True}
            },
        },
    ],
    ids=str,
)
def test_a_schema_that_nothing_satisfies_gives_nothing_and_raises_nothing(schema):
    assert fault(schema) is None
    arguments = Arguments(schema)
    if schema == {"$ref": "#"}:
        assert arguments.minimal() in (None, {})
        return
    assert arguments.minimal() is None
    assert arguments.full() is None
    assert list(arguments.boundaries()) == []
    assert arguments.drawn() is None


def test_references_that_double_inside_one_value_make_a_schema_unusable():
    laughs = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(14)}
    schema = {"$defs": {**laughs, "d14": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/d0"}}}
    assert "schemas" in fault(schema)


def test_references_that_double_from_member_to_member_are_given_up_in_time():
    twins = {
        f"p{n}": {
            "type": "object",
            "properties": {k: {"$ref": f"#/$defs/p{n + 1}", "minProperties": 0} for k in "ab"},
        }
        for n in range(16)
    }
    schema = {
        "$defs": {**twins, "p16": {"type": "object"}},
        "type": "object",
        "properties": {"name": {"type": "string"}, "twin": {"$ref": "#/$defs/p0"}},
        "required": ["name"],
    }
    assert fault(schema) is None
    arguments = Arguments(schema)
    assert arguments.minimal() == {"name": "text"}
    assert arguments.drawn() is not None


def test_what_was_asked_before_does_not_change_what_is_made(schemas):
    arguments = Arguments(schemas["nested"])
    for _ in range(4000):
        assert arguments.value({"type": "array", "items": {"type": "integer"}}) == [1]


def test_a_long_chain_of_references_makes_a_schema_unusable():
    chain = {f"c{n}": {"properties": {"a": {"$ref": f"#/$defs/c{n + 1}"}}} for n in range(5000)}
    assert "levels deep" in fault({"$defs": chain, "$ref": "#/$defs/c0"})


def test_multiples_of_a_decimal_fraction_are_decimal_multiples():
    schema = {"type": "object", "properties": {"n": {"type": "number", "multipleOf": 0.1}}, "required": ["n"]}

    @QUICK
    @given(Arguments(schema).drawn())
    def check(arguments):
        assert Decimal(str(arguments["n"])) % Decimal("0.1") == 0

    check()


def test_a_pattern_beside_a_format_makes_no_value_that_the_format_forbids():
    """By its digits alone, the simplest date is the first of January of the year 0, which is none in Python."""
    text = {"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
    made = Arguments({"type": "object", "properties": {"day": text}, "required": ["day"]})
    assert datetime.date.fromisoformat(made.minimal()["day"])

    @QUICK
    @given(made.drawn())
    def check(arguments):
        assert datetime.date.fromisoformat(arguments["day"])

    check()


def test_a_pattern_that_asks_for_more_than_its_format_is_kept():
    text = {"type": "string", "format": "email", "pattern": "@corp[.]example$"}
    made = Arguments({"type": "object", "properties": {"to": text}, "required": ["to"]}).minimal()
    assert made is None or made["to"].endswith("@corp.example")


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "^(?<year>\\d{4})$", "^\\p{L}+$", "a{100000}", "^$", "\\bword\\b", "[", ""]
)
def test_patterns_are_matched_or_given_up(pattern):
    schema = {
        "type": "object",
        "properties": {"text": {"type": "string", "pattern": pattern}},
        "required": ["text"],
    }
    if fault(schema):
        return
    made = Arguments(schema).minimal()
    assert made is None or Draft202012Validator({"type": "string"}).is_valid(made["text"])
