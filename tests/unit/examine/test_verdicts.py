"""Verdicts and statuses: only what passed is green."""

import datetime

import pytest
from tests import verdicts
from tests.verdicts import finding

from aptix_conformance.core.contracts import Level, load
from aptix_conformance.core.model import Call
from aptix_conformance.core.model.verdict import Obstacle, VerdictKind
from aptix_conformance.examine import ApplicableRule
from aptix_conformance.examine.obstacle_words import met
from aptix_conformance.examine.verdicts import (
    Proof,
    apply_waivers,
    status_of,
    verdict_of,
)
from aptix_conformance.rules.lib.kernel import Rule, always, every_tool
from aptix_conformance.targets.settings import Waiver

TODAY = datetime.date(2026, 11, 20)


def make_rule(**changes):
    values = {
        "code": "ARG002",
        "name": "malformed-json-never-raises",
        "demand": "Nothing is raised.",
        "why": "",
        "clauses": ("AGN-005.3.2",),
        "source": "contract",
        "over": Call,
        "when": always,
        "judge": lambda call: None,
        "remedy": "Catch it.",
        "unseen_reason": "no call was made",
        "applies": every_tool,
        "advice": False,
        "systems": ("aptix",),
    }
    return Rule(**{**values, **changes})


def make_verdict(kind, level=Level.MUST, rule="ARG002"):
    return verdicts.verdict(rule, kind, level, reason="why")


def applicable(exempt=None, **changes):
    return ApplicableRule(make_rule(**changes), Level.MUST, exempt)


def test_a_rule_that_saw_observations_and_found_nothing_passes():
    """Pass needs at least one observation."""
    assert verdict_of(applicable(), 3, None).verdict is VerdictKind.PASS


def test_a_rule_that_saw_nothing_is_inconclusive_and_says_what_was_missing():
    """No observation is never a pass, and the reason names what the exploration lacked."""
    verdict = verdict_of(applicable(), 0, None)
    assert (verdict.verdict, verdict.reason) == (VerdictKind.INCONCLUSIVE, "no call was made")
    assert verdict.obstacle is Obstacle.UNSEEN


def test_a_rule_that_saw_nothing_names_the_broken_rules_in_its_way():
    """They bind less, so they mask it not; it is known all the same what to fix."""
    obstacles = [
        met(Obstacle.IN_THE_WAY, rules=("ART033", "SCH011")),
        met(Obstacle.LEFT_OUT, "fault: this host makes none"),
    ]
    verdict = verdict_of(applicable(), 0, None, obstacles)
    assert verdict.obstacle is Obstacle.LEFT_OUT
    assert verdict.reason == (
        "no call was made (fault: this host makes none); fix ART033 and SCH011 first, and run again"
    )
    assert (verdict.verdict, verdict.masked_by) == (VerdictKind.INCONCLUSIVE, ())


def test_a_rule_whose_observations_prove_nothing_is_inconclusive_unless_it_is_broken():
    void = met(Obstacle.UNSOUND, "confined: the tool works elsewhere")
    verdict = verdict_of(applicable(), 9, None, [void])
    assert (verdict.verdict, verdict.reason) == (VerdictKind.INCONCLUSIVE, void.words)
    broken = verdict_of(applicable(), 9, Proof((finding("It read."),)), [void])
    assert (broken.verdict, broken.obstacle) == (VerdictKind.FAIL, None)
    assert verdict_of(applicable(), 0, None, [void]).reason == "no call was made"


def test_where_no_call_could_be_made_that_is_the_reason():
    """One reason for all rules that need a call, with what would help."""
    verdict = verdict_of(applicable(), 0, None, [met(Obstacle.NOT_REACHED, "the tool cannot be called")])
    assert (verdict.verdict, verdict.reason) == (VerdictKind.INCONCLUSIVE, "the tool cannot be called")


def test_a_waived_rule_that_leaves_no_call_takes_all_rules_on_calls_with_it():
    """What blocks every call masks what calls would have shown; without a waiver all of it stays open."""
    broken = Proof((finding("execute takes no token"),))
    verdicts = [
        verdict_of(applicable(code="REG009", masks_others=True), 1, broken),
        verdict_of(
            applicable(),
            0,
            None,
            [met(Obstacle.NOT_REACHED, "execute takes no token (REG009)", ("REG009",))],
        ),
    ]
    assert verdicts[1].verdict is VerdictKind.INCONCLUSIVE
    assert verdicts[1].reason == "execute takes no token (REG009)"
    assert status_of(verdicts) == "nonconforming"
    waiver = Waiver("REG009", "the owner", "soon", TODAY)
    waived = apply_waivers(verdicts, [waiver], TODAY)
    assert {(verdict.verdict, verdict.obstacle) for verdict in waived} == {(VerdictKind.WAIVED, None)}
    assert status_of(waived) == "conforming-with-waivers"


