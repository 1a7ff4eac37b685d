"""What a tool's set-up lacks hides no breach that another call shows, and no call that it stopped is judged."""

import pytest
from tests.unit.examine.fakes import (
    Host,
    answer,
    comes_back,
    count_of,
    explored_never_raises,
    never_raises,
    raising,
    run,
)

from aptix_conformance.core.errors import SetupError


def needs_a_package(plan):
    raise SetupError("install the package that provides 'missing'")


def test_a_breach_of_another_call_is_kept_and_no_rule_on_calls_passes():
    def behave(plan, _):
        if count_of(plan) is None:
            return raising()
        return needs_a_package(plan) if count_of(plan) % 2 else answer()

    verdicts, found = run(Host(behave), never_raises, comes_back, explored_never_raises)
    assert found.status == "nonconforming"
    assert {rule: verdict.verdict.value for rule, verdict in verdicts.items()} == {
        "EXC901": "fail",
        "EXC902": "inconclusive",
        "EXC904": "fail",
    }
    assert verdicts["EXC902"].reason == "calls: install the package that provides 'missing'"
    assert all(not call.left_out for call in found.exploration.calls)


def test_a_breach_that_was_seen_before_is_kept_though_the_package_is_needed_from_then_on():
    seen = []

    def behave(plan, _):
        if count_of(plan) is None and plan not in seen:
            seen.append(plan)
            return raising()
        return needs_a_package(plan) if count_of(plan) is None else answer()

    verdicts, found = run(Host(behave), never_raises)
    assert verdicts["EXC901"].finding.reproduced is False
    assert found.status == "nonconforming"


def test_a_tool_without_another_breach_says_what_it_lacks():
    with pytest.raises(SetupError, match=r"^install the package"):
        run(Host(lambda plan, _: needs_a_package(plan) if count_of(plan) == 1 else answer()), never_raises)


def test_where_no_call_can_be_made_no_further_probe_tries():
    host = Host(lambda plan, _: needs_a_package(plan))
    with pytest.raises(SetupError):
        run(host, never_raises)
    assert {plan.probe for plan in host.made} == {"valid"}
