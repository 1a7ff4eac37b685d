"""The probe hash-seed makes a call again where its result shows texts in a row, and its host can."""

import json
from dataclasses import replace

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, OtherHashSeed, Outcome, Result
from aptix_conformance.stimuli.probes import OtherHashSeedProbe

ROW = {"found": ["EUR", "USD"]}
TURNED = {"found": ["USD", "EUR"]}


def answered(plan, payload):
    return Call(plan, Outcome.RETURNED, 0.0, Result("InvokeResult", True, True, json.dumps(payload), "str"))


def returned(payload, probe="valid", label="generated", arguments="{}"):
    return answered(stimulus(probe, label, arguments, {}), payload)


@pytest.fixture
def planned(make_subject):
    """The plans for a tool that answers in a certain way under another seed."""

    def plan(*seen, other=TURNED, kinds=frozenset({"hash-seed"})):
        subject = replace(make_subject({"type": "object", "properties": {}}), disturbances=kinds)
        calls, plans = list(seen), []
        for each in OtherHashSeedProbe().fixed(subject, calls):
            plans.append(each)
            calls.append(answered(each, other))
        return plans

    return plan


def test_a_call_that_is_answered_in_another_order_is_made_twice_under_one_other_seed(planned):
    first, second = planned(returned(ROW, arguments='{"a": 1}'))
    assert (first.arguments, second.arguments) == ('{"a": 1}', '{"a": 1}')
    assert (first.label, second.label) == ("same:seed:1", "same:seed:2")
    assert isinstance(first.disturbance, OtherHashSeed)
    assert first.disturbance == second.disturbance
    assert first.disturbance.seed != "0"


def test_an_equal_answer_is_not_asked_for_again(planned):
    assert len(planned(returned(ROW), other=ROW)) == 1


def test_where_the_first_call_shows_none_a_repeated_one_is_taken(planned):
    again = returned(ROW, "repeat", "same:A:1", '{"b": 2}')
    assert [plan.arguments for plan in planned(returned({}), again)] == ['{"b": 2}'] * 2


def test_no_call_is_made_where_it_would_show_nothing(planned):
    assert planned(returned(ROW), kinds=frozenset()) == []
    assert planned() == []
    assert planned(returned({"found": ["EUR"]})) == []
