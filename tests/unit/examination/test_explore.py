"""How many calls an examination makes: its budget, its seed, and what it gives up on."""

from hypothesis import strategies as st
from tests.stimuli import stimulus
from tests.unit.examination.fakes import Host, answer, comes_back, hanging, never_raises, run

from aptix_conformance.examination import Options
from aptix_conformance.examination.ledger import Ledger
from aptix_conformance.examination.scan import Budget, Scan
from aptix_conformance.generate import Arguments, write
from aptix_conformance.generate.json_text import STYLES
from aptix_conformance.hosts import MIB
from aptix_conformance.model import Outcome, Result


def test_a_tool_that_hangs_is_given_up_on_after_a_few_calls_a_probe():
    """A hanging tool does not take a timeout for every call of the corpus."""
    host = Host(lambda plan, earlier: hanging())
    verdicts, found = run(host, comes_back)
    assert verdicts["EXC902"].verdict.value == "fail"
    assert len([plan for plan in host.made if plan.probe == "valid"]) >= 3
    assert len(host.made) < 20
    assert any("did not come back" in shortfall.reason for shortfall in found.exploration.shortfalls)


def test_a_spent_budget_thins_the_draws_and_nothing_else():
    """The corpus always runs, and the rule still passes."""
    host = Host(lambda plan, earlier: answer())
    verdicts, found = run(host, never_raises, options=Options(examples=40, budget=1e-9))
    assert verdicts["EXC901"].verdict.value == "pass"
    assert {plan.probe for plan in host.made} == {
        "valid", "context", "malformed", "invalid", "repeat", "neighbours", "extremes",
    }  # fmt: skip
    assert not [plan for plan in host.made if plan.label == "generated"]
    of_the_budget = [known for known in found.exploration.shortfalls if "budget" in known.reason]
    assert of_the_budget
    assert all(shortfall.reduced_coverage for shortfall in of_the_budget)
    assert [known.probe for known in of_the_budget if "more than 3 times" in known.reason] == ["calls"]


def test_a_budget_that_suffices_is_not_spoken_of():
    """Nor how long the calls took."""
    _, found = run(
        Host(lambda plan, earlier: answer()), never_raises, options=Options(examples=4, budget=300.0)
    )
    assert not [known for known in found.exploration.shortfalls if "budget" in known.reason]


def test_the_same_seed_makes_the_same_calls_and_another_seed_others():
    """Determinism."""

    def plans(seed):
        host = Host(lambda plan, earlier: answer())
        run(host, never_raises, options=Options(examples=20, seed=seed))
        return host.made

    assert plans(1) == plans(1)
    assert plans(1) != plans(2)


def test_calls_that_do_not_come_back_may_take_half_of_the_budget():
    """However many probes there are, and however few of the calls hang."""

    def behave(plan, earlier):
        return {**hanging(), "elapsed": 5.0} if plan.probe != "valid" and plan.arguments else answer()

    verdicts, found = run(Host(behave), comes_back, options=Options(examples=40, budget=30))
    lost = [call for call in found.exploration.calls if call.incident]
    assert verdicts["EXC902"].verdict.value == "fail"
    assert len(lost) == 3
    assert any("half of the budget" in shortfall.reason for shortfall in found.exploration.shortfalls)


def test_a_tool_that_is_ever_slow_comes_to_an_end():
    """Calls that always come back, and never soon."""
    now = [0.0]

    def behave(plan, earlier):
        now[0] += 4.9
        return answer()

    host = Host(behave)
    budget = Budget(30.0, clock=lambda: now[0])
    scan = Scan(host, Ledger([]), budget, "valid", seed=0, examples=10)
    scan.run_fixed(stimulus("valid", str(number), "{}", None) for number in range(1000))
    assert len(host.made) == 68  # of 4.9 s: 30 s and 300 s more
    assert "took 300 s more than the budget" in scan.ledger.shortfalls[0].reason


def test_the_draws_of_a_slow_tool_leave_half_of_the_budget_to_the_probes_that_follow():
    """Otherwise the first that draws would have it all."""
    now = [0.0]

    def behave(plan, earlier):
        now[0] += 2.0
        return answer()

    plans = st.integers().map(lambda number: stimulus("valid", str(number), "{}", None))
    budget, ledger = Budget(30.0, clock=lambda: now[0]), Ledger([])
    made = []
    for probe in ("valid", "malformed", "invalid"):
        host = Host(behave)
        Scan(host, ledger, budget, probe, seed=0, examples=100).run_drawn(plans)
        made.append(len(host.made))
    assert made == [8, 4, 2]  # of 2 s: to 15 of 30 s, to 22.5 (23), to 26.5
    assert all(
        found.reduced_coverage and "share of the budget" in found.reason for found in ledger.shortfalls
    )


def test_drawing_ends_when_enough_is_drawn_from_objects_that_are_often_equal():
    """Hypothesis has seen the same choices go on, and calls that flaky."""
    anything = {"type": "object", "additionalProperties": {"type": "object"}}
    drawn = Arguments({"type": "object", "properties": {"data": anything}, "required": ["data"]}).drawn()
    plans = st.tuples(drawn, st.sampled_from(STYLES)).map(
        lambda made: stimulus("valid", "generated", write(*made), None)
    )
    host = Host(lambda plan, earlier: answer())
    Scan(host, Ledger([]), Budget(30.0), "valid", seed=1, examples=15).run_drawn(plans)
    assert len(host.made) == 15


def test_results_that_fill_the_memory_of_the_suite_are_too_much():
    """Every call is kept until the tool is judged, so their size together is bounded."""
    payload = "x" * (64 * MIB)

    def behave(plan, earlier):
        return {"outcome": Outcome.RETURNED, "result": Result("InvokeResult", True, True, payload, "str")}

    host = Host(behave)
    scan = Scan(host, Ledger([]), Budget(30.0), "valid", seed=0, examples=10)
    scan.run_fixed(stimulus("valid", str(number), "{}", None) for number in range(1000))
    assert len(host.made) == 4
    assert "256 MiB" in scan.ledger.shortfalls[0].reason
