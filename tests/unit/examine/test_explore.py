"""How many calls an examination makes: its plan, its seed, and what it gives up on."""

import re

import pytest
from hypothesis import strategies as st
from tests.stimuli import stimulus
from tests.unit.examine.fakes import Host, answer, comes_back, hanging, never_raises, raising, run

from aptix_conformance.core.model import Call, Declaration, Outcome, Result
from aptix_conformance.examine import Options
from aptix_conformance.examine.ledger import Ledger
from aptix_conformance.examine.scan import Deadline, Scan
from aptix_conformance.hosts import MIB
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.stimuli.generate import Arguments, write
from aptix_conformance.stimuli.generate.json_text import STYLES


def test_a_tool_that_hangs_is_given_up_on_after_a_few_calls_a_probe():
    """A hanging tool does not take a timeout for every call of the corpus."""
    host = Host(lambda plan, earlier: hanging())
    verdicts, found = run(host, comes_back)
    assert verdicts["EXC902"].verdict.value == "fail"
    assert len([plan for plan in host.made if plan.probe == "valid"]) >= 3
    assert len(host.made) < 20
    assert any("did not come back" in shortfall.reason for shortfall in found.exploration.shortfalls)


@rule(
    "EXC903",
    "AGN-005.9.5",
    remedy="Come back.",
    probes=("valid",),
    unseen_reason="no call was made",
)
def valid_calls_return(call: Call):
    """Every valid call returns."""
    return Finding("raised") if call.raised else None


@rule("REG901", "AGN-005.9.5", remedy="Name it.", unseen_reason="it was not read")
def has_a_name(read: Declaration):
    """A tool has a name."""
    return None if read.tool_name.value else Finding("no name")


def cut_in(probe, answers):
    """Verdicts where the deadline was reached by the third call of a probe."""

    def behave(plan, earlier):
        if sum(made.probe == probe for made in host.made) == 3:
            host.waited = -1e9
        return answers

    host = Host(behave)
    rules = (never_raises, valid_calls_return, has_a_name)
    verdicts, found = run(host, *rules, options=Options(examples=4))
    return {code: each.verdict.value for code, each in verdicts.items()}, verdicts, host, found


def test_a_reached_deadline_leaves_open_each_rule_that_would_have_judged_more():
    """It might have been broken by a call that was planned and not made; a rule that saw all of its calls was not."""
    found, verdicts, host, examined = cut_in("malformed", answer())
    assert found == {"EXC901": "inconclusive", "EXC903": "pass", "REG901": "pass"}
    assert verdicts["EXC901"].observations == len(host.made)
    assert "its calls took 600 s" in verdicts["EXC901"].reason
    assert "so 3 of " in verdicts["EXC901"].reason
    made, planned = re.search(
        r"so (\d+) of (\d+) planned calls were made", verdicts["EXC901"].reason
    ).groups()
    assert int(planned) - int(made) in {each.unmade for each in examined.exploration.shortfalls}
    found, *_ = cut_in("valid", answer())
    assert found == {"EXC901": "inconclusive", "EXC903": "inconclusive", "REG901": "pass"}


def test_what_a_call_before_the_deadline_broke_stays_broken():
    """No call that was not made can change that."""
    found, *_ = cut_in("malformed", raising())
    assert found["EXC901"] == "fail"


def test_a_tool_that_is_done_in_time_has_no_cut():
    """Nor is it told how long its calls took."""
    *_, found = cut_in("no such probe", answer())
    assert not [each for each in found.exploration.shortfalls if each.cut]


def test_the_same_seed_makes_the_same_calls_and_another_seed_others():
    """Determinism."""

    def plans(seed):
        host = Host(lambda plan, earlier: answer())
        run(host, never_raises, options=Options(examples=20, seed=seed))
        return host.made

    assert plans(1) == plans(1)
    assert plans(1) != plans(2)


@pytest.mark.parametrize(("timeout", "most"), [(5.0, 6), (10.0, 3), (600.0, 1)])
def test_calls_that_do_not_come_back_may_take_half_a_minute(timeout, most):
    """However many probes there are, and however few of the calls hang: what is left of them makes rules inconclusive."""

    def behave(plan, earlier):
        return hanging() if plan.probe != "valid" and plan.arguments else answer()

    options = Options(examples=40, timeout=timeout)
    verdicts, found = run(Host(behave), comes_back, valid_calls_return, never_raises, options=options)
    assert verdicts["EXC902"].verdict.value == "fail"
    assert verdicts["EXC901"].verdict.value == "inconclusive"
    assert f"{most} of its calls did not come back within {timeout:g} s" in verdicts["EXC901"].reason
    assert verdicts["EXC903"].verdict.value == "pass"
    assert sum(bool(call.incident) for call in found.exploration.calls) == most


def test_how_long_a_call_hung_does_not_decide_how_many_may():
    """A busy machine notices later that one hangs."""

    def hung(elapsed):
        host = Host(lambda plan, earlier: {**hanging(), "elapsed": elapsed})
        run(host, comes_back)
        return host.made

    assert hung(5.0) == hung(29.0)


def test_a_slow_tool_gets_the_calls_of_a_fast_one():
    """What it is examined with depends on what it answers."""

    def made(seconds):
        host = Host(lambda plan, earlier: {**answer(), "elapsed": seconds})
        run(host, never_raises, options=Options(examples=4))
        return host.made

    assert made(0.0) == made(4.0)


def test_drawing_ends_when_enough_is_drawn_from_objects_that_are_often_equal():
    """Hypothesis has seen the same choices go on, and calls that flaky."""
    anything = {"type": "object", "additionalProperties": {"type": "object"}}
    drawn = Arguments({"type": "object", "properties": {"data": anything}, "required": ["data"]}).drawn()
    plans = st.tuples(drawn, st.sampled_from(STYLES)).map(
        lambda made: stimulus("valid", "generated", write(*made), None)
    )
    host = Host(lambda plan, earlier: answer())
    Scan(host, Ledger([]), Deadline(30.0), "valid", seed=1, examples=15).run_drawn(plans)
    assert len(host.made) == 15


def test_results_that_fill_the_memory_of_the_suite_are_too_much():
    """Every call is kept until the tool is judged, so their size together is bounded."""
    payload = "x" * (64 * MIB)

    def behave(plan, earlier):
        return {"outcome": Outcome.RETURNED, "result": Result("InvokeResult", True, True, payload, "str")}

    host = Host(behave)
    scan = Scan(host, Ledger([]), Deadline(30.0), "valid", seed=0, examples=10)
    scan.run_fixed(stimulus("valid", str(number), "{}", None) for number in range(1000))
    assert len(host.made) == 4
    assert "256 MiB" in scan.ledger.shortfalls[0].reason
