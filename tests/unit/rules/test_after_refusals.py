"""RES012: a call that works and fails after a refused call, or has another result, and what is no breach."""

import json

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model import Exploration

USUAL = {"unit": "metre", "at": "2026-01-01T10:00:00", "tags": ["a"], "left": 3, "done": True}


def after(*outcomes, raised=None, sent="garden"):
    """Judges calls: the last one after a refused call, the others before; each by its payload, or as a result."""
    labels = [*(f"same:before:{n}" for n in range(1, len(outcomes))), "after:missing:n"]
    calls = []
    for label, outcome in zip(labels, outcomes, strict=True):
        result = b.success(outcome) if isinstance(outcome, dict) else outcome
        error = raised if result is None else None
        calls.append(b.call(label, '{"n": 1}', "after-refusals", "either", result, raised=error))
    refused = b.call(
        "again:missing:n", json.dumps({"tag": sent}), "after-refusals", "either", b.failure("No.")
    )
    exploration = Exploration((b.declaration(),), (*calls[:-1], refused, calls[-1]))
    assert b.RULES["RES012"].when(exploration)
    return b.judge("RES012", exploration)


def test_a_call_that_fails_after_a_refusal_is_found():
    found = after(USUAL, USUAL, b.failure("The budget is in use."))
    assert "failed after a refused call: The budget is in use." in found.message
    assert found.call.plan.label == "after:missing:n"


def test_a_call_that_raises_after_a_refusal_is_found():
    assert "KeyError" in after(USUAL, USUAL, None, raised="KeyError").message


@pytest.mark.parametrize("other", [{"tags": "a"}, {"done": "yes"}, {"more": 1}])
def test_a_result_of_another_form_is_found(other):
    assert "after a refused call" in after(USUAL, USUAL, USUAL | other).message


def test_an_argument_of_a_refused_call_is_found_in_the_result():
    assert "garden" in after(USUAL, USUAL, USUAL | {"tags": ["a", "garden"]}).message


def test_res012_is_for_calls_that_came_back_after_a_refusal():
    hung = b.call("after:missing:n", '{"n": 1}', "after-refusals", "either", outcome=b.Outcome.TIMED_OUT)
    assert not b.RULES["RES012"].when(Exploration((b.declaration(),), (hung,)))


@pytest.mark.parametrize(
    "other", [{}, {"left": 2}, {"at": "2026-01-01T10:00:01"}, {"unit": "foot"}, {"done": False}, {"tags": []}]
)
def test_what_may_change_from_call_to_call_is_no_trace(other):
    """A tool may use chance."""
    assert after(USUAL, USUAL, USUAL | other) is None


@pytest.mark.parametrize(("text", "is_telling"), [("sage", True), ("oak", False)])
def test_a_short_text_of_a_refused_call_may_stand_in_a_result_by_chance(text, is_telling):
    found = after(USUAL, USUAL, USUAL | {"tags": ["a", text]}, sent=text)
    assert (found is not None) is is_telling


def test_what_differs_without_a_refusal_is_res010s():
    more = USUAL | {"more": 1}
    assert after(USUAL, more, more) is None
    assert after(USUAL, more, USUAL, more) is None
    assert after(USUAL, USUAL, more)


def test_the_first_call_shows_the_form_of_the_result():
    """A later one may have an empty list, which any list is like."""
    found = after(USUAL, USUAL | {"tags": []}, USUAL | {"tags": [1]})
    assert "$.tags[]" in found.message


def test_one_call_before_a_refusal_does_not_show_that_it_works_each_time():
    made = [
        b.call("same:before:1", "{}", "after-refusals"),
        b.call("after:missing:n", "{}", "after-refusals", result=b.failure("It exists already.")),
    ]
    assert b.judge("RES012", Exploration((), tuple(made))) is None


