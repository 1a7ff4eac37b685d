"""Calls that need nothing of one another, in batches: the split depends on the plan and the answers, never on speed."""

import threading
from functools import cache

import pytest
from tests.stimuli import stimulus
from tests.unit.examine.fakes import (
    Host,
    answer,
    comes_back,
    count_of,
    crashing,
    hanging,
    never_raises,
    raising,
    run,
)

from aptix_conformance.core.errors import HostError, SetupError
from aptix_conformance.core.model import INCIDENTS, Call, Kind, Outcome, Result, ResultError
from aptix_conformance.core.model.codec import replace
from aptix_conformance.examine import Options
from aptix_conformance.examine.batches import MOST, SIZE, Batch, Batches, cut
from aptix_conformance.examine.tainted_state import after_a_refusal
from aptix_conformance.rules.lib.earlier_calls import refused_at_times


class Spread(Host):
    """A host with others. `pace` is how long a call takes, in seconds; `width` the number of hosts that made calls at once."""

    has_others = True

    def __init__(self, behave, pace=0.0, parent=None):
        super().__init__(behave)
        self.pace = pace
        self.parent = parent
        self.others = []
        self.threads = set()

    def another(self, number):
        other = type(self)(self.behave, self.pace, self)
        self.others.append(other)
        return other

    def execute(self, plan, timeout=None):
        self.threads.add(threading.get_ident())
        call = super().execute(plan, timeout)
        if call.outcome in INCIDENTS:
            self.earlier.clear()
        return Call(
            **{**{name: getattr(call, name) for name in call.__struct_fields__}, "elapsed": self.pace}
        )


@cache
def examined(behave, pace=0.0, host=Spread, **options):
    """What an examination comes to, without its times; and its host."""
    opened = host(behave, pace)
    verdicts, found = run(opened, never_raises, comes_back, options=Options(**({"examples": 60} | options)))
    calls = [
        (call.plan, call.outcome, call.incident, call.apart, call.earlier) for call in found.exploration.calls
    ]
    said = {code: (each.verdict, each.reason, each.observations) for code, each in verdicts.items()}
    return calls, said, found.exploration.shortfalls, opened


def odd(plan):
    """A number that depends on a call alone."""
    return sum((plan.arguments or "").encode("utf-8", "surrogatepass"))


def hangs_at_times(plan, earlier):
    return hanging() if odd(plan) % 53 == 0 else answer()


def hangs_for_large_counts(plan, earlier):
    return hanging() if (count_of(plan) or 0) > 1_000 else answer()


def hangs_for_large_drawn_counts(plan, earlier):
    large = plan.kind is Kind.GENERATED and (count_of(plan) or 0) > 1_000
    return hanging() if large else answer()


def crashes_at_times(plan, earlier):
    return crashing() if odd(plan) % 61 == 0 else answer()


def crashes_after_ten_calls(plan, earlier):
    return crashing() if len(earlier) == 10 and plan.probe == "malformed" else answer()


def refuses_at_times(plan, earlier):
    return answer(odd(plan) % 3 > 0)


def works(plan, earlier):
    return answer()


BEHAVIOURS = [
    works,
    hangs_at_times,
    hangs_for_large_counts,
    hangs_for_large_drawn_counts,
    crashes_at_times,
    crashes_after_ten_calls,
    refuses_at_times,
]


@pytest.mark.parametrize("behave", BEHAVIOURS, ids=lambda behave: behave.__name__)
def test_a_slow_tool_is_examined_as_a_fast_one_is(behave):
    """Calls, their processes, verdicts and what was not made are the same, though the batches of a slow tool overlap."""
    fast, slow = examined(behave), examined(behave, pace=0.5)
    assert fast[:3] == slow[:3]
    assert len(fast[3].others) == 1
    assert len(slow[3].others) > 5


@pytest.mark.parametrize("behave", BEHAVIOURS, ids=lambda behave: behave.__name__)
def test_each_call_has_served_what_its_process_has(behave):
    """The history of a call is that of its own batch, or of the usual process, from the last fresh process on."""
    calls, *_ = examined(behave)
    served = {}
    for _, outcome, _, apart, earlier in calls:
        assert earlier in (0, served.get(apart, 1 if apart else 0))
        served[apart] = 0 if outcome in INCIDENTS else earlier + 1
        assert not apart or earlier <= SIZE


def test_a_fast_tool_is_examined_in_one_thread():
    """What takes no time is made one after another, by one further host."""
    *_, host = examined(works)
    assert host.threads | host.others[0].threads == {threading.get_ident()}


