"""How a breach is shown again: shrunk, with its history, for each cause."""

import json

import pytest
from tests.stimuli import stimulus
from tests.unit.examine.fakes import (
    RULES,
    Host,
    answer,
    comes_back,
    count_of,
    crashing,
    declaration,
    explored_never_raises,
    hanging,
    never_raises,
    raising,
    run,
    suite,
)

from aptix_conformance.core.model import Call, Declaration, Outcome
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.traits import Facts
from aptix_conformance.examine.applicable import applicable_rules
from aptix_conformance.examine.ledger import Ledger
from aptix_conformance.examine.reproduce import Reproduction
from aptix_conformance.examine.scan import Deadline, Scan
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.targets import ToolSettings


@rule("EXC903", "AGN-005.9.5", remedy="Come back.", unseen_reason="no call was made")
def hangs_never(call: Call):
    """No call hangs."""
    return Finding(call.incident, timed=True) if call.incident else None


@rule("REG901", "AGN-005.9.5", remedy="Declare nothing.")
def never_declared(declaration: Declaration):
    """Nothing is declared."""
    return Finding("declared")


@rule("REG902", "AGN-005.9.5", remedy="Be even.")
def not_odd(declaration: Declaration):
    """The module is not odd."""
    return Finding("odd") if declaration.module == "odd" else None


@rule("EXC905", "AGN-005.4.2", remedy="Catch it.", unseen_reason="no call was made")
def tells_types_apart(call: Call):
    """Nothing is raised, of any type."""
    if call.raised is None:
        return None
    return Finding(f"raised {call.raised.type_name}", cause=call.raised.type_name)


def test_a_breach_is_shrunk_to_a_small_call():
    """The counterexample is the smallest that was found, not the first."""
    host = Host(lambda plan, earlier: raising() if (count_of(plan) or 0) > 1000 else answer())
    verdicts, _ = run(host, never_raises)
    finding = verdicts["EXC901"].finding
    assert finding.reproduced
    assert json.loads(finding.call.plan.arguments).keys() == {"count"}
    assert 1000 < count_of(finding.call.plan) < 100_000
    assert finding.history == ()


def test_a_breach_that_needs_its_history_is_kept_with_it():
    """State: the second call raises, whatever it is."""
    verdicts, _ = run(Host(lambda plan, earlier: raising() if earlier else answer()), never_raises)
    finding = verdicts["EXC901"].finding
    assert finding.reproduced
    assert len(finding.history) == 1


def test_a_breach_that_never_shows_again_says_so():
    """Chance is no proof, and is not hidden."""
    seen = []

    def behave(plan, earlier):
        seen.append(plan)
        return raising() if len(seen) == 30 else answer()

    verdicts, _ = run(Host(behave), never_raises)
    assert verdicts["EXC901"].verdict.value == "fail"
    assert verdicts["EXC901"].finding.reproduced is False
    assert verdicts["EXC901"].finding.attempts == 3


@pytest.mark.parametrize("calls", [1, 2, 3, 17, 40])
def test_a_breach_is_proved_with_the_fewest_calls_before_it(calls):
    """A tool that breaks after its fortieth call breaks after forty, not "once"."""
    host = Host(lambda plan, earlier: raising() if len(earlier) >= calls else answer())
    finding = run(host, never_raises)[0]["EXC901"].finding
    assert finding.reproduced
    assert len(finding.history) == calls


def test_a_raise_after_a_thousand_calls_is_proved_with_a_thousand():
    """The earlier calls are tried in growing numbers, then by halves: no thousand times a thousand calls."""
    host = Host(lambda plan, earlier: raising() if len(earlier) >= 1000 else answer())
    ledger = Ledger(applicable_rules(suite(never_raises), declaration()), [declaration()])
    plans = (stimulus("valid", str(number), "{}", None) for number in range(1300))
    Scan(host, ledger, Deadline(60.0), "valid", seed=0, examples=10).run_fixed(plans)
    (breach,) = ledger.breaches["EXC901"].values()
    finding = Reproduction(ledger, host).reproduced(never_raises, breach, breach)
    assert finding.reproduced
    assert len(finding.history) == 1000
    assert len(host.made) < 15_000


def test_a_hang_after_two_calls_is_proved_too():
    """A call that does not come back is looked for after the calls before it, like any other."""
    host = Host(lambda plan, earlier: hanging() if len(earlier) == 2 else answer())
    verdicts, _ = run(host, hangs_never)
    assert verdicts["EXC903"].verdict.value == "fail"
    assert verdicts["EXC903"].finding.reproduced
    assert len(verdicts["EXC903"].finding.history) >= 2


