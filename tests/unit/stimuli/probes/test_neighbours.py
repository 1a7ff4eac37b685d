"""The probe neighbours: which calls differ from the one that works in one argument, and that this one comes last."""

import json

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Outcome, Result
from aptix_conformance.core.model.codec import replace
from aptix_conformance.stimuli.probes import NeighboursProbe
from aptix_conformance.stimuli.probes.neighbours import TEXT
from aptix_conformance.targets.settings import ToolSettings

PROBE = NeighboursProbe()
SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "unit": {"type": "string", "enum": ["C", "F"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "days": {"type": "integer", "maximum": 3},
    },
    "required": ["city"],
}


def valid(*documents, seconds=0.001):
    good = Result("InvokeResult", True, True, "{}", "str")
    return [
        Call(stimulus("valid", "generated", json.dumps(one), {}), Outcome.RETURNED, seconds, good)
        for one in documents
    ]


@pytest.fixture
def planned(make_subject):
    def plans(seen, **settings):
        subject = replace(make_subject(SCHEMA), settings=ToolSettings(**settings))
        return [(plan.label, json.loads(plan.arguments)) for plan in PROBE.fixed(subject, seen)]

    return plans


def test_each_argument_is_changed_alone_and_the_call_that_works_comes_last(planned):
    seen = valid({"city": "Oslo", "unit": "C"}, {"city": "Rome", "unit": "F"}, {"city": "x", "days": 2})
    assert planned(seen) == [
        ("same:neighbour:1", {"city": TEXT, "unit": "C"}),
        ("same:neighbour:2", {"city": "Rome", "unit": "C"}),
        ("same:neighbour:3", {"city": "Oslo", "unit": "F"}),
        ("same:neighbour:4", {"city": "Oslo", "unit": "C", "days": 2}),
        ("same:neighbour:5", {"city": TEXT, "unit": "C"}),
        ("same:base:1", {"city": "Oslo", "unit": "C"}),
        ("same:base:2", {"city": "Oslo", "unit": "C"}),
    ]


def test_an_array_of_texts_gets_a_telling_text(planned):
    assert ("same:neighbour:2", {"city": "a", "tags": [TEXT]}) in planned(valid({"city": "a", "tags": ["x"]}))


def test_a_tool_that_is_said_to_be_idempotent_is_asked_as_such(planned):
    assert planned(valid({"city": "a"}), idempotent=True)[-1][0] == "idempotent:base:2"


def test_each_listed_value_that_worked_is_sent_and_of_others_two(make_subject):
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "unit": {"type": "string", "enum": list("CFKR")}},
    }
    seen = valid(*({"city": f"Oslo {unit}", "unit": unit} for unit in "CFKR"))
    sent = [json.loads(plan.arguments) for plan in PROBE.fixed(make_subject(schema), seen)]
    assert {one["unit"] for one in sent if one["city"] == "Oslo C"} == set("CFKR")
    assert {one["city"] for one in sent} == {"Oslo C", "Oslo F", TEXT}


@pytest.mark.parametrize(("most", "left_out"), [(24, None), (2, "3 of 5 calls")])
def test_what_was_left_out_is_said(make_subject, monkeypatch, most, left_out):
    monkeypatch.setattr("aptix_conformance.stimuli.probes.neighbours._MOST", most)
    subject = make_subject(SCHEMA)
    seen = valid({"city": "a", "unit": "C", "days": 1}, {"city": "b", "unit": "F", "days": 2})
    made = [Call(plan, Outcome.RETURNED, 0.1) for plan in PROBE.fixed(subject, seen)]
    found = PROBE.shortfall(subject, [*seen, *made])
    assert (found and found.reduced_coverage) == (left_out and True)
    assert found is None or found.reason.startswith(left_out)


def test_what_cannot_be_tried_is_said(make_subject):
    subject = make_subject(SCHEMA)
    assert "no call succeeded" in PROBE.shortfall(subject, []).reason
    assert PROBE.shortfall(subject, valid({"city": "a"})).expected


@pytest.mark.parametrize(
    ("seconds", "payloads", "times"),
    [
        (0.001, ["{}", '{"n": 1}'], 10),
        (0.001, ['{"n": 1}', '{"n": 1}'], 10),
        (0.001, ['{"c0ffee01": 1}', '{"c0ffee02": 1}'], 2),
        (0.5, ["{}", '{"n": 1}'], 10),
    ],
    ids=["answered differently", "unlike the first of all", "its own identifiers", "slow"],
)
def test_a_call_that_is_answered_differently_is_made_ten_times(make_subject, seconds, payloads, times):
    seen = valid({"city": "Oslo"}, {"city": "Rome"}, seconds=seconds)
    if times == 2:
        seen[0] = replace(seen[0], result=replace(seen[0].result, payload='{"c0ffee00": 1}'))
    made = 0
    for plan in PROBE.fixed(make_subject(SCHEMA), seen):
        result = Result("InvokeResult", True, True, payloads[made % 2], "str")
        seen.append(Call(plan, Outcome.RETURNED, seconds, result))
        made += plan.label.startswith("same:base")
    assert made == times
