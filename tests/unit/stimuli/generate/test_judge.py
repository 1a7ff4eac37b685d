"""Valid on the strictest reading, forbidden on the kindest."""

import pytest

from aptix_conformance.stimuli.generate import Judge, is_json_object

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "day": {"type": "string", "format": "date"},
        "n": {"type": "integer"},
    },
    "required": ["name"],
}


def test_a_format_is_kept_by_what_is_sent_as_valid_and_forbids_nothing():
    judge = Judge(SCHEMA)
    assert not judge.admits({"name": "a", "day": "soon"})
    assert not judge.forbids({"name": "a", "day": "soon"})


def test_null_is_as_good_as_missing():
    judge = Judge(SCHEMA)
    assert not judge.forbids({"name": "a", "n": None})
    assert judge.forbids({"name": None})
    assert judge.forbids({"name": "a", "n": "x", "day": None})


def test_what_a_format_alone_makes_valid_is_not_admitted():
    branches = [{"required": ["a"]}, {"properties": {"b": {"format": "date"}}, "required": ["b"]}]
    judge = Judge({"type": "object", "oneOf": branches})
    assert not judge.admits({"a": 1, "b": "soon"})
    assert judge.admits({"a": 1})


def test_a_narrowing_binds_what_is_admitted_only():
    judge = Judge(SCHEMA, {"n": {"maximum": 3}, "unknown": {"const": 1}})
    assert not judge.admits({"name": "a", "n": 4})
    assert not judge.forbids({"name": "a", "n": 4})
    assert not judge.admits({"name": "a", "unknown": 2})


def test_a_narrowing_that_is_no_schema_is_an_error():
    with pytest.raises(ValueError, match="type"):
        Judge(SCHEMA, {"n": {"type": "no such type"}})


@pytest.mark.parametrize(
    "text", ["{}", ' {"a": 1} ', '{"a": ' + "9" * 5000 + "}", '{"a": 1e999}', '{"a": "\\ud800"}']
)
def test_json_objects_are_recognised_whatever_their_numbers(text):
    assert is_json_object(text)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "NaN", '{"a": NaN}', "{'a': 1}", '{"a": 1,}', "\ufeff{}", '{"a": 01}', '{"a": "\n"}'],
)
def test_what_is_no_json_object_is_recognised(text):
    assert not is_json_object(text)


def test_what_is_too_deep_to_read_is_not_called_malformed():
    assert is_json_object('{"a":' * 100_000 + "1" + "}" * 100_000)


@pytest.mark.parametrize("todos", [[None], [{"content": "milk"}, None]])
def test_null_in_an_array_is_not_as_good_as_missing(todos):
    """Only a member may be left out; an item that is null counts as what the schema says of items."""
    item = {"type": "object", "properties": {"content": {"type": "string"}}}
    schema = {"type": "object", "properties": {"todos": {"type": "array", "items": item}}}
    assert Judge(schema).forbids({"todos": todos})
    nullable = {**schema, "properties": {"todos": {"type": "array", "items": {"type": ["object", "null"]}}}}
    assert Judge(nullable).admits({"todos": todos})
