"""Which earlier calls a call's process had served, where some calls had processes of their own."""

from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Outcome, ScarceResource
from aptix_conformance.examine.ledger import Ledger


def call(arguments, earlier, disturbance=None):
    plan = stimulus("test", "generated", arguments, None, disturbance=disturbance)
    return Call(plan, Outcome.RETURNED, 0.0, earlier=earlier)


def ledger_of(*calls):
    ledger = Ledger([])
    for each in calls:
        ledger.observe(each)
    return ledger


ONE, TWO = call("1", 0), call("2", 1)
SCARCE = call("2", 0, ScarceResource("full-disk"))
THREE = call("3", 2)


def test_a_call_for_which_something_was_scarce_is_in_no_other_calls_history():
    ledger = ledger_of(ONE, TWO, SCARCE, THREE)
    assert ledger.history_of(THREE) == (ONE.plan, TWO.plan)
    assert ledger.history_of(SCARCE) == ()


def test_the_last_call_is_one_of_the_usual_process():
    assert ledger_of(ONE, TWO, SCARCE).last is TWO
    assert ledger_of(SCARCE).last is None
    assert Ledger([]).last is None
