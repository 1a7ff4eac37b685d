"""The calls of a group are made at the same time, and the call that closes it when all have come back."""

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Outcome
from aptix_conformance.examine.calls_at_once import execute_group

GROUP = [stimulus("at-once", f"together:2:updates-{number}", "{}", None) for number in (1, 2)]
CLOSING = stimulus("at-once", "same:closing", "{}", None)


class Host:
    def __init__(self, outcome):
        self._outcome = outcome
        self.made = []

    def execute_together(self, plans, timeout):
        self.made.append((list(plans), timeout))
        return tuple(Call(plan, self._outcome, 0.0) for plan in plans)

    def execute(self, plan):
        self.made.append(plan)
        return Call(plan, Outcome.RETURNED, 0.0)


def test_the_closing_call_comes_after_the_others():
    host = Host(Outcome.RETURNED)
    calls = execute_group(host, [*GROUP, CLOSING], 7.0)
    assert host.made == [(GROUP, 7.0), CLOSING]
    assert [call.plan for call in calls] == [*GROUP, CLOSING]


def test_a_group_without_one_is_made_as_it_is():
    host = Host(Outcome.RETURNED)
    assert len(execute_group(host, GROUP)) == 2
    assert host.made == [(GROUP, None)]


@pytest.mark.parametrize("outcome", [Outcome.TIMED_OUT, Outcome.CRASHED])
def test_after_a_group_that_did_not_come_back_it_is_left_out(outcome):
    host = Host(outcome)
    *_, last = execute_group(host, [*GROUP, CLOSING])
    assert host.made == [(GROUP, None)]
    assert last.left_out