def test_a_rule_on_what_a_tool_need_not_do_is_not_applicable_when_it_does_not():
    """Unseen by the tool's choice."""
    assert (
        verdict_of(applicable(unseen_reason="", not_applicable="no call was made"), 0, None).verdict
        is VerdictKind.NOT_APPLICABLE
    )


@pytest.mark.parametrize(
    "why",
    [
        met(Obstacle.NOT_REACHED, "the tool cannot be called"),
        met(Obstacle.NO_SCHEMA, "its schema cannot be read"),
        met(Obstacle.LEFT_OUT, "fault: this host makes none"),
    ],
)
def test_such_a_rule_is_inconclusive_all_the_same_when_the_exploration_fell_short(why):
    """Unseen because nobody looked."""
    found = verdict_of(applicable(unseen_reason="", not_applicable="no call was made"), 0, None, [why])
    assert found.verdict is VerdictKind.INCONCLUSIVE


def test_a_finding_fails():
    """One breach outweighs any number of observations that kept the rule."""
    verdict = verdict_of(applicable(), 100, Proof((finding("it raised"),)))
    assert (verdict.verdict, verdict.reason) == (VerdictKind.FAIL, "it raised")


def test_of_several_breaches_the_first_speaks_and_all_are_kept():
    """The ledger puts the one first that is best shown."""
    first, second = finding("it raised"), finding("it hung")
    verdict = verdict_of(applicable(), 100, Proof((first, second), causes=7))
    assert (verdict.reason, verdict.findings, verdict.causes) == ("it raised", (first, second), 7)
    assert verdict.finding == first
    assert Proof((first,)).causes == 1


def test_a_masked_rule_is_inconclusive_and_names_what_hides_it():
    verdict = verdict_of(applicable(), 100, None, [met(Obstacle.MASKED, rules=("ARG001", "EXC002"))])
    assert (verdict.verdict, verdict.masked_by) == (VerdictKind.INCONCLUSIVE, ("ARG001", "EXC002"))
    assert verdict.reason == "masked by ARG001 and EXC002; run again once that is fixed"


@pytest.mark.parametrize("others", [[], [met(Obstacle.MASKED, rules=("ARG001",))]])
def test_a_rule_that_ran_out_of_time_is_inconclusive_for_that(others):
    """Whatever hides it besides: the time is what a person can change first."""
    verdict = verdict_of(applicable(), 100, None, [*others, met(Obstacle.STOPPED, "it took more than 2 s")])
    assert (verdict.verdict, verdict.reason) == (VerdictKind.INCONCLUSIVE, "it took more than 2 s")


def test_a_breach_that_was_recorded_fails_even_if_it_was_seen_once():
    """An exception or a leak is no chance of the clock."""
    once = finding("it raised", reproduced=False, attempts=3)
    assert verdict_of(applicable(), 100, Proof((once,))).verdict is VerdictKind.FAIL


def test_a_measured_time_that_was_not_shown_again_is_inconclusive():
    """A busy machine is no fault of the tool."""
    once = finding("it took 2 s", reproduced=False, attempts=3, timed=True)
    verdict = verdict_of(applicable(), 100, Proof((once,)))
    assert verdict.verdict is VerdictKind.INCONCLUSIVE
    assert verdict.reason == "seen in 1 of 3 attempts: it took 2 s"
    assert verdict.findings == (once,)


def test_what_was_looked_for_no_more_than_usual_was_looked_for_twice():
    """Once in the scan, and once to see it again."""
    once = finding("it took 2 s", reproduced=False, timed=True)
    assert verdict_of(applicable(), 100, Proof((once,))).reason == "seen in 1 of 2 attempts: it took 2 s"


def test_what_passed_has_no_cause():
    assert verdict_of(applicable(), 100, None).causes == 0


def test_a_measured_time_that_was_shown_again_fails():
    proof = Proof((finding("it took 2 s", timed=True),))
    assert verdict_of(applicable(), 100, proof).verdict is VerdictKind.FAIL


def test_an_exempt_rule_is_not_applicable_with_its_reason():
    """An exemption is shown, not hidden."""
    verdict = verdict_of(applicable(exempt=met(Obstacle.EXEMPT, "TUL-010 exempts it")), 0, None)
    assert (verdict.verdict, verdict.reason) == (VerdictKind.NOT_APPLICABLE, "TUL-010 exempts it")


