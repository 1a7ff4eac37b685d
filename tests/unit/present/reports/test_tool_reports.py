"""From an examination to the report of a tool."""

import json

from tests.stimuli import stimulus
from tests.unit.examine.fakes import declaration
from tests.verdicts import finding, verdict

from aptix_conformance.core.model import Call, CancellationPoint, Exploration, Outcome, Raised, Shortfall
from aptix_conformance.core.model.codec import from_json, replace, to_text
from aptix_conformance.core.model.report import ToolReport
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.examine import Examination
from aptix_conformance.examine.findings import call_report
from aptix_conformance.present.reports import tool_report
from aptix_conformance.targets import Target


def report(call):
    found = finding("it raised", call_report(call, "The suite cancelled it."))
    exploration = Exploration(
        (declaration(),), (call,), (Shortfall("cancel", "no time", reduced_coverage=True),)
    )
    examination = Examination(
        "owl",
        Target("birds:Owl", "aptix", "birds", "Owl"),
        "aptix-tul-011",
        None,
        (verdict("EXC001", VerdictKind.FAIL, findings=(found, found)),),
        exploration,
        1.0,
    )
    return tool_report(examination, tool="owl", deselected=frozenset())


def cancelled():
    plan = stimulus("cancel", "x", "{}", None, disturbance=CancellationPoint("token", 3))
    return Call(plan, Outcome.RAISED, 0.5, raised=Raised("E", "no", ""))


def test_a_report_from_a_worker_has_the_same_bytes():
    found = report(cancelled())
    assert to_text(from_json(ToolReport, json.loads(to_text(found)))) == to_text(found)


def test_each_finding_has_its_own_command():
    (reported,) = report(cancelled()).verdicts
    assert [each.replay for each in reported.findings] == [
        "aptix-conformance replay report.json#owl/EXC001 --aptix-tools birds:Owl",
        "aptix-conformance replay report.json#owl/EXC001:2 --aptix-tools birds:Owl",
    ]


def test_what_was_not_examined_is_said():
    (shortfall,) = report(cancelled()).shortfalls
    assert (shortfall.probe, shortfall.reduced_coverage, shortfall.expected) == ("cancel", True, False)


def test_a_tool_that_looks_at_what_tells_an_examination_apart_is_noted_and_keeps_its_status():
    seen = replace(cancelled(), looks=("stack frames of the suite",))
    plain, noted = report(cancelled()), report(seen)
    (note,) = noted.shortfalls[len(plain.shortfalls) :]
    assert note.reason.startswith("it looks at stack frames of the suite")
    assert note.reduced_coverage
    assert not note.expected
    assert replace(noted, shortfalls=()) == replace(plain, shortfalls=())
