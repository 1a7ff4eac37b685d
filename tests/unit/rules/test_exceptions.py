"""EXC: how a call ends, and which rule a bad end belongs to."""

import pytest
from tests.unit.rules import builders as b
from tests.unit.rules.explorations import disturbed, explored

from aptix_conformance.core.model import InjectedFault, ScarceResource, canaries
from aptix_conformance.core.model.codec import replace


def test_exc001_is_for_calls_that_came_back_and_that_a_model_may_make():
    for probe, demand in (("valid", "either"), ("repeat", "either"), ("invalid", "accepted")):
        assert b.judge("EXC001", b.call(probe=probe, demand=demand, raised="KeyError"))
    assert not b.RULES["EXC001"].when(b.call(probe="invalid", demand="refused", raised="KeyError"))
    assert not b.RULES["EXC001"].when(b.call(probe="context", raised="KeyError"))
    lost = b.call(outcome=b.Outcome.CRASHED, incident="exit status 3")
    assert not b.RULES["EXC001"].when(lost)


@pytest.mark.parametrize("outcome", ["OVER_MEMORY", "OVER_OUTPUT", "OVER_PROCESSES"])
def test_exc002_does_not_hold_what_many_calls_together_did_against_one(outcome):
    ended = {"outcome": getattr(b.Outcome, outcome), "incident": "too much"}
    assert not b.RULES["EXC002"].when(b.call("together:50:many-1", probe="repeat", **ended))
    assert b.judge("EXC002", b.call("same:1", probe="repeat", **ended))
    assert b.judge("EXC002", b.call("together:50:many-1", probe="valid", **ended))
    crashed = {"outcome": b.Outcome.CRASHED, "incident": "exit status 3"}
    assert b.judge("EXC002", b.call("together:50:many-1", probe="repeat", **crashed))


@pytest.mark.parametrize(("category", "ends"), [("exit", True), ("interrupt", True), ("error", False)])
def test_exc002_takes_what_would_end_the_process_for_its_end(category, ends):
    raised = b.call(raised=b.Raised("SystemExit", "3", "", category))
    assert (b.judge("EXC002", raised) is not None) is ends
    assert b.RULES["EXC001"].when(raised) is not ends


def test_exc002_does_not_say_that_one_call_started_all_the_processes_of_a_tool():
    """The children that earlier calls left count too."""
    call = b.call(outcome=b.Outcome.OVER_PROCESSES, incident="had more than 64 processes at once")
    said = b.judge("EXC002", call).message
    assert "those that earlier calls left included" in said
    assert "started" not in said


def test_exc002_tells_apart_what_was_scarce_since_a_server_may_owe_it_to_its_sdk():
    hung = b.call(outcome=b.Outcome.TIMED_OUT, incident="no answer")
    scarce = replace(hung, plan=replace(hung.plan, disturbance=ScarceResource("no-descriptors")))
    assert b.judge("EXC002", scarce).cause == "no-descriptors"
    assert b.judge("EXC002", hung).cause[0] is b.Outcome.TIMED_OUT


def test_exc002_leaves_a_service_that_never_answers_to_exc013():
    lost = b.call("service:1:never_answers", probe="fault", outcome=b.Outcome.TIMED_OUT, incident="no answer")
    assert not b.RULES["EXC002"].when(lost)
    unknown = replace(lost.plan, disturbance=InjectedFault("service", 1, "unknown"))
    assert b.RULES["EXC002"].when(replace(lost, plan=unknown))
    assert not b.RULES["EXC002"].when(b.call(outcome=b.Outcome.NOT_CONSTRUCTED))


def test_exc005_is_for_payloads_of_successes():
    assert b.RULES["EXC005"].when(b.call())
    assert not b.RULES["EXC005"].when(b.call(result=b.success(None)))
    failed = replace(b.failure(), payload="{}", payload_type="str")
    assert not b.RULES["EXC005"].when(b.call(result=failed))
    assert b.judge("EXC005", b.call(result=b.success({"was": canaries.DEPENDENCY_MARK})))


def test_exc007_is_for_tools_that_were_called_and_tells_the_first_thing():
    assert not b.RULES["EXC007"].when(replace(b.explore(), sentinels=0))
    assert b.judge("EXC007", replace(b.explore(), sentinels=1)) is None
    found = b.judge("EXC007", replace(b.explore(), sentinels=2, tampering=("first", "second")))
    assert found.message == "first"


def test_exc012_is_for_parsers_whose_unforeseen_exception_came_out():
    def struck(label, injected):
        made = b.call(f"{label}:{injected}", probe="fault", result=b.failure())
        return disturbed(made, f"fault:{label}:{injected}", place="loads() at t.py:1", injected=injected)

    assert not b.RULES["EXC012"].when(explored(struck("library:1", "unknown")))
    assert not b.RULES["EXC012"].when(explored(struck("parser:1", "own")))
    assert b.RULES["EXC012"].when(explored(struck("parser:1", "unknown")))


def test_exc005_reports_a_path_of_the_host_in_a_payload():
    path = f"/tmp/{canaries.SCRATCH_PREFIX}x1/notes.txt"
    found = b.judge("EXC005", b.call(result=b.success({"file": path})))
    assert "a path of the machine" in found.message
    asked = b.call(arguments=f'{{"file": "{path}"}}', result=b.success({"file": path}))
    assert b.judge("EXC005", asked) is None