@pytest.mark.parametrize(
    ("kinds", "status"),
    [
        ([VerdictKind.PASS], "conforming"),
        ([VerdictKind.PASS, VerdictKind.NOT_APPLICABLE], "conforming"),
        ([VerdictKind.PASS, VerdictKind.WAIVED], "conforming-with-waivers"),
        ([VerdictKind.WAIVED, VerdictKind.INCONCLUSIVE], "incomplete"),
        ([VerdictKind.WAIVED, VerdictKind.FAIL], "nonconforming"),
        ([VerdictKind.PASS, VerdictKind.INCONCLUSIVE], "incomplete"),
        ([VerdictKind.FAIL, VerdictKind.INCONCLUSIVE], "nonconforming"),
        ([VerdictKind.NOT_APPLICABLE], "incomplete"),
        ([], "incomplete"),
    ],
)
def test_status_follows_from_the_must_verdicts(kinds, status):
    """Conforming needs every MUST, and something to have been examined."""
    assert status_of([make_verdict(kind) for kind in kinds]) == status


def test_a_broken_should_keeps_a_tool_conforming():
    """The level decides the gate, not the verdict."""
    verdicts = [make_verdict(VerdictKind.PASS), make_verdict(VerdictKind.FAIL, Level.SHOULD, "REG004")]
    assert status_of(verdicts) == "conforming"


def test_a_deselected_must_makes_a_tool_incomplete():
    """What was left out on the command line was not examined."""
    verdicts = [make_verdict(VerdictKind.PASS), make_verdict(VerdictKind.PASS, rule="EXC001")]
    assert status_of(verdicts, deselected=frozenset({"EXC001"})) == "incomplete"


def waiver(expires):
    return Waiver("ARG002", "weather team", "upstream", expires)


def test_a_waiver_in_force_turns_a_fail_into_waived_and_names_its_owner():
    """Somebody answers for it."""
    failing = make_verdict(VerdictKind.FAIL)
    (verdict,) = apply_waivers([failing], [waiver(TODAY)], TODAY)
    assert verdict.verdict is VerdictKind.WAIVED
    assert "weather team" in verdict.reason


def test_an_expired_waiver_fails():
    """The day after its last day it waives nothing."""
    failing = make_verdict(VerdictKind.FAIL)
    (verdict,) = apply_waivers([failing], [waiver(TODAY - datetime.timedelta(days=1))], TODAY)
    assert verdict.verdict is VerdictKind.FAIL
    assert "ran out on 2026-11-19" in verdict.reason


def test_a_waiver_that_nothing_needs_fails():
    """A kept rule has no waiver."""
    (verdict,) = apply_waivers([make_verdict(VerdictKind.PASS)], [waiver(TODAY)], TODAY)
    assert verdict.verdict is VerdictKind.FAIL
    assert "remove it" in verdict.reason
    assert verdict.causes == len(verdict.findings) == 1


def test_a_rules_level_is_the_strongest_of_its_clauses_in_the_edition():
    """Levels come from clauses.yaml."""
    identifiers = make_rule(clauses=("TUL-011.3.3", "AGN-005.5.1"))
    assert identifiers.level(load().edition("aptix-tul-011")) is Level.SHOULD
    assert identifiers.level(load().edition("aptix-agn-005-1.1")) is Level.MUST


def test_advice_is_capped_at_should():
    """A rule on prose never gates by itself."""
    assert make_rule(advice=True).level(load().edition("aptix-agn-005-1.1")) is Level.SHOULD


def test_a_rule_of_the_suites_own_is_a_should():
    """Good practice of ours is no contract."""
    own = make_rule(clauses=(), source="suite")
    assert own.level(load().edition("aptix-tul-011")) is Level.SHOULD


def test_a_rule_whose_clauses_are_of_other_documents_is_not_in_force():
    """No level, no applicable rule."""
    assert make_rule(clauses=("ART.1.1",)).level(load().edition("aptix-tul-011")) is None


def test_a_rule_whose_later_reading_is_missing_is_inconclusive_and_a_breach_counts_all_the_same():
    """What was not read never looks kept, and what was seen stays."""
    obstacles = [met(Obstacle.UNLISTED, "after calls the tool could not be read again")]
    found = verdict_of(applicable(), 2, None, obstacles)
    assert (found.verdict, found.reason) == (VerdictKind.INCONCLUSIVE, obstacles[0].words)
    broken = Proof((finding("It raised."),))
    assert verdict_of(applicable(), 2, broken, obstacles).verdict is VerdictKind.FAIL
