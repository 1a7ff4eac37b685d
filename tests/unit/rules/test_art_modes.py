"""ART: how tools of each execution mode answer, and what must not be thrown."""

import pytest
from tests.unit.rules import art_builders as a

# ---- ART030 and ART031: blocking and display

MODES = {"ART030": "blocking", "ART031": "display"}


@pytest.mark.parametrize("code", MODES)
def test_a_rule_on_a_mode_concerns_tools_of_that_mode_alone(code):
    for mode in ("functional", "immediate", "blocking", "display"):
        reason = a.unconcerned(code, a.tool(executionMode=mode))
        assert (reason is None) == (mode == MODES[code])
        assert reason is None or MODES[code] in reason
    assert MODES[code] in a.unconcerned(code, a.tool())
    assert MODES[code] in a.unconcerned(code, a.without_art())


@pytest.mark.parametrize("code", MODES)
@pytest.mark.parametrize("result", [a.failed(), a.succeeded(status="done"), a.nothing(), a.resolved({})])
def test_a_mode_asks_nothing_of_what_is_neither_success_nor_suspension(code, result):
    assert a.is_for(code, a.call(result)) is False


@pytest.mark.parametrize("probe", ["valid", "repeat", "context"])
def test_a_blocking_tool_that_succeeds_at_once_is_found(probe):
    said = a.judge("ART030", a.call(probe=probe))
    assert "asked nobody" in said


@pytest.mark.parametrize("probe", ["valid", "repeat", "context"])
def test_a_blocking_tool_that_suspends_conforms(probe):
    assert a.judge("ART030", a.call(a.suspended(), probe=probe)) is None


@pytest.mark.parametrize("probe", ["invalid", "malformed", "fault"])
def test_other_calls_than_proper_ones_need_not_ask_a_person(probe):
    assert a.is_for("ART030", a.call(probe=probe)) is False


def test_a_display_tool_that_completes_conforms():
    assert a.judge("ART031", a.call()) is None


def test_a_display_tool_that_suspends_is_found():
    said = a.judge("ART031", a.call(a.suspended()))
    assert "suspended" in said


# ---- ART040: throwing nothing


@pytest.mark.parametrize("call", [a.call(), a.call(a.nothing()), a.call(a.failed()), a.threw("TypeError")])
def test_results_and_errors_are_something(call):
    assert a.judge("ART040", call) is None


@pytest.mark.parametrize("name", ["null", "undefined"])
def test_nothing_thrown_is_named(name):
    said = a.judge("ART040", a.threw(name, "nothing"))
    assert f"threw {name}." in said


def test_a_call_that_did_not_come_back_threw_nothing():
    assert a.is_for("ART040", a.hung()) is False