def test_a_tool_that_computes_is_not_made_to_wait_for_itself(monkeypatch):
    """As many batches as processors have room for are made at the same time."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})

    class Computing(Spread):
        @property
        def computed(self):
            return 0.5 * len(self.made)

        @computed.setter
        def computed(self, _):
            pass

    *_, host = examined(works, 0.5, Computing)
    assert len(host.others) <= 2


def test_what_was_made_ahead_is_taken_only_if_it_is_the_batch_that_is_wanted():
    """A call that is not made after all changes what its process has served, so the batch without it is made anew."""
    host = Spread(works, 10.0)
    recorded = [host.execute(stimulus("test", "generated", "{}", None))]
    batches = Batches(host, lambda call: 0, recorded)
    first, second, third = (
        Batch(tuple(stimulus("test", "generated", f"{name}{number}", None) for number in range(4)))
        for name in "abc"
    )
    batches.make(first, [second, third], None, tainted=False)
    fewer = Batch((*second.plans[:1], *second.plans[2:]))
    found = batches.make(fewer, [third], None, tainted=False)
    assert [(call.plan, call.earlier) for call in found.calls] == list(
        zip(fewer.plans, range(3), strict=True)
    )
    made = sum(len(other.made) for other in host.others)
    assert [call.plan for call in batches.make(third, [], None, tainted=False).calls] == list(third.plans)
    assert sum(len(other.made) for other in host.others) == made
    assert batches.apart_count == 3


def test_the_usual_process_keeps_a_long_history():
    """A fault after many calls is found: some drawn calls and all that see others are made in one process."""

    def behave(plan, earlier):
        return raising() if len(earlier) >= 60 else answer()

    _, said, *_ = examined(behave)
    assert said["EXC901"][0].value == "fail"


def test_the_split_does_not_depend_on_how_many_are_drawn_at_once():
    """A batch holds `SIZE` calls, and the first ones of some drawn calls are made in the usual process."""
    plans = tuple(range(2 * SIZE + 5))
    assert list(cut(plans)) == [Batch(plans[:SIZE]), Batch(plans[SIZE : 2 * SIZE]), Batch(plans[2 * SIZE :])]
    assert list(cut(plans, 10))[:2] == [Batch(plans[:10], is_usual=True), Batch(plans[10 : 10 + SIZE])]
    assert list(cut((), 10)) == []


def test_what_a_batch_leaves_behind_is_proved_with_its_calls():
    """The end of a separate process after its last call is reported for that call, with the calls before it."""

    class Ending(Spread):
        def check_sentinels(self, *, last=False):
            if self.parent and self.earlier and self.earlier[-1].probe == "malformed":
                return Call(
                    self.earlier[-1],
                    Outcome.CRASHED,
                    0.0,
                    incident="exit status 3",
                    earlier=len(self.earlier),
                )
            return super().check_sentinels(last=last)

    _, found = run(Ending(works), comes_back, options=Options(examples=20))
    late = [call for call in found.exploration.calls if (call.incident or "").startswith("after its answer")]
    assert late
    assert all(call.apart and call.plan.probe == "malformed" for call in late)
    assert {call.earlier for call in late} >= {SIZE + 1}


def test_a_call_of_a_batch_is_proved_after_the_call_that_opened_it():
    """The first call of all that worked opens each process, and counts as its first call; it is no observation of its own."""

    def behave(plan, earlier):
        told = [each.probe for each in earlier] == ["valid", "malformed"]
        return raising() if told and plan.probe == "malformed" else answer()

    verdicts, found = run(Spread(behave), never_raises, options=Options(examples=20))
    shown = verdicts["EXC901"].findings[0]
    assert shown.reproduced
    assert [plan.probe for plan in shown.history] == ["valid", "malformed"]
    first = found.exploration.calls[0].plan
    assert shown.history[0] == first
    assert [call.plan for call in found.exploration.calls].count(first) == 1


def called(successful, apart, earlier, message="busy", arguments="{}"):
    result = Result("InvokeResult", True, successful, "{}" if successful else None, "str")
    if not successful:
        result = replace(result, error_message=message, errors=(ResultError(message=message),))
    return Call(
        stimulus("valid", "generated", arguments, None),
        Outcome.RETURNED,
        0.0,
        result,
        earlier=earlier,
        apart=apart,
    )


def test_a_refusal_explains_only_what_follows_in_its_own_process():
    """What a batch refused did not spoil the usual process, whose calls are recorded after it."""
    calls = [
        called(True, 0, 0),
        called(False, 1, 1),
        called(False, 0, 1),
        called(False, 1, 2),
        called(False, 0, 2),
    ]
    assert list(after_a_refusal(calls)) == calls[3:]


def test_words_of_a_refusal_are_dull_only_if_its_own_process_worked_afterwards():
    """A success in a batch says nothing of what the usual process refused before."""
    refusal = called(False, 0, 1)
    calls = [called(True, 0, 0), refusal, called(True, 1, 1)]
    assert refused_at_times(calls)(refusal)
    assert not refused_at_times([*calls, called(True, 0, 2)])(refusal)


def test_a_host_that_cannot_start_another_is_an_error_of_the_run():
    """The error is raised when its calls are needed."""

    class Unable(Spread):
        def another(self, number):
            raise HostError("no more processes")

    with pytest.raises(HostError, match="no more processes"):
        run(Unable(works), comes_back)


def test_a_lacking_set_up_is_told_once():
    """What a batch could not make is left out, as elsewhere."""

    class Lacking(Spread):
        def execute(self, plan, timeout=None):
            if self.parent:
                raise SetupError("its service is missing")
            return super().execute(plan, timeout)

    with pytest.raises(SetupError, match="its service is missing"):
        run(Lacking(works), comes_back)


def test_no_more_are_made_at_once_than_the_machine_has_memory_for(monkeypatch):
    """Each takes what one tool may hold."""

    class Memory:
        available = 3 << 30

    monkeypatch.setattr("psutil.virtual_memory", Memory)
    *_, host = examined(works, 0.5)
    assert len(host.others) <= 3 < MOST
