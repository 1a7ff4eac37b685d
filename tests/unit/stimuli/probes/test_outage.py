"""The probe outage makes calls again whose services a recording answered, once for each failure."""

from dataclasses import replace

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Outage, Outcome, Result
from aptix_conformance.stimuli.probes.outage import FAILURES, OutageProbe


def seen(arguments="{}", asked=("GET https://a.example/x?city=Oslo",), *, probe="valid", works=True, **more):
    plan = stimulus(probe, "generated", arguments, {})
    return Call(
        plan, Outcome.RETURNED, 0.0, Result("InvokeResult", True, works, "1", "str"), asked=asked, **more
    )


@pytest.fixture
def subject(make_subject):
    return replace(make_subject({"type": "object", "properties": {}}), disturbances=frozenset({"outage"}))


def planned(subject, *calls):
    return list(OutageProbe().fixed(subject, calls))


def test_a_call_that_works_is_made_once_for_each_failure(subject):
    plans = planned(subject, seen('{"a": 1}'))
    assert [plan.disturbance for plan in plans] == [Outage(name) for name in FAILURES]
    assert {plan.arguments for plan in plans} == {'{"a": 1}'}
    assert plans[0].label == "outage:500"


def test_a_certificate_is_for_https(subject):
    assert Outage("certificate") not in [
        p.disturbance for p in planned(subject, seen(asked=("GET http://a.example/x",)))
    ]


def test_calls_that_ask_for_the_same_thing_with_another_query_are_made_once(subject):
    other = seen('{"b": 1}', ("GET https://a.example/x?city=Rome",))
    third = seen('{"c": 1}', ("GET https://a.example/y",))
    assert {plan.arguments for plan in planned(subject, seen(), other, third)} == {"{}", '{"c": 1}'}


@pytest.mark.parametrize(
    "call",
    [seen(asked=()), seen(works=False), seen(probe="invalid"), seen(unrecorded=("GET https://a.example/",))],
    ids=["asked nothing", "failed", "another probe", "not recorded"],
)
def test_other_calls_are_not_made_again_and_that_is_said(subject, call):
    assert planned(subject, call) == []
    assert "record the calls" in OutageProbe().shortfall(subject, [call]).reason


def test_nothing_is_said_of_a_tool_without_a_recording(subject):
    without = replace(subject, disturbances=frozenset())
    assert planned(without, seen()) == []
    assert OutageProbe().shortfall(without, [seen(asked=())]) is None
    assert OutageProbe().shortfall(subject, [seen()]) is None
