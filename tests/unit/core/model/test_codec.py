"""Records to JSON and back, from a party that may lie."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

import pytest
from msgspec import field

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.model.codec import Json, Record, from_json, read_json, replace, to_json, to_text


class Colour(StrEnum):
    RED = "red"


class Point(Record, frozen=True):
    x: int
    y: float = 0.0


@dataclass(frozen=True)
class Plain:
    x: int


class Drawing(Record, frozen=True):
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
        ({"name": 1}, r"Drawing\.name: `str` was expected, not int"),
        ({"name": None}, r"Drawing\.name: `str` was expected, not null"),
        ({"points": {}}, r"Drawing\.points: `array` was expected, not object"),
        ({"points": [{"x": 1}, {"x": "1"}]}, r"Drawing\.points\[1\]\.x: `int` was expected, not str"),
        ({"points": [{"x": True}]}, r"Drawing\.points\[0\]\.x: `int` was expected, not bool"),
        ({"points": [{"y": 1.0}]}, r"Drawing\.points\[0\]: the member 'x' is missing"),
        ({"points": [{"x": 1, "z": 1}]}, r"Drawing\.points\[0\]: unknown member 'z'"),
        ({"points": [{"x": 1, "z": 1} | {"\n" * 1000: 1}]}, r"Drawing\.points\[0\]: unknown member 'z'"),
        ({"points": [[]]}, r"Drawing\.points\[0\]: `object` was expected, not array"),
        ({"points": [{"x": 1.5}]}, r"Drawing\.points\[0\]\.x: `int` was expected, not float"),
        ({"points": [{"x": 1.0}]}, r"Drawing\.points\[0\]\.x: `int` was expected, not float"),
        ({"pair": [1]}, r"Drawing\.pair: an array of 2 was expected, not of 1"),
        ({"pair": [1, 2]}, r"Drawing\.pair\[1\]: `str` was expected"),
        ({"colour": "blue"}, r"Drawing\.colour: Invalid enum value 'blue'"),
        ({"kind": "dot"}, r"Drawing\.kind: Invalid enum value 'dot'"),
        ({"kind": []}, r"Drawing\.kind: `str` was expected, not array"),
        ({"labels": []}, r"Drawing\.labels: `object` was expected"),
        ({"labels": {"a": 1}}, r"Drawing\.labels\[\.\.\.\]: `str` was expected"),
        ({"either": 1.5}, r"Drawing\.either: `int \| str` was expected, not float"),
        ({"flag": 1}, r"Drawing\.flag: `bool` was expected, not int"),
        ({"\ud800": 1}, r"Drawing: .*ud800"),
        ({"points": [{"x": 1, "y": 10**999}]}, r"Drawing\.points\[0\]\.y: .*out of range"),
    ],
)
def test_a_mismatch_is_refused_with_its_place(change, wrong):
    with pytest.raises(RecordError, match=wrong):
        from_json(Drawing, {"name": "n"} | change)


@pytest.mark.parametrize("data", [None, [], "x", 1])
def test_what_is_no_object_is_no_record(data):
    with pytest.raises(RecordError, match="Drawing: `object` was expected"):
        from_json(Drawing, data)


def test_the_place_can_be_prefixed():
    with pytest.raises(RecordError, match=r"^line 3\.x: "):
        from_json(Point, {"x": ""}, "line 3")


@pytest.mark.parametrize("data", [{"x": "y" * 10_000}, {"x": 1, "y\n\x1b" * 10_000: 1}])
def test_what_a_liar_wrote_is_cut_and_escaped_in_the_message(data):
    with pytest.raises(RecordError) as error:
        from_json(Point, data)
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("value", [object(), Point])
def test_what_has_no_json_form_is_refused(value):
    with pytest.raises(TypeError, match="unsupported"):
        to_json(value)


def test_the_text_of_a_record_is_ascii_and_has_no_nan():
    assert to_text(Drawing("\ud800")).isascii()
    with pytest.raises(ValueError, match="JSON compliant"):
        to_text(Point(1, float("nan")))


@pytest.mark.parametrize("text", ["1e999", "-1E400", "NaN", "-Infinity"])
def test_a_number_that_no_text_of_a_record_has_is_not_read(text):
    with pytest.raises(ValueError, match=r"is too large|is not a JSON number"):
        read_json(f'{{"schema": [{text}]}}')


def test_values_beyond_a_limit_are_not_read():
    with pytest.raises(ValueError, match="more than 3 values"):
        read_json(b"[1, 2, 3, 4]", most=3)


@pytest.mark.parametrize("record", [Point(1), Plain(1)])
def test_a_record_is_changed_by_a_copy(record):
    assert replace(record, x=2).x == 2
    with pytest.raises(TypeError):
        replace(record, no_such=2)


def test_a_record_is_frozen():
    with pytest.raises(AttributeError):
        Point(1).x = 2
