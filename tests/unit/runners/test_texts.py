"""The texts in a tool's object are found wherever they stand, and none of its code runs."""

from dataclasses import dataclass, field

import pytest

from aptix_conformance.runners.python.texts import MOST_TEXTS, has_number, texts_of


@dataclass(slots=True)
class Slotted:
    message: str = "slot"
    empty: str = field(init=False)


class Plain:
    kind = "of the class"

    def __init__(self):
        self.metadata = {"a": ("in", ["lists"])}
        self.inner = Slotted()

    @property
    def asked(self):
        raise AssertionError("a property ran")


def raised():
    outer = ValueError("outside")
    outer.__cause__ = KeyError("inside")
    return outer


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ("a", {"a"}),
        ({"k": {"deep": ["a", ("b", {"c"})]}}, {"a", "b", "c"}),
        (Slotted(), {"slot"}),
        (Plain(), {"in", "lists", "slot"}),
        (raised(), {"outside", "'inside'"}),
        ([None, 7, b"bytes", str], set()),
    ],
)
def test_texts_are_found_at_any_depth(value, texts):
    assert set(texts_of(value)) == texts


def test_a_circle_and_a_flood_end():
    circle = {}
    circle["self"] = circle
    assert texts_of(circle) == []
    assert len(texts_of([str(n) for n in range(99)])) == MOST_TEXTS
    deep = "bottom"
    for _ in range(100):
        deep = [deep]
    assert texts_of(deep) == []


@pytest.mark.parametrize(
    ("value", "found"),
    [({"code": 2}, True), ([0, 0.5], True), ({"code": 0, "ok": True}, False), ("2", False), (None, False)],
)
def test_a_number_says_something_unless_it_is_zero(value, found):
    assert has_number(value) is found
