"""Probe `context` expects success only where it was seen."""

import json

import pytest

from aptix_conformance.core.model.codec import replace
from aptix_conformance.stimuli.probes import ContextProbe
from aptix_conformance.stimuli.probes.context import HOSTILE
from aptix_conformance.systems.aptix.traits import PARTS
from aptix_conformance.systems.art.traits import TRAITS as ART

PROBE = ContextProbe()


def test_a_call_that_works_must_work_without_its_context(five_fields, host, explore, of):
    seen = explore(five_fields, host(five_fields), "valid")
    plans = list(PROBE.fixed(five_fields, seen))
    partial = [*of(plans, "context:none"), *of(plans, "context:empty"), *of(plans, "context:without-")]
    assert {plan.demand for plan in partial} == {"accepted"}
    base = [plan for plan in plans if plan.kind == "context" and plan.label.count(":") == 1]
    assert {plan.arguments for plan in base} == {'{"city": "Oslo", "days": 3}'}
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


def test_an_art_tool_is_sent_nothing_that_its_schema_forbids_whatever_the_context(make_subject):
    """Its orchestrator would refuse it; a registry of Aptix hands on whatever comes."""
    nothing = {"allOf": [{"type": "string"}, {"type": "integer"}]}
    aptix = make_subject({"type": "object", "properties": {"point": nothing}, "required": ["point"]})
    assert list(PROBE.fixed(aptix, []))
    assert list(PROBE.fixed(replace(aptix, declaration=replace(aptix.declaration, traits=ART)), [])) == []


@pytest.fixture
def made(host, explore):
    """The calls that the probe makes of a tool, each planned over those before it."""

    def run(subject, **behaviour):
        tool = host(subject, **behaviour)
        seen = explore(subject, tool, "valid")
        count = len(seen)
        for plan in PROBE.fixed(subject, seen):
            seen.append(tool.execute(plan))
        return [call.plan for call in seen[count:]]

    return run


def test_the_fullest_call_and_each_listed_value_are_tried_without_a_context_too(five_fields, made, of):
    plans = made(five_fields)
    fullest = [
        plan for plan in plans if plan.label.startswith("context:") and plan.label.endswith(":fullest")
    ]
    assert {plan.label for plan in fullest} == {
        f"context:{what}:fullest" for what in ("none", "empty", *(f"without-{part}" for part in PARTS))
    }
    assert {tuple(json.loads(plan.arguments)) for plan in fullest} == {
        ("city", "days", "unit", "tags", "detailed")
    }
    assert {plan.demand for plan in fullest} == {"accepted"}
    turns = [plan for plan in plans if "=" in plan.label]
    values = {(json.loads(plan.arguments)["unit"], json.loads(plan.arguments)["detailed"]) for plan in turns}
    assert len(values) == 2  # one other unit, and the other truth value
    for turn in of(turns, "context:none:"):
        assert turn.context is None
        assert turn.demand == "accepted"
        name = turn.label.removeprefix("context:none:")
        (empty,), (whole,) = of(turns, f"context:empty:{name}"), of(turns, f"whole:{name}")
        assert empty.context == {}
        assert whole.context["user"]
        assert whole.demand == "either"


def test_what_does_not_work_in_a_whole_context_is_not_tried_without_one(five_fields, made, of):
    plans = made(five_fields, refuses=lambda given: given.get("detailed") is True)
    refused = [plan for plan in plans if json.loads(plan.arguments).get("detailed") is True]
    assert [plan.label for plan in refused] == ["whole:detailed=true"]
    assert of(plans, "context:none:unit=")


LONG = {
    "type": "object",
    "properties": {"code": {"enum": [f"x{n}" for n in range(300)]}, "more": {"type": "boolean"}},
}


def test_each_listed_value_that_is_sent_at_all_is_tried_and_none_hides_another_argument(
    make_subject, made, of
):
    plans = made(make_subject(LONG))
    tried = [plan.label.removeprefix("context:none:") for plan in of(plans, "context:none:")]
    assert {name for name in tried if name.startswith("code=")} >= {f'code="x{n}"' for n in range(1, 100)}
    assert len(tried) == len(set(tried)) <= 104
    assert "more=" in tried[2]


def test_more_values_than_calls_are_left_out_and_hostile_contexts_are_not(
    make_subject, host, explore, of, monkeypatch
):
    monkeypatch.setattr("aptix_conformance.stimuli.probes.context._MOST_TURNS", 30)
    asked = make_subject(LONG)
    tool = host(asked)
    seen = explore(asked, tool, "valid")
    for plan in PROBE.fixed(asked, seen):
        seen += [tool.execute(plan)]
    plans = [call.plan for call in seen]
    assert len(of(plans, "context:hostile-")) == len(HOSTILE)
    assert len({plan.change.turn for plan in plans} - {None}) == 30
    assert "71 of 101 calls with other values" in PROBE.shortfall(asked, seen).reason
