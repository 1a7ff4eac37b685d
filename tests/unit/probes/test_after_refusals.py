"""The probe after-refusals: which refused calls it makes, and when it makes the call that works."""

import pytest
from tests.stimuli import stimulus

from aptix_conformance.model import Call, Kind, Outcome, Result
from aptix_conformance.model.codec import replace
from aptix_conformance.probes import AfterRefusalsProbe, RefusalsFirstProbe

PROBE = AfterRefusalsProbe()
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}
GOOD = Result("InvokeResult", True, True, "{}", "str")


def call(probe, label, arguments, message=None, seconds=0.001):
    result = GOOD if message is None else Result("InvokeResult", True, False, error_message=message)
    return Call(stimulus(probe, label, arguments, {}), Outcome.RETURNED, seconds, result)


def valid(arguments="{}", seconds=0.001):
    return [call("valid", label, arguments, None, seconds) for label in ("minimal", "again:minimal")]


@pytest.fixture
def subject(make_subject):
    return make_subject(SCHEMA)


def planned(subject, seen):
    return [(plan.label, plan.arguments) for plan in PROBE.fixed(subject, seen)]


def test_the_call_that_works_follows_a_refused_call_of_each_kind(subject):
    refused = [
        call("malformed", "garbage:x", "{", "No JSON."),
        call("malformed", "garbage:y", "}", "No JSON."),
        call("invalid", "missing:n", "[]", "n is required."),
    ]
    assert planned(subject, [*valid(), *refused]) == [
        ("same:before:1", "{}"),
        ("same:before:2", "{}"),
        ("again:garbage:x", "{"),
        ("after:garbage:x", "{}"),
        ("again:missing:n", "[]"),
        ("after:missing:n", "{}"),
    ]


def test_a_refusal_for_another_reason_is_one_more(subject):
    """A message that differs in a value only is the same reason."""
    refused = [
        call("valid", "generated", text, message)
        for text, message in (('{"n":1}', "No room 1."), ('{"n":2}', "No room 2."), ('{"n":3}', "Locked."))
    ]
    asked = [text for label, text in planned(subject, [*valid(), *refused]) if label.startswith("again")]
    assert asked == ['{"n":1}', '{"n":3}']


def test_a_slow_call_is_made_after_several_refusals(subject):
    refused = [call("invalid", f"type:n:{number}", f"[{number}]", "x" * number) for number in range(1, 11)]
    labels = [label for label, _ in planned(replace(subject, budget=30.0), [*valid(seconds=1.0), *refused])]
    assert sum(label.startswith("again") for label in labels) == 10
    assert sum(label.startswith("after") for label in labels) == 3
    assert labels[-1].startswith("after")


def test_without_a_call_that_works_nothing_is_planned_and_that_is_said(subject):
    assert planned(subject, []) == []
    assert "no call succeeded each time" in PROBE.shortfall(subject, []).reason
    assert PROBE.shortfall(subject, valid()) is None


ONCE = [
    *valid()[:1],
    call("valid", "again:minimal", "{}", "It is locked."),
    call("invalid", "missing:n", "[]", "No n."),
]


def test_a_call_that_failed_once_is_made_more_often_and_then_after_all_refusals(subject):
    """A refusal before the second time may be why it failed; what it takes may be used up as well."""
    assert [label.partition(":")[0] for label, _ in planned(subject, ONCE)] == [
        *["same"] * 6,
        "again",
        "again",
        "after",
    ]


def test_a_call_that_fails_again_in_its_own_process_shows_nothing_of_refusals(subject):
    own = [
        call("after-refusals", "same:before:1", "{}"),
        call("after-refusals", "same:before:2", "{}", "It is locked."),
    ]
    labels = [label for label, _ in planned(subject, [*ONCE, *own])]
    assert not any(label.startswith(("again", "after")) for label in labels)
    assert "no call succeeded each time" in PROBE.shortfall(subject, [*ONCE, *own]).reason


def test_without_a_refusal_nothing_is_planned(subject):
    assert planned(subject, valid()) == []


def test_the_authors_example_is_preferred(subject):
    example = call("valid", "example:1", '{"n": 7}')
    refused = call("invalid", "missing:n", "[]", "n is required.")
    plans = list(PROBE.fixed(subject, [*valid(), example, refused]))
    assert {plan.arguments for plan in plans if plan.kind is not Kind.AGAIN} == {'{"n": 7}'}


FIRST = RefusalsFirstProbe()
USED_UP = [
    call("after-refusals", "same:before:1", "{}"),
    *(call("after-refusals", f"same:before:{number}", "{}", "It is booked.") for number in range(2, 7)),
]


def first_planned(subject, seen):
    return [(plan.label, plan.arguments) for plan in FIRST.fixed(subject, seen)]


def test_a_call_that_works_once_in_each_folder_comes_after_all_refusals_in_another(subject):
    """What an equal call that worked has used up is no refusal of the arguments: it would work in a fresh folder."""
    assert first_planned(subject, [*ONCE, *USED_UP]) == [("again:missing:n", "[]"), ("after:missing:n", "{}")]
    assert PROBE.shortfall(subject, [*ONCE, *USED_UP]) is None


@pytest.mark.parametrize(
    "own",
    [[], valid(), USED_UP[1:], USED_UP[:-1], [*USED_UP[:-1], call("after-refusals", "same:before:6", "{}")]],
    ids=["not made", "made by another probe", "never works", "made too seldom", "works by chance"],
)
def test_a_call_that_may_work_again_is_not_made_after_all_refusals(subject, own):
    assert first_planned(subject, [*ONCE, *own]) == []


def test_the_call_is_not_made_after_one_that_was_refused_before_and_is_accepted_in_a_fresh_folder(subject):
    seen = [*ONCE, *USED_UP, call("invalid", "type:n:null", "[1]", "Not again.")]
    plans = FIRST.fixed(subject, seen)
    assert next(plans).label == "again:missing:n"
    seen.append(call("refusals-first", "again:missing:n", "[]"))
    assert list(plans) == []
    assert FIRST.shortfall(subject, seen).rules == ("RES012",)


def test_a_row_that_was_made_to_its_end_or_not_at_all_is_no_shortfall(subject):
    made = [
        call("refusals-first", "again:missing:n", "[]", "No n."),
        call("refusals-first", "after:missing:n", "{}"),
    ]
    assert FIRST.shortfall(subject, [*ONCE, *USED_UP, *made]) is None
    assert FIRST.shortfall(subject, [*ONCE, *USED_UP]) is None


def test_res012_alone_lacks_the_calls_that_could_not_be_made_after_refusals(subject):
    found = PROBE.shortfall(subject, [*ONCE, *USED_UP[1:]])
    assert (found.rules, found.reduced_coverage) == (("RES012",), False)
    assert PROBE.shortfall(subject, ONCE[:1]) is None
    assert PROBE.shortfall(subject, [*ONCE[:1], *USED_UP[1:]]).reduced_coverage
