"""The probe alone: which calls it makes again, and in which order."""

import json

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Outcome, Result
from aptix_conformance.stimuli.probes.alone import AloneProbe


def repeated(label, bet, side, seconds=0.001):
    result = Result("InvokeResult", True, True, json.dumps({"side": side}), "str")
    plan = stimulus("repeat", label, json.dumps({"bet": bet}), {})
    return Call(plan, Outcome.RETURNED, seconds, result)


def planned(make_subject, side, seconds=0.001):
    seen = [
        repeated("same:A:1", "x", "heads", seconds),
        repeated("same:B:1", "y", "tails", seconds),
        repeated("same:values:1", "z", "tails", seconds),
        repeated("together:2:different-1", "x", "heads"),
        repeated("together:2:different-2", "y", side),
    ]
    return "".join(
        json.loads(plan.arguments)["bet"]
        for plan in AloneProbe().fixed(make_subject({"type": "object"}), seen)
    )


def test_calls_that_have_the_same_results_at_once_are_not_made_again(make_subject):
    assert planned(make_subject, "tails") == ""


@pytest.mark.parametrize("seconds", [0.001, 1.0])
def test_equal_calls_come_in_pairs_and_between_the_others(make_subject, seconds):
    """No counter and no clock gives them one value each. How long a call takes changes nothing."""
    assert planned(make_subject, "heads", seconds) == "xyyx" * 4
