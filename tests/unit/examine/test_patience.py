"""A call that did not come back in time is repeated with the patience of its system before it counts."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from tests.unit.examine.fakes import declaration

from aptix_conformance.core.model import Call, Outage, Outcome
from aptix_conformance.core.model.stimulus import Change, Kind, Stimulus
from aptix_conformance.examine.harness_errors import HarnessErrors
from aptix_conformance.examine.ledger import Breach
from aptix_conformance.examine.reproduce import IDLE_SECONDS, Reproduction
from aptix_conformance.rules.lib.kernel import Finding

SLOW = Finding("It did not come back.", timed=True)


@dataclass
class SlowHost:
    """A host of a tool whose calls with `{}` take some seconds; it keeps the limits that it was given."""

    seconds: float
    containment: None = None
    given: list[float | None] = field(default_factory=list)
    computes: bool = False
    seconds_after: dict[str, float] = field(default_factory=dict)
    """How long such a call takes in a process that has served a call with these arguments."""
    served: list[str] = field(default_factory=list)

    def reset(self):
        self.served = []

    def check_sentinels(self):
        pass

    def execute(self, plan, timeout=None):
        self.given.append(timeout)
        limit = timeout or 5.0
        after = max((self.seconds_after.get(each, 0.0) for each in self.served), default=0.0)
        seconds = max(self.seconds, after) if plan.arguments == "{}" else 0.0
        self.served.append(plan.arguments)
        return Call(plan, Outcome.RETURNED if limit >= seconds else Outcome.TIMED_OUT, min(limit, seconds))

    def execute_patiently(self, plan, idle_timeout):
        return self.execute(plan, 5.0 if self.computes else idle_timeout)

    def execute_together(self, plans, timeout=None):
        return tuple(self.execute(plan, timeout) for plan in plans)


def call_of(arguments, kind=Kind.MINIMAL, change=None, disturbance=None):
    return Stimulus("valid", change or Change(kind), arguments, None, disturbance=disturbance)


def proof_and_limits(
    seconds,
    patience,
    together=1,
    *,
    kind=Kind.MINIMAL,
    change=None,
    disturbance=None,
    is_limited=False,
    computes=False,
    before=(),
    seconds_after=None,
):
    plan = call_of("{}", kind, change, disturbance)
    call, *others = (Call(plan, Outcome.TIMED_OUT, 5.0) for _ in range(together))
    ledger = SimpleNamespace(
        calls=[call],
        declarations=[declaration()],
        harness=HarnessErrors(),
        exploration=lambda: SimpleNamespace(calls=(call,)),
        findings=lambda _rule, seen: [SLOW] if seen.outcome is Outcome.TIMED_OUT else [],
        history_of=lambda _call: tuple(map(call_of, before)),
        made_with=lambda each: (each, *others),
    )
    host = SlowHost(seconds, computes=computes, seconds_after=seconds_after or {})
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


@pytest.mark.parametrize("patience", [None, 60.0])
def test_a_call_that_tries_again_during_an_outage_gets_the_time_of_a_client_and_its_allowance(patience):
    disturbed = {"kind": Kind.DISTURBED, "disturbance": Outage("refused")}
    proof, limits = proof_and_limits(62, patience, **disturbed)
    assert (proof.counts, limits) == (False, [85.0])
    assert proof.message == "It did not come back. Given 85 s, it came back: `timeout` sets the limit."
    proof, limits = proof_and_limits(1000, patience, **disturbed)
    assert (proof.counts, limits[0]) == (True, 85.0)


@pytest.mark.parametrize(
    "detail",
    ["endless-loop", "endless-command", "endless-power", "endless-template", "catastrophic-pattern"],
)
def test_a_text_without_an_end_gets_the_time_of_a_client_though_its_tool_computes(detail):
    """A tool may end its evaluation by a limit of its own."""
    extreme = Change(Kind.EXTREME, "code", detail)
    proof, limits = proof_and_limits(seconds=30, patience=None, change=extreme, computes=True)
    assert (proof.counts, limits) == (False, [60.0])
    proof, limits = proof_and_limits(seconds=1000, patience=None, change=extreme, computes=True)
    assert (proof.counts, limits) == (True, [60.0])
    proof, limits = proof_and_limits(seconds=30, patience=None, change=extreme, is_limited=True)
    assert (proof.counts, limits) == (True, [None])


REFUSED, OTHERS = '{"unit": "no"}', ("[]",) * 6
FOR_EVER = 1e9


def test_a_lock_that_an_earlier_call_keeps_counts_with_that_call_before():
    proof, limits = proof_and_limits(
        0.1, 60.0, before=(*OTHERS, REFUSED, *OTHERS[:2]), seconds_after={REFUSED: FOR_EVER}
    )
    assert (proof.counts, proof.reproduced) == (True, True)
    assert REFUSED in [plan.arguments for plan in proof.history]
    assert proof.message == "It did not come back."
    assert limits.count(60.0) == 3, "alone, after one call, and after four, where it hung"


def test_a_variation_that_waits_for_such_a_lock_counts_too():
    proof, _ = proof_and_limits(
        0.1, None, kind=Kind.VARIED, before=(REFUSED,), seconds_after={REFUSED: FOR_EVER}
    )
    assert (proof.counts, len(proof.history)) == (True, 1)


def test_a_call_that_came_back_within_its_first_limit_is_not_called_slow():
    proof, _ = proof_and_limits(0.1, 60.0, before=OTHERS)
    assert not proof.counts
    assert (proof.message, proof.attempts) == ("It did not come back.", 3)


def test_a_call_that_is_slow_after_others_only_is_slow():
    proof, _ = proof_and_limits(0.1, 60.0, before=(REFUSED, "[]"), seconds_after={REFUSED: 10.0})
    assert not proof.counts
    assert proof.message == "It did not come back. Given 60 s, it came back: `timeout` sets the limit."
    assert proof.attempts == 2


def test_a_call_that_is_slow_alone_is_tried_once_more_after_all_earlier_calls():
    before = (REFUSED, *OTHERS)
    proof, limits = proof_and_limits(10, 60.0, before=before)
    assert (proof.counts, limits.count(60.0)) == (False, 2)
    assert proof.message.endswith("`timeout` sets the limit.")
