"""When refusals are said to spoil later calls, and which calls that may concern."""

import pytest
from tests.stimuli import read_disturbance, stimulus

from aptix_conformance.core.model import Call, Outcome, Raised, Result, kept_files
from aptix_conformance.core.model.codec import replace
from aptix_conformance.examine.tainted_state import (
    after_a_refusal,
    is_made_again,
    is_tainted,
    may_be_tainted,
    wants_fresh_process,
)
from aptix_conformance.stimuli.probes import PROBES


def call(label, *, probe="after-refusals", good=True, earlier=1, arguments="{}", demand="either"):
    plan = stimulus(probe, label, arguments, {}, demand)
    result = Result("InvokeResult", True, good, "{}" if good else None, "str")
    return Call(plan, Outcome.RETURNED, 0.0, result, earlier=earlier)


def raised(label):
    return Call(stimulus("valid", label, "{}", {}), Outcome.RAISED, 0.0, raised=Raised("ValueError", "", ""))


BEFORE = [call("same:before:1"), call("same:before:2")]
ALONE = call("same:alone:3", probe="without-refusals", good=False)
LATER = call("again:minimal", probe="valid", good=False)


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([*BEFORE, call("after:missing:n", good=False)], True),
        ([*BEFORE, call("after:missing:n"), call("after:type:n:null", good=False)], True),
        ([*BEFORE, call("again:missing:n", good=False), call("after:missing:n")], False),
        ([*BEFORE, call("same:before:3", good=False), call("after:missing:n", good=False)], False),
        ([call("after:missing:n", good=False)], False),
        ([], False),
        ([*BEFORE, call("after:missing:n", good=False), ALONE], False),
    ],
    ids=[
        "after one",
        "after another",
        "never",
        "not each time",
        "not shown before",
        "nothing",
        "without a refusal too",
    ],
)
def test_refusals_spoil_a_tool_where_a_call_that_worked_each_time_is_refused_after_them(calls, expected):
    assert is_tainted(calls) is expected


def test_only_a_refusal_in_the_same_process_explains_another():
    first, second, third = (
        call("generated", probe="valid", good=False, earlier=number) for number in (3, 4, 0)
    )
    good = call("minimal", probe="valid", earlier=5)
    assert [*after_a_refusal([first, second, good])] == [second]
    assert [*after_a_refusal([first, third])] == []


def test_a_suspicion_needs_arguments_that_had_worked_and_a_refusal_between():
    worked = call("minimal", probe="valid")
    other = call("generated", probe="valid", good=False, arguments="[]")
    assert may_be_tainted([worked, other, LATER])
    assert not may_be_tainted([worked, LATER])
    assert not may_be_tainted([worked, other, replace(LATER, earlier=0)])
    assert not may_be_tainted([other, LATER])


def test_the_next_call_gets_a_fresh_process_where_the_last_one_may_have_left_something():
    must_work = call("again:minimal", probe="valid", good=False, demand="accepted")
    assert wants_fresh_process(must_work, tainted=False)
    assert not wants_fresh_process(LATER, tainted=False)
    assert wants_fresh_process(LATER, tainted=True)
    assert wants_fresh_process(raised("minimal"), tainted=True)
    assert not wants_fresh_process(BEFORE[0], tainted=True)


def test_a_cancelled_call_that_fails_is_no_refusal():
    """The calls after it would be the first of their processes, which shows something else."""
    cancelled = replace(
        LATER, plan=replace(LATER.plan, demand="accepted", disturbance=read_disturbance("cancel:token:1"))
    )
    assert not wants_fresh_process(cancelled, tainted=True)


def test_what_has_a_fresh_process_and_means_to_see_earlier_calls_is_not_made_again():
    assert {probe.name for probe in PROBES if not is_made_again(probe)} == {
        "neighbours",
        "alone",
        "after-refusals",
        "refusals-first",
        "without-refusals",
        *kept_files.PROBES,
    }
