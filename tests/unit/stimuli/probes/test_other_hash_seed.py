"""The probe hash-seed makes a call again where its tool is read-only, its result shows texts in a row, and its host can."""

import json
from dataclasses import replace

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Constant, OtherHashSeed, Outcome, Result
from aptix_conformance.core.model.codec import replace as changed
from aptix_conformance.stimuli.probes import OtherHashSeedProbe

ROW = {"found": ["EUR", "USD"]}


def returned(payload, probe="valid", label="generated", arguments="{}"):
    plan = stimulus(probe, label, arguments, {})
    return Call(plan, Outcome.RETURNED, 0.0, Result("InvokeResult", True, True, json.dumps(payload), "str"))


@pytest.fixture
def planned(make_subject):
    def plan(*seen, usage="Read-only and idempotent.", kinds=frozenset({"hash-seed"})):
        subject = make_subject({"type": "object", "properties": {}})
        text = Constant("TOOL_USAGE_METADATA", "plain", usage, "str")
        subject = replace(
            subject, declaration=changed(subject.declaration, usage_text=text), disturbances=kinds
        )
        return list(OtherHashSeedProbe().fixed(subject, seen))

    return plan


def test_a_call_that_shows_texts_in_a_row_is_made_twice_under_one_other_seed(planned):
    first, second = planned(returned(ROW, arguments='{"a": 1}'))
    assert (first.arguments, second.arguments) == ('{"a": 1}', '{"a": 1}')
    assert (first.label, second.label) == ("same:seed:1", "same:seed:2")
    assert isinstance(first.disturbance, OtherHashSeed)
    assert first.disturbance == second.disturbance
    assert first.disturbance.seed != "0"


def test_where_the_first_call_shows_none_a_repeated_one_is_taken(planned):
    again = returned(ROW, "repeat", "same:A:1", '{"b": 2}')
    assert [plan.arguments for plan in planned(returned({}), again)] == ['{"b": 2}'] * 2


@pytest.mark.parametrize(
    "others",
    [{"usage": "Adds a currency."}, {"usage": "It is not idempotent."}, {"kinds": frozenset()}],
    ids=["no claim", "denied", "a host without seeds"],
)
def test_no_call_is_made_where_it_would_show_nothing(planned, others):
    assert planned(returned(ROW), **others) == []


def test_no_call_is_made_where_no_result_shows_a_row(planned):
    assert planned() == []
    assert planned(returned({"found": ["EUR"]})) == []
