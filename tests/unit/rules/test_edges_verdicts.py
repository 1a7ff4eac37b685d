"""Which tools a rule concerns, what a waiver leaves alone, and what a deselected rule does to a status."""

import datetime

import pytest

from aptix_conformance.contracts import Level
from aptix_conformance.examination.verdicts import (
    Counterexample,
    Verdict,
    VerdictKind,
    apply_waivers,
    status_of,
)
from aptix_conformance.targets.settings import Waiver

DAY = datetime.date(2026, 11, 20)


def verdict(kind=VerdictKind.PASS, level=Level.MUST, code="ARG001"):
    return Verdict(code, "a-rule", level, (), kind)


def waiver(code="ARG001", expires=DAY):
    return Waiver(rule=code, owner="team", reason="upstream", expires=expires)


def test_nothing_was_observed_until_somebody_says_so():
    assert verdict().observations == 0


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


def test_where_no_rule_concerned_the_tool_nothing_was_examined():
    assert status_of([verdict(VerdictKind.NOT_APPLICABLE)]) == "incomplete"
    assert status_of([]) == "incomplete"


HELLO = ["USE020", "USE021", "USE022", "USE023"]
MODES = [f"CAT{number:03}" for number in range(1, 20)]


@pytest.mark.parametrize("code", [*HELLO, *MODES])
def test_a_contract_of_one_tool_concerns_that_tool(b, code):
    name = "agent_hello_world" if code in HELLO else "agent_list_modes"
    assert b.RULES[code].applies(b.declaration(name=name)) is None
    assert name in b.RULES[code].applies(b.declaration())


@pytest.mark.parametrize("code", ["ARG001", "ARG006", "ARG007"])
def test_rules_on_required_arguments_concern_tools_that_require_some(b, code):
    assert b.RULES[code].applies(b.declaration()) is None
    assert b.RULES[code].applies(b.declaration(b.parameters(required=[])))
    assert "CAT002" in b.RULES[code].applies(b.declaration(name="agent_list_modes"))


def test_the_rest_concerns_every_tool(b):
    own = {*HELLO, *MODES, "REG012", "RES008", "CTX002", "LOG010", "CAN005"}
    arguments = {"ARG001", "ARG006", "ARG007", "ARG008", "ARG009", "ARG010", "ARG011"}
    empty = b.declaration(b.parameters(properties={}, required=[]), constructor=())
    exempt = {
        code for code, rule in b.RULES.items() if code[:3] not in ("ART", "AMP") and rule.applies(empty)
    }
    assert arguments <= exempt
    assert {code for code in exempt - own - arguments if not code.startswith("USE")} == set()


def test_a_counterexample_is_believed_unless_a_fresh_process_does_not_show_it():
    assert Counterexample("it raised").reproduced
