"""A verdict that depends on how long a call waited for a processor is inconclusive."""

import pytest
from tests.stimuli import stimulus
from tests.unit.examine.fakes import RULES, Host, answer, hanging, run
from tests.unit.rules import builders as b
from tests.unit.rules import mcp_builders as mcp

from aptix_conformance.core.model import Call, CancellationPoint, Disturbed, Exploration
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.verdict import Level, Obstacle
from aptix_conformance.examine import Options
from aptix_conformance.examine.applicable import ApplicableRule
from aptix_conformance.examine.ledger import Ledger
from aptix_conformance.examine.remeasure import Remeasurement
from aptix_conformance.examine.scan import Deadline, Scan
from aptix_conformance.examine.untimed import untimed_rules
from aptix_conformance.rules.lib.kernel import AnyCall, Finding, NotApplicable, rule


@rule("EXC905", "AGN-005.9.5", remedy="Be quick.", unseen_reason="no call was made")
def is_quick(call: Call):
    """No call takes a second."""
    return Finding("slow", timed=True) if call.elapsed > 1 else None


@rule(
    "EXC906",
    "AGN-005.9.5",
    remedy="Say so.",
    when=AnyCall(lambda call: call.elapsed > 1),
    unseen_reason=NotApplicable("no call took a second"),
)
def long_calls_succeed(exploration: Exploration):
    """A call that takes a second succeeds."""
    return (Finding("failed", call) for call in exploration.calls if call.elapsed > 1 and not call.succeeded)


def verdicts(*rules, **times):
    found, _ = run(Host(lambda *_: {**answer(), **times}), *rules, options=Options(examples=1, seed=0))
    return {code: (verdict.verdict.value, verdict.obstacle) for code, verdict in found.items()}


@pytest.mark.parametrize(("elapsed", "waited"), [(0.015, 1.0), (0.9, 0.2)])
def test_a_call_that_may_have_been_too_slow_is_no_pass_and_no_reason_to_apply_nothing(elapsed, waited):
    unsure = ("inconclusive", Obstacle.UNTIMED)
    seen = verdicts(is_quick, long_calls_succeed, elapsed=elapsed, waited=waited)
    assert seen == {"EXC905": unsure, "EXC906": unsure}


@pytest.mark.parametrize(("elapsed", "waited"), [(0.4, 0.5), (0.99, 0.015)])
def test_a_call_that_was_quick_by_the_clock_or_within_the_margin_is_judged(elapsed, waited):
    seen = verdicts(is_quick, long_calls_succeed, elapsed=elapsed, waited=waited)
    assert seen["EXC905"] == ("pass", None)
    assert seen["EXC906"][1] is not Obstacle.UNTIMED


def test_a_call_that_was_slow_by_its_own_time_is_a_breach_however_long_it_waited():
    seen = verdicts(is_quick, long_calls_succeed, elapsed=1.1, waited=30.0)
    assert [verdict for verdict, _ in seen.values()] == ["fail", "pass"]


def tried(*tries):
    """The verdict of `is_quick`, where one call may have been too slow and took these times when it was made again."""
    made = []

    def behave(plan, _):
        made.append(plan)
        count = made.count(made[0]) if plan == made[0] else 0
        return {**answer(), **((QUICK, UNSURE, *tries)[count])}

    found, _ = run(Host(behave), is_quick, options=Options(examples=0, seed=0))
    return found["EXC905"].verdict.value


QUICK, SLOW, UNSURE = {"elapsed": 0.9}, {"elapsed": 1.1}, {"elapsed": 0.9, "waited": 0.5}


def test_a_call_whose_time_is_not_known_is_made_again_until_it_is():
    assert tried(UNSURE, UNSURE, QUICK) == "pass"


def test_a_call_that_is_slow_when_it_is_made_again_stays_unsure():
    """It may have been as quick as the least of its time says: the second try alone is no breach."""
    assert tried(SLOW, QUICK, QUICK, QUICK) == "inconclusive"


def test_a_call_is_made_again_behind_the_calls_that_its_process_had_served():
    """What they left may be what made it slow."""
    served = []

    def behave(plan, _):
        served.append(plan)
        return {**answer(), **(UNSURE if len(served) == 3 else QUICK)}

    host = Host(behave)
    ledger = Ledger([ApplicableRule(is_quick, Level.MUST, None)])
    plans = [stimulus("valid", "minimal", f'{{"count": {number}}}', None) for number in range(3)]
    Scan(host, ledger, Deadline(60.0), "valid", seed=0, examples=1).run_fixed(plans)
    assert untimed_rules(ledger, Remeasurement(ledger, host).tries) == {}
    assert served == [*plans, *plans]


