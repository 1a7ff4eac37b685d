"""Records to JSON and back, from a party that may lie."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

import pytest

from aptix_conformance.errors import RecordError
from aptix_conformance.model.records import Json, from_json, to_json


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Point:
    x: int
    y: float = 0.0


@dataclass(frozen=True)
class Drawing:
    name: str
    points: tuple[Point, ...] = ()
    pair: tuple[int, str] = (0, "")
    colour: Colour | None = None
    kind: Literal["line", "area"] = "line"
    labels: Mapping[str, str] = field(default_factory=dict)
    extra: Json = None
    anything: Any = None
    either: int | str = 0
    flag: bool = False


FULL = Drawing(
    name="\ud800",
    points=(Point(1, 2.5), Point(-1)),
    pair=(3, "c"),
    colour=Colour.RED,
    kind="area",
    labels={"a": "b"},
    extra={"deep": [1, None]},
    anything=[{}],
    either="x",
    flag=True,
)


@pytest.mark.parametrize("record", [FULL, Drawing("plain")])
def test_a_record_comes_back_from_its_json_as_it_was(record):
    assert from_json(Drawing, json.loads(json.dumps(to_json(record)))) == record


def test_an_integer_will_do_where_a_float_is_wanted():
    point = from_json(Point, {"x": 1, "y": 2})
    assert point == Point(1, 2.0)
    assert type(point.y) is float


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"name": 1}, r"Drawing\.name: str was expected, not 1"),
        ({"name": None}, r"Drawing\.name: str was expected, not None"),
        ({"points": {}}, r"Drawing\.points: .* was expected, not {}"),
        ({"points": [{"x": 1}, {"x": "1"}]}, r"Drawing\.points\[1\]\.x: int was expected, not '1'"),
        ({"points": [{"x": True}]}, r"Drawing\.points\[0\]\.x: int was expected, not True"),
        ({"points": [{"y": 1.0}]}, r"Drawing\.points\[0\]: the member 'x' is missing"),
        ({"points": [{"x": 1, "z": 1}]}, r"Drawing\.points\[0\]: unknown member 'z'"),
        ({"points": [[]]}, r"Drawing\.points\[0\]: Point was expected"),
        ({"points": [{"x": 1.5}]}, r"Drawing\.points\[0\]\.x: int was expected, not 1\.5"),
        ({"pair": [1]}, r"Drawing\.pair: an array of 2 was expected, not of 1"),
        ({"pair": [1, 2]}, r"Drawing\.pair\[1\]: str was expected"),
        ({"colour": "blue"}, r"Drawing\.colour: Colour was expected, not 'blue'"),
        ({"kind": "dot"}, r"Drawing\.kind: .* was expected, not 'dot'"),
        ({"kind": []}, r"Drawing\.kind: .* was expected"),
        ({"labels": []}, r"Drawing\.labels: .* was expected"),
        ({"labels": {"a": 1}}, r"Drawing\.labels\.a: str was expected"),
        ({"either": 1.5}, r"Drawing\.either: .* was expected, not 1\.5"),
        ({"flag": 1}, r"Drawing\.flag: bool was expected, not 1"),
    ],
)
def test_a_mismatch_is_refused_with_its_place(change, wrong):
    with pytest.raises(RecordError, match=wrong):
        from_json(Drawing, {"name": "n"} | change)


@pytest.mark.parametrize("data", [None, [], "x", 1])
def test_what_is_no_object_is_no_record(data):
    with pytest.raises(RecordError, match="Drawing was expected"):
        from_json(Drawing, data)


def test_the_place_can_be_prefixed():
    with pytest.raises(RecordError, match=r"^line 3\.x: "):
        from_json(Point, {"x": ""}, "line 3")


def test_a_long_value_is_cut_in_the_message():
    with pytest.raises(RecordError) as error:
        from_json(Point, {"x": "y" * 10_000})
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("value", [object(), {1, 2}, b"x", Point])
def test_what_has_no_json_form_is_refused(value):
    with pytest.raises(TypeError, match="has no JSON form"):
        to_json(value)
