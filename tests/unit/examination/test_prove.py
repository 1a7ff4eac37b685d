"""Causes that are not proved are named, so that a comparison of reports misses none of them."""

from aptix_conformance.examination import prove
from aptix_conformance.examination.ledger import Breach
from aptix_conformance.examination.verdicts import Counterexample, OtherCause
from aptix_conformance.rules.lib.kernel import Finding


def test_the_causes_that_are_not_shown_are_named_up_to_a_hundred(monkeypatch):
    monkeypatch.setattr(
        prove, "_proved", lambda _rule, breach, *_: Counterexample("", cause=breach.finding.cause)
    )
    few, many = (
        prove._proof(None, {n: Breach(Finding("", cause=f"c{n:03}", timed=n == 6), None) for n in range(count)}, None, None)
        for count in (7, 200)
    )  # fmt: skip
    assert [shown.cause for shown in few.counterexamples] == ["c000", "c001", "c002", "c003", "c004"]
    assert few.others == (OtherCause("c005", timed=False), OtherCause("c006", timed=True))
    assert (many.causes, len(many.others)) == (200, 100)