def test_a_call_that_the_clock_ended_is_not_made_again():
    """No rule has judged it."""
    made = []

    def behave(plan, _):
        made.append(plan)
        return {**hanging(), "elapsed": 4.0, "waited": 36.0, "overdue": True}

    run(Host(behave), RULES["EXC002"], options=Options(examples=0, seed=0))
    assert all(made.count(plan) == 1 for plan in made)


def test_a_call_that_came_back_after_its_limit_by_the_clock_may_have_hung():
    assert verdicts(RULES["EXC002"], elapsed=4.0, waited=2.0, overdue=True)["EXC002"][0] == "inconclusive"
    assert verdicts(RULES["EXC002"], elapsed=4.0, waited=2.0)["EXC002"][0] == "pass"


def test_a_call_that_was_ended_before_its_limit_by_its_own_time_is_no_breach():
    assert (
        verdicts(RULES["EXC002"], **hanging(), elapsed=4.0, waited=36.0, overdue=True)["EXC002"][0]
        == "inconclusive"
    )
    assert verdicts(RULES["EXC002"], **hanging(), elapsed=5.0, waited=36.0)["EXC002"][0] == "fail"


def test_a_repeated_call_that_the_clock_ended_shows_no_hang():
    """The first call hung for all of its own time, and nothing tells that the second one did."""
    seen = []

    def behave(plan, _):
        seen.append(plan)
        return {**hanging(), "elapsed": 5.0, "overdue": seen.count(plan) > 1}

    verdicts, _ = run(Host(behave), RULES["EXC002"], options=Options(examples=1, seed=0))
    assert verdicts["EXC002"].verdict.value == "inconclusive"


@pytest.mark.parametrize(("overdue", "times"), [(False, 1), (True, 0)])
def test_a_call_is_repeated_ahead_where_it_hung_for_sure(overdue, times):
    """What may have come back is no breach, so that nobody asks for its proof."""
    host, ahead = Host(lambda *_: {**hanging(), "overdue": overdue}), []
    host.execute_ahead = lambda *given: ahead.append(given)
    ledger = Ledger([ApplicableRule(RULES["EXC002"], Level.MUST, None)])
    plan = stimulus("valid", "minimal", "{}", None)
    Scan(host, ledger, Deadline(60.0), "valid", seed=0, examples=1, patience=60.0).run_fixed([plan])
    assert ahead == [(plan, 60.0)] * times


def rules_open_after(code, *calls):
    ledger = Ledger([ApplicableRule(RULES[code], Level.MUST, None)])
    for call in calls:
        ledger.observe(call)
    return list(untimed_rules(ledger))


@pytest.mark.parametrize(
    ("code", "point", "seen"),
    [
        ("CAN005", CancellationPoint("token", 1), {"after": 0.5}),
        ("CAN009", CancellationPoint("watch"), {"blocked": 0.5}),
    ],
)
def test_the_parts_of_a_call_are_as_unsure_as_the_call(code, point, seen):
    call = b.call(probe="cancel", disturbed=Disturbed(reached=True, **seen), token_consultations=1, earlier=1)
    quick = replace(call, plan=replace(call.plan, disturbance=point), elapsed=0.5)
    unsure = replace(quick, waited=2.0)
    assert rules_open_after(code, unsure, unsure) == [code]
    assert rules_open_after(code, unsure, quick) == [], "one of two equal calls was quick"
    measured = replace(unsure, disturbed=replace(unsure.disturbed, after=0.4, blocked=0.4))
    assert rules_open_after(code, measured, measured) == [], "the host's clock leaves waits out"


def test_what_a_server_sent_after_a_cancellation_may_have_come_later_than_it_seems():
    """MCP060 to MCP062 leave a second for what crosses the cancellation."""
    progress = mcp.tokened(None, 1, times=(1.9,))
    result = mcp.tokened(mcp.ok(), answered=1.9)
    unread = mcp.tokened(mcp.ok(), answered=1.9, read=1.9)
    for code, call in (("MCP060", progress), ("MCP061", result), ("MCP062", unread)):
        assert rules_open_after(code, replace(call, waited=2.0)) == [code]
        assert rules_open_after(code, call) == []


def test_a_block_that_is_shorter_than_its_call_was_measured():
    """A thread that blocks the event loop does nothing else while it waits, so its host can leave the wait out."""
    call = b.call(probe="cancel", disturbed=Disturbed(reached=True, blocked=0.4), earlier=1)
    plan = replace(call.plan, disturbance=CancellationPoint("watch"))
    unsure = replace(call, plan=plan, elapsed=0.5, waited=2.0)
    assert rules_open_after("CAN009", unsure, unsure) == []
