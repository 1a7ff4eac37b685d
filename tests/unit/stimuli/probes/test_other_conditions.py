"""The probe conditions sends a call that shows a date to two zones, and one that shows a formatted number to another locale."""

import json
from dataclasses import replace

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Outcome, Result
from aptix_conformance.stimuli.probes import OtherConditionsProbe
from aptix_conformance.stimuli.probes.other_conditions import EAST, GERMAN, LATER, WEST

DATED = {"due": "2024-03-01"}


def answered(plan, payload):
    text = payload if isinstance(payload, str) else json.dumps(payload)
    return Call(plan, Outcome.RETURNED, 0.0, Result("InvokeResult", True, True, text, "str"))


@pytest.fixture
def planned(make_subject):
    """The conditions of the calls for a tool that answers by them."""

    def plan(usual, answer=None, arguments="{}", kinds=frozenset({"conditions"})):
        subject = replace(make_subject({"type": "object", "properties": {}}), disturbances=kinds)
        calls, conditions = [answered(stimulus("repeat", "same:A:1", arguments, {}), usual)], []
        for each in OtherConditionsProbe().fixed(subject, calls):
            assert each.arguments == arguments
            conditions.append(each.disturbance)
            calls.append(answered(each, (answer or {}).get(each.disturbance, usual)))
        return conditions

    return plan


@pytest.mark.parametrize("usual", [DATED, "Due on Mar 1.", {"at": "9:30"}, {"on": "3/1/24"}])
def test_a_result_with_a_date_is_asked_for_in_two_zones(planned, usual):
    assert planned(usual)[:2] == [WEST, EAST]


def test_so_is_one_whose_arguments_hold_a_date(planned):
    assert planned({"days": 3}, arguments='{"start": "2024-02-28"}') == [WEST, EAST]


def test_a_difference_is_asked_for_again_and_with_another_clock(planned):
    other = {WEST: {"due": "2024-02-29"}}
    assert planned(DATED, other) == [WEST, EAST, WEST, EAST, LATER]


@pytest.mark.parametrize("text", ["1,234.5 km", '{"price": "12.50 EUR"}', '["March 1"]'])
def test_a_formatted_number_is_asked_for_with_a_german_locale(planned, text):
    assert planned(text)[-1] == GERMAN
    assert planned(text, {GERMAN: "1.234,5"}).count(GERMAN) == 2


def test_so_is_a_call_that_sends_a_number_as_a_text(planned):
    other = {GERMAN: {"doubled": 30}}
    assert planned({"doubled": 3.0}, other, arguments='{"number": "1.5"}') == [GERMAN, GERMAN]
    for arguments in ('{"number": 1.5}', '{"version": "1.5.0"}', '{"note": "1.5 km"}', '{"number": "0.0"}'):
        assert planned({"doubled": 3.0}, other, arguments=arguments) == []


def test_a_result_with_a_formatted_number_goes_before_a_number_that_is_sent_as_a_text(make_subject):
    subject = replace(
        make_subject({"type": "object", "properties": {}}), disturbances=frozenset({"conditions"})
    )
    sent, shown = '{"number": "1.5"}', '{"amount": 1234.5}'
    calls = [
        answered(stimulus("repeat", "same:A:1", sent, {}), {"doubled": 3}),
        answered(stimulus("repeat", "same:B:1", shown, {}), {"text": "1,234.50 EUR"}),
    ]
    (planned,) = OtherConditionsProbe().fixed(subject, calls)
    assert (planned.arguments, planned.disturbance) == (shown, GERMAN)


@pytest.mark.parametrize(
    "usual", [{"price": 12.5}, {"names": ["EUR", "USD"]}, {"version": "1.2.3"}, {"id": "2024"}, "12 km"]
)
def test_other_results_are_not(planned, usual):
    assert planned(usual) == []


def test_a_host_that_cannot_is_asked_for_nothing(planned):
    assert planned(DATED, kinds=frozenset()) == []
