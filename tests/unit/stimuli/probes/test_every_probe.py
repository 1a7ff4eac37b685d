"""What holds for all probes, over schemas of every kind."""

import json
from dataclasses import replace

import pytest

from aptix_conformance.core.model import Stimulus, codec
from aptix_conformance.core.model.codec import from_json, to_text
from aptix_conformance.core.model.stimulus import Kind
from aptix_conformance.stimuli.probes import PROBES
from aptix_conformance.targets.settings import ToolSettings

KINDS = {
    "valid": {"example", "minimal", "full", "again", "boundary", "generated"},
    "context": {"context", "whole"},
    "malformed": {"blank", "garbage", "truncated", "lenient", "root", "mutation"},
    "invalid": {
        "missing", "null", "type", "coercible", "enum", "const", "bounds", "length", "items", "pattern", "format",
        "additional", "relation", "combined", "omitted-optional", "null-optional",
    },
    "repeat": {"same"},
    "neighbours": {"same"},
    "extremes": {"extreme", "varied"},
}  # fmt: skip


@pytest.fixture(scope="module")
def seen(subject, host, explore):
    """The calls of the probe `valid`."""
    return explore(subject, host(subject), "valid")


@pytest.fixture(scope="module")
def fixed(subject, seen):
    """The fixed plans by the name of their probe."""
    return {probe.name: list(probe.fixed(subject, seen)) for probe in PROBES}


def test_calls_come_first_then_repeated_ones_then_disturbed_ones():
    names = [probe.name for probe in PROBES]
    assert names == [
        "valid",
        "context",
        "malformed",
        "invalid",
        "repeat",
        "alone",
        "neighbours",
        "keeping",
        "in-turn",
        "in-reverse",
        "at-once",
        "after-refusals",
        "refusals-first",
        "without-refusals",
        "pages",
        "defaults",
        "hash-seed",
        "conditions",
        "reading",
        "confined",
        "cancel",
        "fault",
        "outage",
        "broken-files",
        "extremes",
        "statements",
    ]


def test_a_tool_that_keeps_its_schema_meets_every_demand(subject, host, explore):
    for call in explore(subject, host(subject), "invalid"):
        assert call.plan.demand in ("either", "accepted" if call.succeeded else "refused"), call.plan.label


def test_a_tool_that_keeps_its_schema_meets_every_demand_of_a_drawn_call(subject, seen, host, draws):
    tool = host(subject)
    for probe in PROBES:
        strategy = probe.drawn(subject, seen)
        for plan in draws(strategy, 30) if strategy is not None else ():
            call = tool.execute(plan)
            assert plan.demand in ("either", "accepted" if call.succeeded else "refused"), plan


@pytest.mark.parametrize(
    "probe", [probe for probe in PROBES if probe.name != "cancel"], ids=lambda probe: probe.name
)
def test_a_slow_tool_gets_the_plans_of_a_fast_one(probe, subject, seen):
    """Only `cancel` chooses moments, which are in time."""
    asked = replace(subject, disturbances=frozenset({"together", "fault", "arguments", "hash-seed", "files"}))

    def made(seconds):
        calls = [codec.replace(call, elapsed=seconds) for call in seen]
        calls.extend(codec.replace(seen[0], plan=plan, elapsed=seconds) for plan in probe.fixed(asked, calls))
        together = list(probe.together(asked, calls))
        return [call.plan for call in calls], together, probe.shortfall(asked, calls)

    assert made(0.0) == made(4.0)


def test_plans_are_the_same_each_time(subject, seen, fixed):
    for probe in PROBES:
        assert list(probe.fixed(subject, seen)) == fixed[probe.name]


def test_no_two_fixed_plans_of_a_probe_are_the_same_call(fixed):
    for plans in fixed.values():
        assert len({(plan.label, plan.arguments, repr(plan.context)) for plan in plans}) == len(plans)


def test_labels_begin_with_a_known_kind_and_plans_name_their_probe(subject, seen, fixed, draws):
    for probe in PROBES:
        strategy = probe.drawn(subject, seen)
        drawn = draws(strategy, 15) if strategy is not None else []
        for plan in [*fixed[probe.name], *drawn]:
            assert plan.kind in KINDS[probe.name]
            assert plan.probe == probe.name
            assert plan.label.isprintable()


def test_plans_survive_a_report(five_fields, host, explore):
    for call in explore(five_fields, host(five_fields), "invalid"):
        text = to_text(call.plan)
        assert from_json(Stimulus, json.loads(text)) == call.plan


@pytest.mark.parametrize("fault", ["no schema", "no narrowing", "nothing satisfies it"])
def test_what_cannot_be_planned_is_said_and_the_rest_is_planned(make_subject, fault):
    good = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    impossible = {"type": "object", "properties": {"n": False}, "required": ["n"]}
    subject = {
        "no schema": make_subject(None),
        "no narrowing": make_subject(good, narrowing={"n": {"type": "no such type"}}),
        "nothing satisfies it": make_subject(impossible),
    }[fault]
    valid, context, malformed, invalid = PROBES[:4]
    assert valid.shortfall(subject, []).probe == "valid"
    assert invalid.shortfall(subject, []).probe == "invalid"
    assert valid.drawn(subject, []) is None
    assert invalid.drawn(subject, []) is None
    assert list(valid.fixed(subject, [])) == []
    assert len(list(context.fixed(subject, []))) > 20
    assert len(list(malformed.fixed(subject, []))) > 100
    assert malformed.shortfall(subject, []) is None


def test_a_tool_without_settings_of_its_own_needs_none(make_subject):
    assert make_subject({"type": "object"}).settings == ToolSettings()


ENTRY = {"type": "object", "properties": {"content": {"type": "string"}}, "required": ["content"]}
LISTS = {"type": "object", "properties": {"todos": {"type": "array", "items": ENTRY}}, "required": ["todos"]}


@pytest.mark.parametrize("sent", [[None], [{"content": "milk"}, None]])
def test_null_that_the_schema_forbids_in_the_array_of_an_example_is_in_no_call_that_it_allows(
    make_subject, host, explore, draws, sent
):
    """Its author made a mistake, and the tool keeps its schema: nothing that is made of the example blames the tool."""
    subject = make_subject(LISTS, examples=[{"todos": sent}])
    tool = host(subject)
    example, *others = explore(subject, tool, "extremes")
    assert json.loads(example.plan.arguments) == {"todos": sent}
    assert example.refused
    strategies = [probe.drawn(subject, [example, *others]) for probe in PROBES]
    drawn = [plan for strategy in strategies if strategy is not None for plan in draws(strategy, 30)]
    plans = [call.plan for call in others if call.plan.kind is not Kind.AGAIN] + drawn
    taken = [plan for plan in plans if plan.demand != "refused" and plan.probe != "malformed"]
    todos = [json.loads(plan.arguments).get("todos") for plan in taken]
    assert any(todos)
    assert not any(isinstance(items, list) and None in items for items in todos)
