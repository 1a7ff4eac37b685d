"""What a waiver leaves alone, and what a deselected rule does to a status."""

import datetime
from dataclasses import replace

import pytest
from tests import verdicts as made

from aptix_conformance.core.contracts import Level
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.examine.verdicts import (
    apply_waivers,
    split_waivers,
    status_of,
)
from aptix_conformance.targets.settings import Waiver

DAY = datetime.date(2026, 11, 20)


def verdict(kind=VerdictKind.PASS, level=Level.MUST, code="ARG001"):
    return made.verdict(code, kind, level)


def waiver(code="ARG001", expires=DAY):
    return Waiver(rule=code, owner="team", reason="upstream", expires=expires)


@pytest.mark.parametrize("kind", [VerdictKind.INCONCLUSIVE, VerdictKind.NOT_APPLICABLE])
def test_a_waiver_is_for_breaches_and_says_nothing_of_what_was_not_examined(kind):
    given = (verdict(kind),)
    assert apply_waivers(given, [waiver()], DAY) == given


def test_a_waiver_is_good_on_its_last_day_and_not_on_the_next():
    broken = (verdict(VerdictKind.FAIL),)
    (last,) = apply_waivers(broken, [waiver()], DAY)
    (after,) = apply_waivers(broken, [waiver()], DAY + datetime.timedelta(days=1))
    assert (last.verdict, after.verdict) == (VerdictKind.WAIVED, VerdictKind.FAIL)
    assert "ran out on 2026-11-20" in after.reason


def test_a_waiver_is_for_its_own_rule():
    broken = (verdict(VerdictKind.FAIL),)
    assert apply_waivers(broken, [waiver("ARG002")], DAY) == broken


@pytest.mark.parametrize(
    ("kind", "level", "status"),
    [
        (VerdictKind.PASS, Level.MUST, "incomplete"),
        (VerdictKind.FAIL, Level.MUST, "incomplete"),
        (VerdictKind.PASS, Level.SHOULD, "conforming"),
        (VerdictKind.NOT_APPLICABLE, Level.MUST, "conforming"),
    ],
)
def test_a_rule_that_was_left_out_leaves_a_must_open(kind, level, status):
    verdicts = (verdict(code="ARG002"), verdict(kind, level))
    assert status_of(verdicts, deselected=frozenset({"ARG001"})) == status


def test_a_waived_should_leaves_the_tool_conforming():
    assert status_of([verdict(), verdict(VerdictKind.WAIVED, Level.SHOULD, "REG004")]) == "conforming"


def test_a_waiver_of_a_package_leaves_a_tool_that_keeps_the_rule_alone():
    kept = (verdict(),)
    assert apply_waivers(kept, [replace(waiver(), table="my_pkg")], DAY) == kept


@pytest.mark.parametrize(
    ("kinds", "unneeded"),
    [
        ([VerdictKind.PASS], True),
        ([VerdictKind.PASS, VerdictKind.NOT_APPLICABLE], True),
        ([VerdictKind.NOT_APPLICABLE], False),
        ([VerdictKind.PASS, VerdictKind.WAIVED], False),
        ([VerdictKind.PASS, VerdictKind.FAIL], False),
        ([VerdictKind.PASS, VerdictKind.INCONCLUSIVE], False),
        ([VerdictKind.PASS, None], False),
    ],
)
def test_a_waiver_of_a_package_is_not_needed_where_every_tool_under_it_keeps_the_rule(kinds, unneeded):
    shared = replace(waiver(), table="my_pkg")
    _, found = split_waivers((shared, kind) for kind in kinds)
    assert found == ((shared,) if unneeded else ())


def test_where_no_rule_concerned_the_tool_nothing_was_examined():
    assert status_of([verdict(VerdictKind.NOT_APPLICABLE)]) == "incomplete"
    assert status_of([]) == "incomplete"