@pytest.mark.parametrize("calls", [1, 2, 7, 30])
def test_a_crash_after_several_calls_is_proved_with_these_calls(calls):
    """A tool that ends its process at a later call does so each time; the next call has a new process."""

    class Ending(Host):
        def execute(self, plan, timeout=None):
            call = super().execute(plan, timeout)
            if call.outcome is Outcome.CRASHED:
                self.reset()
            return call

    host = Ending(lambda plan, earlier: crashing() if len(earlier) == calls else answer())
    verdict = run(host, RULES["EXC002"])[0]["EXC002"]
    assert verdict.verdict.value == "fail"
    assert verdict.finding.message == "The call ended its process (exit status 3)."
    assert verdict.finding.reproduced
    assert len(verdict.finding.history) == calls


def test_a_hang_that_was_seen_once_is_inconclusive():
    """Time was measured once; nothing else says that the tool hangs."""
    seen = []

    def behave(plan, earlier):
        seen.append(plan)
        return hanging() if len(seen) == 30 else answer()

    verdict = run(Host(behave), hangs_never)[0]["EXC903"]
    assert verdict.verdict.value == "inconclusive"
    assert verdict.reason == "seen in 1 of 3 attempts: no answer within 5 s"


def test_a_call_that_was_made_too_small_is_proved_as_it_was_scanned():
    """The smallest call is not in the history of any process; the one that the scan made is."""
    host = Host(lambda plan, earlier: raising() if len(earlier) >= 60 and count_of(plan) else answer())
    verdicts, found = run(host, never_raises)
    finding = verdicts["EXC901"].finding
    assert finding.reproduced
    assert any(finding.call.plan is call.plan for call in found.exploration.calls)
    assert len(finding.history) >= 60


def test_a_rule_over_explorations_is_proved_with_the_new_call_in_the_old_ones_place():
    """What only one call showed, and a fresh process does not, is seen once."""
    shown = Host(lambda plan, earlier: raising() if plan.arguments is None else answer())
    assert run(shown, explored_never_raises)[0]["EXC904"].finding.reproduced
    seen = []

    def behave(plan, earlier):
        seen.append(plan)
        return raising() if len(seen) == 30 else answer()

    finding = run(Host(behave), explored_never_raises)[0]["EXC904"].finding
    assert (finding.reproduced, finding.attempts) == (False, 3)


def test_a_rule_over_declarations_is_proved_in_a_fresh_process():
    """A declaration that is wrong each time is reproduced; one that was wrong once is not."""
    assert run(Host(lambda plan, earlier: answer()), never_declared)[0]["REG901"].finding.reproduced

    class Odd(Host):
        read = 0

        def describe(self):
            self.read += 1
            return replace(declaration(), module="odd" if self.read == 1 else "fake")

    verdict = run(Odd(lambda plan, earlier: answer()), not_odd)[0]["REG902"]
    assert verdict.verdict.value == "fail"
    assert (verdict.finding.reproduced, verdict.finding.attempts) == (False, 3)


def test_a_declaration_that_changes_after_calls_is_proved_after_calls():
    class Changing(Host):
        def describe(self):
            when = "after_calls" if self.earlier else "start"
            return replace(declaration(), when=when, module="odd" if self.earlier else "fake")

    finding = run(Changing(lambda plan, earlier: answer()), not_odd)[0]["REG902"].finding
    assert finding.reproduced
    assert len(finding.history) == 1


def test_each_cause_is_proved_and_those_past_five_are_counted():
    """Two faults are two counterexamples, each the smallest of its own; seven are five and a number."""

    def behave(plan, earlier):
        count = count_of(plan)
        return answer() if not count else raising(f"Error{abs(count) % 2}")

    verdict = run(Host(behave), tells_types_apart)[0]["EXC905"]
    assert {found.message for found in verdict.findings} == {"raised Error0", "raised Error1"}
    assert all(found.reproduced for found in verdict.findings)
    assert verdict.causes == 2
    verdict = run(
        Host(lambda plan, earlier: raising(f"Error{len(plan.arguments or '') % 7}")), tells_types_apart
    )[0]["EXC905"]
    assert len(verdict.findings) == 5
    assert verdict.causes == 7


