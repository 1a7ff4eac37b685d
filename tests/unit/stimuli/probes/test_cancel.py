"""The cancel probe: which calls, in which order, and what it says of what it left out."""

import dataclasses

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, CancellationPoint, Disturbed, Outcome, Result
from aptix_conformance.core.model.codec import replace
from aptix_conformance.stimuli.probes import CancelProbe
from aptix_conformance.stimuli.probes.cancel import numbers

PROBE = CancelProbe()
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}
GOOD = Result("InvokeResult", True, True, "{}", "str")
BAD = Result("InvokeResult", True, False, error_message="No.")


class Tool:
    """Answers plans; `waits` is how often a call is suspended, `seconds` how long it takes."""

    def __init__(self, waits=3, seconds=0.001, **seen):
        self.waits, self.seconds, self.seen = waits, seconds, seen
        self.outcome, self.result, self.served = Outcome.RETURNED, GOOD, 0

    def answer(self, plan):
        self.served += 1
        places = tuple(f"step {number}" for number in range(self.waits))
        disturbed = Disturbed(reached=True, suspensions=places, **self.seen) if plan.cancellation else None
        return Call(plan, self.outcome, self.seconds, self.result, earlier=self.served, disturbed=disturbed)


@pytest.fixture
def subject(make_subject):
    return replace(make_subject(SCHEMA), disturbances=frozenset({"cancel"}))


@pytest.fixture
def run():
    """Runs the probe over a tool that has answered one call, twice; gives the plans and all calls."""

    def go(subject, tool, *arguments):
        seen = []
        for text in arguments or ("{}",):
            seen.append(tool.answer(stimulus("valid", "minimal", text, {})))
            seen.append(tool.answer(stimulus("valid", "again:minimal", text, {})))
        plans = []
        for plan in PROBE.fixed(subject, seen):
            plans.append(plan)
            seen.append(tool.answer(plan))
        return plans, seen

    return go


def labels(plans):
    return [plan.label for plan in plans]


def test_a_call_is_watched_cancelled_at_every_suspension_and_watched_again(subject, run):
    plans, _ = run(subject, Tool(waits=3))
    assert labels(plans) == [
        "uncancelled:1",
        "cancelled:before",
        "cancelled:token-1",
        "cancelled:task-1",
        "cancelled:token-3",
        "cancelled:task-3",
        "cancelled:token-2",
        "cancelled:task-2",
        "uncancelled:2",
    ]
    assert [(plan.cancellation.kind, plan.cancellation.at) for plan in plans[:4]] == [
        ("watch", 0),
        ("before", 0),
        ("token", 1),
        ("task", 1),
    ]


def test_a_call_of_a_system_without_tasks_is_cancelled_by_its_token_only(subject, run):
    traits = dataclasses.replace(subject.declaration.traits, has_tasks=False)
    plans, _ = run(replace(subject, declaration=replace(subject.declaration, traits=traits)), Tool(waits=1))
    assert {plan.cancellation.kind for plan in plans} == {"watch", "before", "token"}


def test_a_call_that_never_waits_is_cancelled_before_it_begins_only(subject, run):
    plans, seen = run(subject, Tool(waits=0))
    assert labels(plans) == ["uncancelled:1", "cancelled:before"]
    shortfall = PROBE.shortfall(subject, seen)
    assert shortfall.reduced_coverage
    assert shortfall.expected
    assert "without ever being suspended" in shortfall.reason


def test_a_call_that_is_refused_each_time_it_is_watched_does_not_show_that_it_never_waits(subject, run):
    """A place can be booked once, and the booking waits."""

    class Once(Tool):
        def answer(self, plan):
            call = super().answer(plan)
            return replace(call, result=BAD) if plan.probe == "cancel" else call

    _, seen = run(subject, Once(waits=0))
    shortfall = PROBE.shortfall(subject, seen)
    assert shortfall.rules == ("CAN007", "CAN008")
    assert "give an example that can be repeated" in shortfall.reason
    assert not shortfall.reduced_coverage
    _, seen = run(subject, Once(waits=1))
    assert PROBE.shortfall(subject, seen) is None


def test_a_call_that_takes_a_while_is_cancelled_after_half_of_it_too(subject, run):
    plans, _ = run(subject, Tool(waits=1, seconds=0.1))
    (delayed,) = [plan for plan in plans if plan.label == "cancelled:delay"]
    assert delayed.cancellation.at == pytest.approx(0.05)


def test_calls_that_wait_at_the_same_places_are_cancelled_once(subject, run):
    plans, _ = run(subject, Tool(waits=1), '{"n": 1}', '{"n": 2}')
    assert [plan.label for plan in plans if plan.arguments == '{"n": 2}'] == ["uncancelled:1"]


def test_a_call_that_takes_longer_than_it_may_once_cancelled_is_always_cancelled(subject, run):
    plans, _ = run(subject, Tool(waits=1, seconds=1.5), '{"n": 1}', '{"n": 2}')
    assert "cancelled:token-1" in [plan.label for plan in plans if plan.arguments == '{"n": 2}']


def test_a_call_that_waits_for_a_child_process_is_cancelled_when_that_has_run_for_a_moment(subject, run):
    plans, _ = run(subject, Tool(waits=4, at_child=(2, 3)))
    assert labels(plans)[2:6] == [
        "cancelled:token-3-held",
        "cancelled:task-3-held",
        "cancelled:token-2-held",
        "cancelled:task-2-held",
    ]
    assert plans[2].cancellation.hold > 0
    assert "cancelled:token-3" in labels(plans)


