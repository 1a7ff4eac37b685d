"""Verdicts are read from the root cause down."""

from aptix_conformance.core.model.report import VerdictReport
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.present.reports.causes import by_cause


def verdict(rule, follows="", level=Level.MUST, kind=VerdictKind.FAIL):
    return VerdictReport(rule, "a-rule", level, (), kind, 1, "it broke", None, follows_from=follows)


def order(*verdicts):
    return [(found.rule, depth) for found, depth in by_cause(verdicts)]


def test_what_follows_stands_below_its_root():
    found = order(verdict("ARG005", "EXC001"), verdict("CTX003"), verdict("EXC001"))
    assert found == [("EXC001", 0), ("ARG005", 1), ("CTX003", 0)]


def test_a_verdict_whose_root_is_not_there_is_a_root():
    assert order(verdict("ARG005", "EXC001")) == [("ARG005", 0)]


def test_broken_musts_come_before_advice():
    assert order(verdict("ARG012", level=Level.SHOULD), verdict("EXC001")) == [("EXC001", 0), ("ARG012", 0)]


def test_the_rule_from_which_most_follows_comes_first():
    found = order(
        verdict("ARG002"),
        verdict("ARG012", "EXC001", kind=VerdictKind.INCONCLUSIVE),
        verdict("EXC001"),
        verdict("RES001", kind=VerdictKind.PASS),
    )
    assert found == [("EXC001", 0), ("ARG012", 1), ("ARG002", 0), ("RES001", 0)]
