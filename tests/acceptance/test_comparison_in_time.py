"""A comparison of two schemas ends in time, whatever they hold: what takes too long is unknown, and is said to be."""

import pytest

from aptix_conformance.app.run import comparison
from aptix_conformance.core.schemas.diff import ChangeClass, ToolSchema

TEXT = {"type": "string"}


def tool(city):
    parameters = {"type": "object", "properties": {"city": city}}
    return ToolSchema({"type": "function", "name": "t", "description": "Tells.", "parameters": parameters})


def alternatives(depth, last):
    found = last
    for level in range(depth):
        found = {"anyOf": [found, {"minLength": level, "maxLength": level}]}
    return found


def within(depth, last):
    return {"type": "object", "properties": {"a": within(depth - 1, last)}} if depth else last


def backtracking(last):
    return {**TEXT, "pattern": "^" + "(a|aa)+" * 30 + last}


HOSTILE = {
    "40 alternatives within each other": (alternatives(40, TEXT), alternatives(40, {**TEXT, "maxLength": 9})),
    "300 objects within each other": (within(300, TEXT), within(300, {"type": "integer"})),
    "patterns that backtrack": (backtracking("$"), backtracking("b$")),
    "a pattern that backtracks, and none": (TEXT, backtracking("$")),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_comparison_gives_hostile_schemas_as_equal_or_ends_without_an_answer(name):
    old, new = HOSTILE[name]
    found = comparison.compare_in_time(tool(old), tool(new))
    assert found.changes
    assert all(change.message for change in found.changes)


def test_a_comparison_that_takes_too_long_is_unknown(monkeypatch):
    monkeypatch.setattr(comparison, "SECONDS", 0.05)
    monkeypatch.setattr(comparison, "compare", lambda *_: endless())
    (change,) = comparison.compare_in_time(tool(TEXT), tool({"type": "integer"})).changes
    assert (change.code, change.change_class) == ("schema-unreadable", ChangeClass.UNKNOWN)
    assert change.message == (
        "the two schemas cannot be compared: it took more than 0.05 s of processor time"
    )


def test_comparisons_that_take_too_long_share_one_limit(monkeypatch):
    """After the first each gets little time, and at last none; what is honest is compared as long as any is."""
    monkeypatch.setattr(comparison, "SECONDS", 0.3)
    monkeypatch.setattr(comparison, "LEAST", 0.2)
    monkeypatch.setattr(comparison, "MOST_STOPPED", 2)
    honest = comparison.compare
    monkeypatch.setattr(
        comparison, "compare", lambda old, *rest: honest(old, *rest) if old.usage_text else endless()
    )
    hostile, fine = tool(TEXT), ToolSchema(tool(TEXT).function, "Text.")
    with comparison.in_time() as judge:
        found = [judge(each, each) for each in (hostile, fine, hostile, fine)]
    assert found.pop(1).change_class is ChangeClass.IDENTICAL
    reasons = [each.changes[0].message.rpartition(": ")[2] for each in found]
    assert reasons[:2] == [f"it took more than {seconds} s of processor time" for seconds in (0.3, 0.2)]
    assert reasons[2:] == ["2 other comparisons took too long"]


def endless():
    while True:
        pass