@pytest.mark.parametrize("ended", [True, False])
def test_child_processes_that_end_before_their_call_can_be_cancelled_are_named(subject, run, ended):
    class Quick(Tool):
        def answer(self, plan):
            call = super().answer(plan)
            held = plan.cancellation is not None and plan.cancellation.hold > 0
            return replace(call, disturbed=replace(call.disturbed, reached=not ended)) if held else call

    _, seen = run(subject, Quick(waits=2, at_child=(1,)))
    shortfall = PROBE.shortfall(subject, seen)
    assert (shortfall is not None) is ended
    assert shortfall is None or "give an example that takes longer" in shortfall.reason


def test_a_call_that_blocks_and_never_waits_is_watched_until_two_calls_show_it(subject, run):
    plans, _ = run(subject, Tool(waits=0, seconds=2.0, blocked=2.0))
    assert labels(plans)[:3] == ["uncancelled:1", "uncancelled:2", "cancelled:before"]


@pytest.mark.parametrize("result", [GOOD, BAD])
def test_a_slow_call_of_any_probe_is_watched(subject, result):
    """A refusal may block the event loop too."""
    tool = Tool(waits=0, blocked=2.0)
    quick, slow = (stimulus("invalid", kind, text, {}) for kind, text in (("a", "{}"), ("b", '{"n": "x"}')))
    seen = [tool.answer(quick), replace(tool.answer(slow), elapsed=2.0, result=result)]
    plans = []
    for plan in PROBE.fixed(subject, seen):
        plans.append(plan)
        seen.append(tool.answer(plan))
    assert [(plan.label, plan.arguments) for plan in plans] == [
        ("uncancelled:1", '{"n": "x"}'),
        ("uncancelled:2", '{"n": "x"}'),
    ]


@pytest.mark.parametrize("seen", [{"after": 2.0}, {"blocked": 2.0}, {"left_running": ("the task x",)}])
def test_what_would_be_a_breach_is_shown_again(subject, run, seen):
    plans, _ = run(subject, Tool(waits=1, **seen))
    assert "cancelled:token-1:again-1" in labels(plans)
    again = next(plan for plan in plans if plan.label.endswith("again-1"))
    assert again.disturbance in {plan.disturbance for plan in plans if plan is not again}


def test_what_is_slow_for_a_reason_is_not_shown_again_without_end(subject, run):
    plans, _ = run(subject, Tool(waits=50, after=2.0))
    assert sum(plan.label.endswith("again-1") for plan in plans) == 3


def test_after_a_call_that_did_not_come_back_the_new_process_is_warmed_up(subject, run):
    class Hanging(Tool):
        def answer(self, plan):
            call = super().answer(plan)
            return replace(call, outcome=Outcome.TIMED_OUT, result=None) if "before" in plan.label else call

    plans, _ = run(subject, Hanging(waits=1))
    place = labels(plans).index("cancelled:before")
    assert labels(plans)[place + 1] == "uncancelled:2"


def test_cancelled_calls_must_succeed_where_the_call_is_known_to(subject, run):
    plans, _ = run(subject, Tool(waits=1))
    assert {plan.demand for plan in plans if plan.label.startswith("cancelled")} == {"accepted"}

    class Once(Tool):
        def answer(self, plan):
            call = super().answer(plan)
            return call if self.served == 1 else replace(call, result=BAD)

    plans, _ = run(subject, Once(waits=1))
    assert {plan.demand for plan in plans} == {"either"}


def test_limits_come_from_the_configuration_and_from_the_time_that_the_call_takes(subject, run):
    own = replace(subject.settings, cancel_grace=0.5, block_limit=0.25, long_running=True)
    (plan, *_), _ = run(replace(subject, settings=own), Tool(waits=1))
    assert plan.disturbance == CancellationPoint("watch", within=0.5, block=0.25, long=True)
    (plan, *_), _ = run(subject, Tool(waits=1, seconds=8.0))
    assert plan.cancellation.within == pytest.approx(2.0)


def test_more_suspensions_than_calls_are_cancelled_at_from_the_first_to_the_last(subject, run, monkeypatch):
    monkeypatch.setattr("aptix_conformance.stimuli.probes.cancel.MOST_CALLS", 20)
    plans, seen = run(subject, Tool(waits=100, seconds=0.1))
    examined = [plan.cancellation.at for plan in plans if "token" in plan.label]
    assert examined[:4] == [1, 100, 2, 4]
    assert len(examined) < 10
    shortfall = PROBE.shortfall(subject, seen)
    assert shortfall.reduced_coverage
    assert f"of 100 suspensions of a call {len(examined)} were cancelled at" in shortfall.reason


def test_nothing_is_planned_for_a_host_that_cannot_and_that_is_said(make_subject, run):
    subject = make_subject(SCHEMA)
    plans, seen = run(subject, Tool())
    assert plans == []
    assert not PROBE.shortfall(subject, seen).reduced_coverage


def test_without_a_call_that_works_there_is_nothing_to_cancel(subject):
    assert list(PROBE.fixed(subject, [])) == []
    assert "give an example" in PROBE.shortfall(subject, []).reason


def test_nothing_is_drawn(subject):
    assert PROBE.drawn(subject, []) is None


def test_numbers_are_spread_over_the_call_before_they_are_complete():
    assert numbers(0) == []
    assert numbers(1) == [1]
    assert numbers(10) == [1, 10, 2, 4, 8, 3, 5, 6, 7, 9]
    assert len(numbers(1000)) == 200
    assert len(set(numbers(1000))) == 200
