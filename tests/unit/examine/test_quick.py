"""The quick plan: a part of the calls, which shows faults, and never that a tool conforms."""

import re

import pytest
from tests.stimuli import stimulus
from tests.unit.examine import fakes
from tests.unit.examine.fakes import Host, answer, comes_back, count_of, hanging, never_raises, raising, run

from aptix_conformance.app.run import RunOptions
from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.model import Declaration, Outcome
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.verdict import Obstacle
from aptix_conformance.examine import Options
from aptix_conformance.examine.quick import NUMBERS, QuickPlan, part_of
from aptix_conformance.present.reports import tool_report
from aptix_conformance.present.reports.servers import is_accepted, unrepeated
from aptix_conformance.rules.lib.kernel import Finding, rule


@rule("REG901", "AGN-005.9.5", remedy="Name it.", unseen_reason="it was not read")
def has_a_name(read: Declaration):
    """A tool has a name."""
    return None if read.tool_name.value else Finding("no name")


def examined(behave):
    """The verdicts, the host and the examination of a tool with the quick plan."""
    host = Host(behave)
    verdicts, found = run(host, never_raises, comes_back, options=Options(quick=True))
    return verdicts, host, found


def test_a_quick_plan_is_a_small_part_of_the_standard_one_in_its_order():
    _, host, _ = examined(lambda plan, earlier: answer())
    whole = Host(lambda plan, earlier: answer())
    run(whole, never_raises, comes_back, options=Options())
    remaining = iter([plan.label for plan in whole.made])
    own, drawn = {"malformed", "invalid"}, {"mutation", "combined"}
    fixed = [plan for plan in host.made if plan.probe in own and plan.kind not in drawn]
    assert all(any(plan.label == other for other in remaining) for plan in fixed)
    assert 9 < len(fixed) < len(host.made) < 0.15 * len(whole.made)


def test_what_it_leaves_out_is_inconclusive_and_says_how_much():
    verdicts, _, found = examined(lambda plan, earlier: answer())
    assert {each.verdict.value for each in verdicts.values()} == {"inconclusive"}
    assert re.search(
        r"malformed: \d of \d{3} planned calls were made \(quick plan\)",
        verdicts["EXC901"].reason,
    )
    assert found.status == "incomplete"
    report = tool_report(found, tool="acme", deselected=frozenset())
    assert {verdict.obstacle for verdict in report.verdicts} == {Obstacle.CUT}
    left = [gap for gap in report.shortfalls if "quick" in gap.reason]
    assert {gap.probe for gap in left} >= {"valid", "malformed", "invalid", "extremes"}
    assert all(gap.cut and gap.expected for gap in left)
    numbers = (re.match(r"(\d+) of (\d+) planned calls", gap.reason) for gap in left)
    counted = {int(found[2]) - int(found[1]) for found in numbers if found}
    assert counted
    assert counted <= {gap.unmade for gap in left}


def test_a_fault_that_it_shows_is_a_finding():
    verdicts, _, found = examined(lambda plan, earlier: raising())
    assert verdicts["EXC901"].verdict.value == "fail"
    assert found.status == "nonconforming"


def test_a_call_that_hangs_is_not_waited_for_and_its_rule_is_neither_broken_nor_passed(monkeypatch):
    """Where a repeated call gets a minute; what was seen fails the run all the same."""
    monkeypatch.setattr(fakes, "TRAITS", replace(fakes.TRAITS, patience=60.0))
    verdicts, _, found = examined(lambda plan, _: hanging() if (count_of(plan) or 0) < 0 else answer())
    verdict = verdicts["EXC902"]
    assert (verdict.verdict.value, verdict.obstacle) == ("inconclusive", Obstacle.NOT_REPRODUCED)
    assert verdict.reason.endswith("The quick plan does not wait 60 s for it, and --standard does.")
    report = tool_report(found, tool="acme", deselected=frozenset())
    assert (report.status, unrepeated(report), is_accepted(report)) == ("incomplete", ["EXC902"], False)