def test_a_result_that_cannot_be_read_hides_no_later_failure():
    outcomes = {
        "same:before:1": None,
        "same:before:2": None,
        "after:missing:n": b.success("no JSON"),
        "after:missing:m": b.failure("The budget is in use."),
    }
    made = [b.call(label, "{}", "after-refusals", result=result) for label, result in outcomes.items()]
    assert b.judge("RES012", Exploration((), tuple(made))).call == made[-1]


def test_calls_of_other_probes_and_calls_that_did_not_come_back_are_no_part_of_it():
    hung = b.Outcome.TIMED_OUT
    made = [
        b.call("same:A:1", "{}", "repeat", result=b.failure("Busy.")),
        b.call("same:before:1", "{}", "after-refusals"),
        b.call("same:before:2", "{}", "after-refusals"),
        b.call("after:missing:n", "{}", "after-refusals", outcome=hung, incident="no answer within 5 s"),
        b.call("after:missing:m", "{}", "after-refusals", result=b.failure("The budget is in use.")),
    ]
    assert b.judge("RES012", Exploration((), tuple(made))).call == made[-1]


def test_a_call_that_does_not_work_each_time_shows_nothing():
    assert after(USUAL, b.failure("It exists already."), b.failure("It exists already.")) is None


def test_without_a_refused_call_there_is_nothing_to_judge():
    exploration = Exploration((b.declaration(),), (b.call("same:before:1", "{}", "after-refusals"),))
    assert not b.RULES["RES012"].when(exploration)


def once(outcome, times=1):
    """A call that works so many times in a folder, then in another after a refused call, where it has this outcome."""
    sent = '{"n": 1}'
    used = b.failure("It is booked.")
    results = [b.success(USUAL)] * times + [used] * (6 - times)
    alone = [
        b.call(f"same:before:{n}", sent, "after-refusals", "either", each)
        for n, each in enumerate(results, 1)
    ]
    refused = b.call("again:missing:n", '{"tag": "garden"}', "refusals-first", "either", b.failure("No."))
    later = b.call("after:missing:n", sent, "refusals-first", "either", outcome)
    return Exploration((b.declaration(),), (*alone, refused, later))


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (b.failure("Somebody is booking."), "in a folder of its own failed after a refused call"),
        (b.success(USUAL | {"left": "3"}), "after a refused call"),
        (b.success(USUAL | {"tags": ["garden"]}), "garden"),
    ],
    ids=["fails", "another form", "an argument of the refused call"],
)
def test_what_refusals_leave_to_a_call_that_works_once_in_each_folder_is_found(outcome, words):
    exploration = once(outcome)
    found = b.judge("RES012", exploration)
    assert words in found.message
    assert found.call is exploration.calls[-1]


def test_a_call_that_works_once_in_each_folder_after_refusals_too_keeps_the_rule():
    assert b.judge("RES012", once(b.success(USUAL | {"left": 4}))) is None


@pytest.mark.parametrize("times", [0, 2])
def test_a_call_that_does_not_work_exactly_once_in_a_folder_shows_nothing_in_another(times):
    assert b.judge("RES012", once(b.failure("Somebody is booking."), times)) is None


def test_a_call_that_fails_in_the_same_words_without_a_refusal_is_no_trace_of_one():
    """The tool takes so many calls in a time. What fails in other words is found."""
    sent, full = '{"n": 1}', b.failure("3 calls were served: wait 8 s.")
    calls = [
        b.call("same:before:1", sent, "after-refusals", result=b.success(USUAL)),
        b.call("same:before:2", sent, "after-refusals", result=b.success(USUAL)),
        b.call("again:missing:n", "{}", "after-refusals", result=b.failure("No n.")),
        b.call("after:missing:n", sent, "after-refusals", result=full),
        b.call("same:alone:4", sent, "without-refusals", result=full),
    ]
    limited = Exploration((b.declaration(),), tuple(calls))
    assert not b.RULES["RES012"].when(limited)
    locked = b.call("after:missing:m", sent, "after-refusals", result=b.failure("It is locked."))
    both = Exploration((b.declaration(),), (*calls, locked))
    assert b.RULES["RES012"].when(both)
    assert b.judge("RES012", both).call is locked
