"""The report names the places at which something was made to fail, and those where nothing can be."""

from tests.stimuli import read_disturbance, stimulus

from aptix_conformance.core.model import Call, Disturbed, Exploration, Outcome
from aptix_conformance.core.model.report import FaultSiteReport
from aptix_conformance.present.reports.examined import examined


def call(label, place, injected, reached=True):
    plan = stimulus("fault", label, "{}", None, disturbance=read_disturbance(f"fault:{label}"))
    return Call(plan, Outcome.RETURNED, 0.0, disturbed=Disturbed(reached, place, injected=injected))


def test_sites_stand_there_once_with_what_was_tried():
    """A call that ended before its fault, and one whose use could not be given that fault, are no site."""
    calls = (
        call("service:1:unknown", "catalog.get() at tool.py:10", "unknown"),
        call("library:1:unknown", "open() at tool.py:3", "unknown"),
        call("service:1:timeout", "catalog.get() at tool.py:10", "timeout"),
        call("service:2:unknown", "", "", reached=False),
        call("service:1:never_answers", "catalog.put() at tool.py:11", ""),
    )
    found = examined(Exploration(calls=calls))
    assert found.fault_sites == (
        FaultSiteReport("catalog.get() at tool.py:10", ("unknown", "timeout")),
        FaultSiteReport("open() at tool.py:3", ("unknown",)),
    )
    assert "services that are classes or plain data" in found.fault_sites_out_of_reach


def test_places_out_of_reach_are_those_of_the_tools_own_runtime():
    def out_of_reach(*calls):
        return examined(Exploration(calls=calls)).fault_sites_out_of_reach

    of_node = out_of_reach(call("library:1:unknown", "fs.open() at tool.ts:3", "unknown"))
    assert not any("Python 3" in phrase for phrase in of_node)
    of_python = out_of_reach(call("library:1:unknown", "open() at tool.py:3", "unknown"))
    assert of_python[: len(of_node)] == of_node
    assert "before Python 3.12" in of_python[-1]
    assert out_of_reach() == ()
