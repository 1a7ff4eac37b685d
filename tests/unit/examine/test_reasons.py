"""Why a rule saw nothing: the reason is true where calls succeeded, and names what can be done."""

import pytest
from tests import verdicts
from tests.unit.rules import builders as b

from aptix_conformance.core.model import Outcome, Shortfall
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.core.model.verdict import Obstacle, VerdictKind
from aptix_conformance.examine.judge import with_open_masks
from aptix_conformance.examine.ledger import Ledger
from aptix_conformance.examine.obstacles import gaps_of, unreadable_by, why_no_success
from aptix_conformance.targets import Example, ToolSettings


def why(*calls, **knows):
    """What kind of obstacle is met where these calls do not show what a rule judges."""
    return why_no_success(calls, **{"has_files": False} | knows).kind


def test_where_no_call_succeeded_an_example_helps():
    assert why(b.call(result=b.failure())) is Obstacle.REFUSED


def test_where_an_example_failed_it_is_not_asked_for():
    assert why(b.call("example:1", result=b.failure())) is Obstacle.EXAMPLE_REFUSED


def test_where_calls_need_a_network_that_is_said_and_no_example_asked_for():
    needy = b.call("example:1", result=b.failure(), network=("/run/db.sock", "bank.example:443"))
    found = why_no_success([needy], has_files=False, has_network=False)
    assert (found.kind, found.words.endswith("tried to reach bank.example:443")) == (
        Obstacle.NO_NETWORK,
        True,
    )
    assert why(needy, has_network=True) is Obstacle.EXAMPLE_REFUSED
    local = b.call(result=b.failure(), network=("/run/db.sock",))
    assert why(local, has_network=False) is Obstacle.REFUSED
    assert why(needy, b.call(arguments="{}"), has_network=False) is Obstacle.NOT_SHOWN


@pytest.mark.parametrize(
    ("containment", "opens"),
    [
        (Containment("full"), False),
        (Containment("none"), True),
        (Containment("partial", ("there are no namespaces",)), False),
        (Containment("partial", ("`network` opens bank.example:443",)), True),
    ],
)
def test_a_network_is_opened_by_its_setting_or_by_no_containment(containment, opens):
    assert containment.opens_network is opens


@pytest.mark.parametrize(
    ("text", "kind"), [("four degrees", Obstacle.NOT_JSON), ('{"celsius": 4}', Obstacle.NOT_SHOWN)]
)
def test_where_calls_succeeded_without_json_that_is_said(text, kind):
    assert why(b.call(result=b.success(text))) is kind


@pytest.mark.parametrize("has_files", [True, False])
def test_where_calls_succeed_once_a_directory_helps(has_files):
    calls = [b.call("minimal", "{}"), b.call("same:2", "{}", "repeat", result=b.failure())]
    found = why_no_success(calls, has_files=has_files)
    assert (found.kind, "`files`" in found.words) == (Obstacle.NOT_TWICE, not has_files)


def test_a_call_that_fails_while_its_folder_is_empty_was_not_made_again():
    calls = [b.call("minimal", "{}"), b.call("emptied-folder", "{}", "confined", result=b.failure())]
    assert why(*calls, has_files=True) is Obstacle.NOT_SHOWN


def test_the_rules_that_say_why_nothing_was_json_are_those_of_calls_that_succeeded():
    refusal, readable = b.call(result=b.failure()), b.call()
    prose = b.call(result=b.success("four degrees"))
    taken = {id(prose): {"RES002", "ART033"}, id(refusal): {"RES003"}}
    assert unreadable_by([prose, refusal], taken) == ("ART033", "RES002")
    assert unreadable_by([prose, readable], taken) == ()
    assert unreadable_by([refusal], taken) == ()


def verdict(rule, kind, reason, *masked_by):
    return verdicts.verdict(rule, kind, reason=reason, masked_by=masked_by)


def reason_of_the_masked(by):
    masked = verdict(
        "RES004", VerdictKind.INCONCLUSIVE, "masked by EXC002; run again once that is fixed", "EXC002"
    )
    return with_open_masks([by, masked])[1].reason


def test_what_an_inconclusive_rule_masks_has_the_reason_of_that_rule():
    """Nothing is shown as broken there, so that nothing could be fixed."""
    by = verdict("EXC002", VerdictKind.INCONCLUSIVE, "seen in 1 of 2 attempts: It came back late.")
    assert reason_of_the_masked(by) == (
        "masked by EXC002, which is inconclusive: seen in 1 of 2 attempts: It came back late."
    )


def test_what_a_broken_rule_masks_waits_for_its_fix():
    by = verdict("EXC002", VerdictKind.FAIL, "It hung.")
    assert reason_of_the_masked(by) == "masked by EXC002; run again once that is fixed"


LEFT_OUT = "a call did not come back, so 9 more were not made"


def gaps(code, probe, *calls, settings=None):
    """What a rule lacks where calls of a probe were left out, after these calls."""
    ledger = Ledger([], calls=list(calls), shortfalls=[Shortfall(probe, LEFT_OUT)])
    return gaps_of(b.RULES[code], ledger, settings or ToolSettings())


@pytest.mark.parametrize(
    ("probe", "is_gap"), [("extremes", False), ("cancel", True), ("valid", True), ("calls", True)]
)
def test_calls_of_a_probe_that_a_rule_does_not_name_are_no_gap_of_it(probe, is_gap):
    assert bool(gaps("CAN007", probe)) is is_gap


@pytest.mark.parametrize(("code", "is_gap"), [("RES012", True), ("CAN008", False), ("LOG001", False)])
def test_a_shortfall_that_names_rules_is_a_gap_of_these_alone(code, is_gap):
    ledger = Ledger([], shortfalls=[Shortfall("after-refusals", LEFT_OUT, rules=("RES012",))])
    assert bool(gaps_of(b.RULES[code], ledger, ToolSettings())) is is_gap


def test_a_rule_on_any_call_has_seen_a_part_of_a_probe_that_made_calls():
    hung = b.call(probe="extremes", outcome=Outcome.TIMED_OUT, result=None, incident="no answer within 5 s")
    assert gaps("LOG001", "extremes", hung) == f"extremes: {LEFT_OUT}"
    assert gaps("LOG001", "extremes", hung, b.call(probe="extremes")) == ""


@pytest.mark.parametrize(
    ("code", "asking"),
    [
        ("RES009", ToolSettings(examples=(Example({}, result=4, has_result=True),))),
        ("RES011", ToolSettings(idempotent=True)),
    ],
)
def test_what_the_configuration_does_not_ask_for_is_no_gap(code, asking):
    assert gaps(code, "valid") == ""
    assert gaps(code, "valid", settings=asking) == f"valid: {LEFT_OUT}"