@pytest.mark.parametrize(("quick", "hung"), [(True, 2), (False, 6)])
def test_calls_that_hang_take_10_seconds_of_a_tool_and_30_of_a_standard_plan(quick, hung):
    """Every third call of a process hangs, for no cause that could be known."""
    host = Host(lambda plan, earlier: hanging() if len(earlier) % 3 == 2 else answer())
    found = run(host, comes_back, options=Options(quick=quick))[1]
    calls = [call for call in found.exploration.calls if call.outcome is Outcome.TIMED_OUT]
    assert len(calls) == hung
    assert any(f"{hung} of its calls did not come back" in gap.reason for gap in found.exploration.shortfalls)


def test_a_probe_of_which_nothing_is_drawn_says_nothing_of_drawn_calls_that_a_hang_left_out():
    found = examined(lambda plan, earlier: hanging())[2]
    assert not [gap.reason for gap in found.exploration.shortfalls if "0 of 0" in gap.reason]


@pytest.mark.parametrize(("quick", "status"), [(True, "incomplete"), (False, "conforming")])
def test_it_is_no_verdict_though_every_rule_passed(quick, status):
    """No call is needed for a rule on the declaration."""
    found = run(Host(lambda plan, earlier: answer()), has_a_name, options=Options(quick=quick))[1]
    assert found.status == status


def test_what_refusals_may_have_spoilt_is_looked_into_in_whole():
    """Else what a refusal left would be charged to a call that works."""

    def is_refused(plan):
        return plan.arguments is None or "count" not in plan.arguments

    def behave(plan, earlier):
        return answer(successful=not any(map(is_refused, (plan, *earlier))))

    _, host, _ = examined(behave)
    assert sum(plan.probe == "after-refusals" for plan in host.made) > NUMBERS["after-refusals"][""]


@pytest.mark.parametrize(
    ("kind", "label", "part"),
    [
        ("extreme", "extreme:a.b:megabyte", "extreme:megabyte"),
        ("lenient", "lenient:nan", "lenient:nan"),
        ("disturbed", "service:2:os_error", "service:os_error"),
        ("context", "context:hostile-nul:fullest", "context:hostile-nul"),
        ("together", "together:50:many-1", "together:50"),
        ("missing", "missing:city", "missing"),
    ],
)
def test_calls_are_counted_by_what_they_try_and_not_by_the_argument(kind, label, part):
    assert part_of(kind, label) == part


def test_of_a_probe_that_has_no_numbers_the_first_calls_are_made():
    """A third party's."""
    plan = QuickPlan("acme")
    assert [plan.takes(stimulus("acme", f"example:{number}", "{}", None)) for number in range(1, 6)] == [
        True
    ] * 3 + [False] * 2
    assert plan.unmade == 2


def test_calls_at_the_same_time_are_made_together_or_not_at_all():
    plan, group = (
        QuickPlan("acme"),
        [stimulus("acme", f"together:8:many-{number}", "{}", None) for number in (1, 2)],
    )
    assert not plan.takes(*group)
    assert plan.unmade == 2


def test_each_number_is_for_calls_that_there_may_be():
    assert all(number > 0 for numbers in NUMBERS.values() for number in numbers.values())


@pytest.mark.parametrize(("thoroughness", "drawn"), [("quick", 4), ("standard", 100), ("thorough", 1000)])
def test_a_plan_has_its_own_number_of_drawn_calls(thoroughness, drawn):
    assert RunOptions(thoroughness=thoroughness).drawn == drawn


def test_another_number_of_drawn_calls_is_for_the_standard_plan_alone():
    assert RunOptions(examples=7).drawn == 7
    with pytest.raises(ConfigurationError, match="leave one of the two options out"):
        RunOptions(examples=7, thoroughness="quick")
