"""LOG: which records a rule looks at, and which tools it is for."""

from tests.unit.rules import builders as b
from tests.unit.rules.explorations import explored


def test_log001_looks_at_custom_events_and_past_the_first():
    def logged(*records):
        return b.call(logs=tuple(b.LogRecord(**record) for record in records))

    fine = {"method": "add_custom_event", "tag": "a", "pairs": (("a", "b"),)}
    odd = {"method": "add_custom_event", "tag": "b", "pairs_fault": "a dict was given"}
    assert "'b'" in b.judge("LOG001", logged(fine, odd)).message
    assert "add_error of 'b'" in b.judge("LOG001", logged(fine, {**odd, "method": "add_error"})).message
    assert b.judge("LOG001", logged({"method": "trace", "pairs": (("a", "b"),)})) is None
    assert not b.RULES["LOG001"].when(logged({"method": "trace"}))


def test_log002_is_for_logged_exceptions():
    def logged(method, tag):
        return b.call(logs=(b.LogRecord(method, tag),))

    assert not b.RULES["LOG002"].when(explored(logged("add_error", "x")))
    right = logged("add_exception", "[GreeterTool_ExecuteAsync__Exception]")
    assert b.judge("LOG002", explored(logged("add_error", "x"), right)) is None
    assert b.judge("LOG002", explored(right, logged("add_exception", "GreeterTool"))).call


def test_log002_has_no_name_to_ask_for_where_there_is_none():
    """An empty name is in every tag."""
    nameless = b.declaration(
        class_name="Tool", tool_name=b.Constant("TOOL_NAME", "missing", None, ""), bases=()
    )
    seen = b.call(logs=(b.LogRecord("add_exception", "execute"),))
    assert b.judge("LOG002", explored(seen, declared=nameless))


def test_log003_is_for_calls_that_returned():
    assert not b.RULES["LOG003"].when(b.call(raised="KeyError"))
    assert b.judge("LOG003", b.call()) is None
