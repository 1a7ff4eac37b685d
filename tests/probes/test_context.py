"""Probe `context` expects success only where it was seen."""

import json
from dataclasses import replace

from aptix_conformance.probes import ContextProbe

PROBE = ContextProbe()


def test_a_call_that_works_must_work_without_its_context(five_fields, host, explore, of):
    seen = explore(five_fields, host(five_fields), "valid")
    plans = list(PROBE.fixed(five_fields, seen))
    partial = [*of(plans, "context:none"), *of(plans, "context:empty"), *of(plans, "context:without-")]
    assert {plan.demand for plan in partial} == {"accepted"}
    assert {plan.arguments for plan in plans} == {'{"city": "Oslo", "days": 3}'}
    assert of(plans, "context:none")[0].context is None
    assert of(plans, "context:empty")[0].context == {}
    assert PROBE.shortfall(five_fields, seen) is None


def test_a_hostile_context_may_be_answered_either_way(five_fields, host, explore, of):
    seen = explore(five_fields, host(five_fields), "valid")
    hostile = of(PROBE.fixed(five_fields, seen), "context:hostile-")
    assert {plan.demand for plan in hostile} == {"either"}
    assert len(hostile) == len({plan.context["session_id"] for plan in hostile}) >= 10
    assert all(json.loads(json.dumps(plan.context)) == plan.context for plan in hostile)


def test_nothing_is_expected_of_a_tool_that_refuses_everything(five_fields, host, explore):
    seen = explore(five_fields, host(five_fields, refuses=lambda _: True), "valid")
    assert {plan.demand for plan in PROBE.fixed(five_fields, seen)} == {"either"}
    assert "example" in PROBE.shortfall(five_fields, seen).reason


def test_nothing_is_expected_of_a_tool_that_answers_equal_calls_differently(five_fields, host, explore):
    seen = explore(five_fields, host(five_fields, stateful=True), "valid")
    assert {plan.demand for plan in PROBE.fixed(five_fields, seen)} == {"either"}
    assert PROBE.shortfall(five_fields, seen) is not None


def test_a_slow_call_is_made_in_the_contexts_that_matter_most(five_fields, host, explore):
    """Thirty contexts of two seconds each would take a minute; the identifiers' own are tried all the same."""
    tool = host(five_fields)
    seen = [replace(call, elapsed=2.0) for call in explore(five_fields, tool, "valid")]
    for plan in PROBE.fixed(five_fields, seen):
        seen += [replace(tool.execute(plan), elapsed=2.0)]
    made = [call.plan.label for call in seen if call.plan.probe == "context"]
    needed = {"none", "empty", "without-session_id", "without-request", "without-conversation_id"}
    assert {f"context:{what}" for what in needed} <= set(made)
    assert len(made) * 2.0 <= five_fields.budget / 2
    shortfall = PROBE.shortfall(five_fields, seen)
    assert shortfall.thinner
    assert f"in {len(made)} of 29 contexts" in shortfall.reason
