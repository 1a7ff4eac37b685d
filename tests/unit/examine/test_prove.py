"""Causes that are not proved are named, so that a comparison of reports misses none of them."""

from tests.unit.rules import builders as b
from tests.verdicts import finding

from aptix_conformance.core.model.report import OtherCauseReport
from aptix_conformance.examine import prove
from aptix_conformance.examine.ledger import Breach
from aptix_conformance.rules.lib.kernel import Finding


def test_the_causes_that_are_not_shown_are_named_up_to_a_hundred(monkeypatch):
    monkeypatch.setattr(prove, "_proved", lambda _rule, breach, *_: finding("", cause=breach.finding.cause))
    few, many = (
        prove._proof(None, {n: Breach(Finding("", cause=f"c{n:03}", timed=n == 6), None) for n in range(count)}, None, None)
        for count in (7, 200)
    )  # fmt: skip
    assert [shown.cause for shown in few.findings] == ["c000", "c001", "c002", "c003", "c004"]
    assert few.others == (OtherCauseReport("c005", timed=False), OtherCauseReport("c006", timed=True))
    assert (many.causes, len(many.others)) == (200, 100)


def test_of_many_causes_those_of_different_exceptions_are_shown_first(monkeypatch):
    """Five times the same type of exception says less than one of each."""
    monkeypatch.setattr(prove, "_proved", lambda _rule, breach, *_: finding("", cause=breach.finding.cause))
    raised = [*(("KeyError", n) for n in range(7)), ("ValueError", 7), ("OSError", 8)]
    breaches = {
        n: Breach(Finding("", cause=f"{kind} {n}"), b.call("generated", "x" * n, raised=kind))
        for kind, n in raised
    }
    shown = prove._proof(None, breaches, None, None).findings
    assert [each.cause for each in shown] == [
        "KeyError 0",
        "KeyError 1",
        "KeyError 2",
        "ValueError 7",
        "OSError 8",
    ]


def test_of_a_quick_plan_one_cause_that_counts_is_proved_and_the_others_are_named(monkeypatch):
    """Each proof starts a process; a breach that was not reproduced is not enough."""
    reproduced = {"c1": False}
    monkeypatch.setattr(
        prove,
        "_proved",
        lambda _rule, breach, *_: finding(
            "",
            cause=breach.finding.cause,
            timed=breach.finding.timed,
            reproduced=reproduced.get(breach.finding.cause, True),
            attempts=3,
        ),
    )
    breaches = {n: Breach(Finding("", cause=f"c{n}", timed=True), None) for n in range(1, 5)}
    proof = prove._proof(None, breaches, None, None, is_one_enough=True)
    assert [(shown.cause, shown.counts) for shown in proof.findings] == [("c2", True), ("c1", False)]
    assert [other.cause for other in proof.others] == ["c3", "c4"]
    assert proof.causes == 4
