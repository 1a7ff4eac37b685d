"""A call that did not come back in time is repeated with the patience of its system before it counts."""

from dataclasses import dataclass, field
from types import SimpleNamespace

from aptix_conformance.examination.ledger import Breach
from aptix_conformance.examination.reproduce import IDLE_SECONDS, Reproduction
from aptix_conformance.model import Call, Outcome
from aptix_conformance.model.stimulus import Change, Kind, Stimulus
from aptix_conformance.rules.lib.kernel import Finding

SLOW = Finding("It did not come back.", timed=True)


@dataclass
class SlowHost:
    """A host of a tool whose calls take some seconds; it keeps the limits that it was given."""

    seconds: float
    given: list[float | None] = field(default_factory=list)
    computes: bool = False

    def reset(self):
        pass

    def check_sentinels(self):
        pass

    def execute(self, plan, timeout=None):
        self.given.append(timeout)
        in_time = (timeout or 5.0) >= self.seconds
        return Call(plan, Outcome.RETURNED if in_time else Outcome.TIMED_OUT, 0.0)

    def execute_patiently(self, plan, idle_timeout):
        return self.execute(plan, 5.0 if self.computes else idle_timeout)

    def execute_together(self, plans, timeout=None):
        return tuple(self.execute(plan, timeout) for plan in plans)


def proof_and_limits(seconds, patience, together=1, *, kind=Kind.MINIMAL, is_limited=False, computes=False):
    plan = Stimulus("valid", Change(kind), "{}", None)
    call, *others = (Call(plan, Outcome.TIMED_OUT, 5.0) for _ in range(together))
    ledger = SimpleNamespace(
        calls=[call],
        exploration=lambda: SimpleNamespace(calls=(call,)),
        findings=lambda _rule, seen: [SLOW] if seen.outcome is Outcome.TIMED_OUT else [],
        history_of=lambda _call: (),
        made_with=lambda each: (each, *others),
    )
    host = SlowHost(seconds, computes=computes)
    rule = SimpleNamespace(code="EXC002", over=Call)
    breach = Breach(SLOW, call)
    return Reproduction(ledger, host, patience, is_limited).reproduced(rule, breach, breach), host.given


def test_a_call_that_is_only_slow_does_not_count_and_the_setting_is_named():
    proof, limits = proof_and_limits(seconds=10, patience=60.0)
    assert not proof.counts
    assert proof.message == "It did not come back. Given 60 s, it came back: `timeout` sets the limit."
    assert limits == [60.0]


def test_calls_made_together_that_are_only_slow_do_not_count():
    proof, limits = proof_and_limits(seconds=10, patience=60.0, together=3)
    assert not proof.counts
    assert proof.message == "It did not come back. Given 60 s, it came back: `timeout` sets the limit."
    assert limits == [60.0] * 3


def test_calls_made_together_that_never_come_back_count():
    proof, _ = proof_and_limits(seconds=1000, patience=60.0, together=3)
    assert proof.counts
    assert proof.reproduced


def test_a_call_that_never_comes_back_counts():
    proof, limits = proof_and_limits(seconds=1000, patience=60.0)
    assert proof.counts
    assert proof.reproduced
    assert limits[0] == 60.0


def test_without_patience_the_limit_of_every_call_is_the_last_word():
    proof, limits = proof_and_limits(seconds=10, patience=None)
    assert proof.reproduced
    assert set(limits) == {None}


def test_a_variation_that_waits_gets_the_time_of_a_client_and_counts_only_where_that_is_not_enough():
    proof, limits = proof_and_limits(seconds=30, patience=None, kind=Kind.VARIED)
    assert (proof.counts, limits) == (False, [IDLE_SECONDS])
    assert proof.message == "It did not come back. Given 60 s, it came back: `timeout` sets the limit."
    proof, limits = proof_and_limits(seconds=1000, patience=None, kind=Kind.VARIED)
    assert (proof.counts, limits) == (True, [IDLE_SECONDS])


def test_a_variation_that_computes_counts_at_once():
    proof, limits = proof_and_limits(seconds=30, patience=None, kind=Kind.VARIED, computes=True)
    assert (proof.counts, limits) == (True, [5.0])


def test_the_limit_of_the_author_holds_for_a_variation_too():
    proof, limits = proof_and_limits(seconds=30, patience=None, kind=Kind.VARIED, is_limited=True)
    assert (proof.counts, limits) == (True, [None])