def test_of_two_causes_each_is_shown_with_a_smaller_call_than_the_scan_made():
    """Even and odd counts raise different exceptions, and the call of each is made smaller."""

    def behave(plan, earlier):
        count = count_of(plan) or 0
        if abs(count) <= 100 or '"word"' not in plan.arguments:
            return answer()
        return raising("Odd" if count % 2 else "Even")

    verdicts, found = run(Host(behave), tells_types_apart)
    shown = {each.message: each for each in verdicts["EXC905"].findings}
    assert shown.keys() == {"raised Odd", "raised Even"}
    for message, finding in shown.items():
        scanned = (call for call in found.exploration.calls if call.raised)
        made = [call.plan for call in scanned if message == f"raised {call.raised.type_name}"]
        assert finding.reproduced
        assert finding.call.plan.arguments not in [plan.arguments for plan in made]
        assert len(finding.call.plan.arguments) < min(len(plan.arguments) for plan in made)


def test_what_was_shown_again_comes_before_what_was_not():
    """The first finding is the one to begin with."""
    seen = []

    def behave(plan, earlier):
        seen.append(plan)
        if len(seen) == 3:
            return raising("Chance")
        return raising("Fault") if len(plan.arguments or "") > 30 else answer()

    verdict = run(Host(behave), tells_types_apart)[0]["EXC905"]
    assert [(found.message, found.reproduced) for found in verdict.findings] == [
        ("raised Fault", True),
        ("raised Chance", False),
    ]


def test_a_call_that_hung_by_chance_does_not_hide_those_that_always_hang():
    """It is the shortest, so it is tried first, and it is not shown again."""
    chances = [True]

    def behave(plan, earlier):
        if chances and plan.probe == "valid" and '"word"' not in plan.arguments:
            chances.pop()
            return hanging()
        return hanging() if '"word"' in (plan.arguments or "") else answer()

    verdict = run(Host(behave), hangs_never)[0]["EXC903"]
    assert not chances
    assert verdict.verdict.value == "fail"
    assert verdict.finding.reproduced
    assert '"word"' in verdict.finding.call.plan.arguments


def test_the_host_is_proved_after_every_probe_and_at_last_by_what_hangs():
    """During the exploration and after it; where no call is made there is nothing to prove."""
    host = Host(lambda plan, earlier: answer())
    verdicts, _ = run(host, RULES["EXC007"])
    assert verdicts["EXC007"].verdict.value == "pass"
    assert len(host.proved) > 4
    assert host.proved == [False] * (len(host.proved) - 1) + [True]
    verdicts, _ = run(Host(None, read_only="it says so"), RULES["EXC007"])
    assert verdicts["EXC007"].verdict.value == "inconclusive"


class _Sdk(Facts, frozen=True):
    def breaks_by_itself(self, rule, cause):
        return "sdk 1.0"


@pytest.mark.parametrize(("facts", "starts"), [(None, 2), (_Sdk(), 1)])
def test_what_a_library_is_known_to_break_is_proved_in_the_process_of_an_earlier_proof(facts, starts):
    """A server may take seconds to start. Breaches of its own are each proved in a fresh process."""

    class Server(Host):
        is_proof, starts = False, 0

        def describe(self):
            return replace(declaration(), facts=facts)

        def check_sentinels(self, *, last=False):
            self.is_proof = last

        def reset(self):
            super().reset()
            self.starts += self.is_proof

    host = Server(lambda plan, earlier: raising())
    verdicts, _ = run(host, never_raises, explored_never_raises)
    findings = [verdict.finding for verdict in verdicts.values()]
    assert [(found.reproduced, found.history) for found in findings] == [(True, ())] * 2
    assert host.starts == starts


def test_the_wait_for_a_call_that_hung_begins_when_it_is_first_seen_to_hang():
    """Only where its system waits longer for it when it is repeated."""

    class Server(Host):
        begun = ()

        def describe(self):
            return replace(declaration(), traits=replace(declaration().traits, patience=60.0))

        def execute_ahead(self, plan, timeout):
            self.begun += ((plan, timeout, len(self.made)),)

    host = Server(lambda plan, earlier: hanging() if (count_of(plan) or 0) > 1000 else answer())
    run(host, comes_back)
    (plan, timeout, place), *_ = host.begun
    assert (timeout, host.made[place - 1]) == (60.0, plan)
    limited = Server(host.behave)
    run(limited, comes_back, settings=ToolSettings(timeout=5.0))
    assert limited.begun == ()
