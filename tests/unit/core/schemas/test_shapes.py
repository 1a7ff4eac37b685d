"""Shapes: what they say, and when two are the same."""

import json

import pytest

from aptix_conformance.core.schemas import fingerprint, lock_record, read_lock, shape_to_lock
from aptix_conformance.core.schemas.shapes import conflict, infer, leaves


def test_a_shape_is_a_table_of_places_and_types():
    value = {
        "modes": [{"id": "x", "hints": None}, {"id": "y", "hints": ["a"], "odd key": 1}],
        "count": 2.5,
        "ok": True,
    }
    assert infer([value]) == {
        "$": "object",
        "$.count": "number",
        "$.modes": "array",
        "$.modes[]": "object",
        "$.modes[].hints": "array | null",
        "$.modes[].hints[]": "string",
        "$.modes[].id": "string",
        '$.modes[]."odd key"': "absent | number",
        "$.ok": "boolean",
    }


def test_several_values_have_what_they_have_in_common():
    assert infer([{"a": 1}, {"a": "x", "b": None}, {"a": 2}]) == {
        "$": "object",
        "$.a": "number | string",
        "$.b": "absent | null",
    }
    assert infer([]) == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1}, {"a": 2.5}),
        ({"a": None}, {"a": "x"}),
        ({"a": None}, {}),
        ({"a": []}, {"a": [{"b": 1}]}),
        ({"a": [{"b": 1, "c": "x"}]}, {"a": [{"b": 2}]}),
        ({"rates": {"EUR": 1.0}}, {"rates": {"SEK": 11.5, "USD": 1.1}}),
        ({"rates": {}}, {"rates": {"SEK": 11.5}}),
        ({"a": {"b": 1, "c": "x"}}, {"a": None}),
        ([1, "x"], ["x"]),
        ("text", "other"),
    ],
)
def test_values_may_differ_where_the_shape_does_not(one, other):
    for pair in ((one, other), (other, one)):
        assert conflict(*(infer([value]) for value in pair)) is None


@pytest.mark.parametrize(
    ("one", "other", "place"),
    [
        ({"a": 1}, {"a": "1"}, "$.a"),
        ({"a": 1}, {"a": 1, "cached": True}, "$.cached"),
        ({"a": {"b": 1, "c": "x"}}, {"a": {"b": 1}}, "$.a.c"),
        ({"a": [1]}, {"a": ["1"]}, "$.a[]"),
        ({"a": {"b": 1}}, {"a": [1]}, "$.a"),
        ([], {}, "$"),
        ({"a": False}, {"a": 0}, "$.a"),
    ],
)
def test_other_keys_and_other_types_are_another_shape(one, other, place):
    for pair in ((one, other), (other, one)):
        assert f" {place} " in f"{conflict(*(infer([value]) for value in pair))} "


def test_hostile_values_have_a_shape_in_little_time():
    deep = json.loads("[" * 900 + "]" * 900)
    wide = {f"key{number}": number for number in range(50_000)}
    assert len(infer([deep, wide])) <= 2_000


def test_leaves_have_places_of_their_own():
    assert dict(leaves({"a": [1, {"b c": None}]})) == {"$.a[0]": 1, '$.a[1]."b c"': None}


def test_a_lock_keeps_the_shape_and_one_of_old_has_none():
    shape = infer([{"a": 1}])
    text = lock_record("agent", {}, "", shape).text()
    assert read_lock(text, "x.json").result_shape == shape
    old = lock_record("agent", {}, "").text()
    assert "result_shape" not in old
    assert read_lock(old, "x.json").fingerprint == fingerprint({})


@pytest.mark.parametrize(
    ("locked", "found", "update", "kept"),
    [
        ({"$": "object"}, {"$": "array"}, False, {"$": "array"}),
        ({"$": "object"}, None, False, {"$": "object"}),
        ({"$": "object"}, None, True, {"$": "object"}),
        (None, {"$": "object"}, False, None),
        (None, {"$": "object"}, True, {"$": "object"}),
    ],
)
def test_what_cannot_be_seen_now_stays_and_old_locks_go_on(tmp_path, locked, found, update, kept):
    (tmp_path / "agent.json").write_text(lock_record("agent", {}, "", locked).text())
    assert shape_to_lock(found, tmp_path, "agent", update=update) == kept
    assert shape_to_lock(found, tmp_path, "other", update=update) == found
