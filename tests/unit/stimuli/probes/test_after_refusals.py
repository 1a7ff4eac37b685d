"""The probe after-refusals: which refused calls it makes, and when it makes the call that works."""

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Kind, Outcome, Raised, Result
from aptix_conformance.stimuli.probes import AfterRefusalsProbe, RefusalsFirstProbe, WithoutRefusalsProbe
from aptix_conformance.stimuli.probes.after_refusals import fails_without_refusals

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


ALONE = WithoutRefusalsProbe()
FAILED = [
    call("after-refusals", "same:before:1", "{}"),
    call("after-refusals", "same:before:2", "{}"),
    call("after-refusals", "again:missing:n", "[]", "No n."),
    call("after-refusals", "after:missing:n", "{}", "Wait 8 s."),
    call("after-refusals", "again:type:n:null", "[1]", "No n."),
    call("after-refusals", "after:type:n:null", "{}", "Wait 8 s."),
]
FAILED_ONCE = [
    *USED_UP,
    call("refusals-first", "again:missing:n", "[]", "No n."),
    call("refusals-first", "after:missing:n", "{}", "Wait 8 s."),
]


def test_where_a_call_failed_after_a_refusal_it_is_made_twice_as_often_without_one(subject):
    plans = list(ALONE.fixed(subject, [*valid(), *FAILED]))
    assert [plan.label for plan in plans] == [f"same:alone:{number}" for number in range(1, 9)]
    assert {plan.arguments for plan in plans} == {"{}"}


def test_calls_without_refusals_end_with_the_first_that_fails(subject):
    seen = [*valid(), *FAILED]
    plans = ALONE.fixed(subject, seen)
    for message in (None, None, "Wait 9 s."):
        next(plans)
        seen.append(call("without-refusals", "same:alone:1", "{}", message))
    assert next(plans, None) is None


@pytest.mark.parametrize(
    "own",
    [
        [],
        FAILED[:3],
        [*FAILED[:3], call("after-refusals", "after:missing:n", "{}")],
        [*FAILED[:3], Call(FAILED[3].plan, Outcome.TIMED_OUT, 5.0, incident="no answer within 5 s")],
    ],
    ids=["none made", "none after a refusal", "it works", "it hangs"],
)
def test_without_a_failure_after_a_refusal_none_is_made_without_one(subject, own):
    assert list(ALONE.fixed(subject, [*valid(), *own])) == []
    assert ALONE.shortfall(subject, [*valid(), *own]) is None


def test_a_call_that_works_once_in_each_folder_comes_after_others_that_worked(subject):
    worked = [call("valid", "minimal", text) for text in ("{}", '{"n":1}', '{"n":2}')]
    labels = [(plan.label, plan.arguments) for plan in ALONE.fixed(subject, [*worked, *FAILED_ONCE])]
    assert labels == [("again:minimal", '{"n":1}'), ("same:alone:1", "{}")]


@pytest.mark.parametrize(
    ("message", "is_explained"),
    [("Wait 7 s.", True), ("It is locked.", False), (None, False)],
    ids=["in the same words", "in other words", "it works"],
)
def test_a_failure_without_a_refusal_explains_one_in_the_same_words(subject, message, is_explained):
    alone = call("without-refusals", "same:alone:4", "{}", message)
    for failed in (FAILED, FAILED_ONCE):
        seen = [*valid(), *failed, alone]
        assert fails_without_refusals(seen)(failed[-1]) is is_explained
        assert not fails_without_refusals(seen)(failed[0])
        assert (ALONE.shortfall(subject, seen) is not None) is is_explained


def test_an_exception_without_a_refusal_explains_an_equal_one():
    def raised(probe, label, name):
        error = Raised(name, "Row 7 is gone.", "")
        return Call(stimulus(probe, label, "{}", {}), Outcome.RAISED, 0.0, raised=error)

    failed = raised("after-refusals", "after:missing:n", "KeyError")
    for name, is_explained in (("KeyError", True), ("OSError", False)):
        seen = [failed, raised("without-refusals", "same:alone:4", name)]
        assert fails_without_refusals(seen)(failed) is is_explained


def test_a_tool_that_takes_few_calls_in_a_time_is_judged_by_the_calls_before_that(subject):
    """Where none succeeded after a refusal, nothing was shown."""
    alone = call("without-refusals", "same:alone:4", "{}", "Wait 8 s.")
    worked = [*FAILED[:3], call("after-refusals", "after:missing:n", "{}"), *FAILED[4:]]
    nothing, some = (ALONE.shortfall(subject, [*valid(), *own, alone]) for own in (FAILED, worked))
    assert (nothing.rules, nothing.reduced_coverage) == (("RES012",), False)
    assert some.reduced_coverage


def test_a_refusal_among_the_calls_that_worked_is_no_call_without_one(subject):
    """It may leave a lock too: then the call that follows shows nothing, and is not made."""
    worked = [call("valid", "minimal", text) for text in ("{}", '{"n":1}', '{"n":2}')]
    seen = [*worked, *FAILED_ONCE]
    plans = ALONE.fixed(subject, seen)
    next(plans)
    seen.append(call("without-refusals", "again:minimal", '{"n":1}', "It is lent."))
    assert next(plans, None) is None
    assert not fails_without_refusals(seen)(FAILED_ONCE[-1])
