"""From an examination to the report of a tool."""

import json

from tests.stimuli import stimulus

from aptix_conformance.examination import Examination
from aptix_conformance.examination.verdicts import Counterexample, Verdict
from aptix_conformance.model import Call, CancellationPoint, Exploration, Outcome, Raised, Shortfall
from aptix_conformance.model.codec import from_json, replace, to_text
from aptix_conformance.model.report import ToolReport
from aptix_conformance.model.verdict import Level, VerdictKind
from aptix_conformance.reports import tool_report
from aptix_conformance.reports.tool_reports import LONGEST
from aptix_conformance.targets import Target


def report(declaration, call, **options):
    found = Counterexample("it raised", call)
    verdict = Verdict("EXC001", "a-rule", Level.MUST, ("C.1",), VerdictKind.FAIL, 1, "it raised", (found,))
    exploration = Exploration(
        (declaration,), (call,), (Shortfall("cancel", "no time", reduced_coverage=True),)
    )
    examination = Examination(
        "owl",
        Target("birds:Owl", "aptix", "birds", "Owl"),
        "aptix-tul-011",
        None,
        (verdict,),
        exploration,
        1.0,
    )
    return tool_report(examination, tool="owl", deselected=frozenset(), **options)


def cancelled(message="no"):
    plan = stimulus("cancel", "x", "{}", None, disturbance=CancellationPoint("token", 3))
    return Call(plan, Outcome.RAISED, 0.5, raised=Raised("E", message, ""))


def test_a_report_from_a_worker_has_the_same_bytes(declaration):
    found = report(declaration, cancelled())
    assert to_text(from_json(ToolReport, json.loads(to_text(found)))) == to_text(found)


def test_what_was_not_examined_is_said(declaration):
    (shortfall,) = report(declaration, cancelled()).shortfalls
    assert (shortfall.probe, shortfall.reduced_coverage, shortfall.expected) == ("cancel", True, False)


def test_long_texts_are_cut(declaration):
    (verdict,) = report(declaration, cancelled("x" * (LONGEST + 1))).verdicts
    assert verdict.finding.call.raised.message.endswith(f"… ({LONGEST + 1} characters)")


def test_a_tool_that_looks_at_what_tells_an_examination_apart_is_noted_and_keeps_its_status(declaration):
    seen = replace(cancelled(), looks=("stack frames of the suite",))
    plain, noted = report(declaration, cancelled()), report(declaration, seen)
    (note,) = noted.shortfalls[len(plain.shortfalls) :]
    assert note.reason.startswith("it looks at stack frames of the suite")
    assert note.reduced_coverage
    assert not note.expected
    assert replace(noted, shortfalls=()) == replace(plain, shortfalls=())


def test_a_finding_says_what_the_containment_hid_from_its_call(declaration, tmp_path):
    (tmp_path / "model.bin").touch()
    for name, hidden in (("model.bin", True), ("none.bin", False)):
        message = f"[Errno 2] No such file or directory: '{tmp_path}/{name}'"
        (verdict,) = report(declaration, cancelled(message)).verdicts
        assert (f'set reads = ["{tmp_path}/{name}"]' in verdict.finding.call.suite) is hidden
