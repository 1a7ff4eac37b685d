"""What a rule met: each obstacle is found where it lies, for the rules that it concerns."""

from types import SimpleNamespace

import pytest
from tests.unit.examine.fakes import never_raises
from tests.unit.rules import builders as b

from aptix_conformance.core.contracts import Level
from aptix_conformance.core.model import Declaration
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.verdict import Obstacle, VerdictKind
from aptix_conformance.examine import ApplicableRule
from aptix_conformance.examine.judge import unexamined
from aptix_conformance.examine.ledger import Ledger
from aptix_conformance.examine.masks import Settled
from aptix_conformance.examine.obstacle_words import met
from aptix_conformance.examine.obstacles import obstacles_of
from aptix_conformance.targets import ToolSettings

CODE = never_raises.code


def met_by(rule=never_raises, *, breaches=(), settled=None, **found):
    """The kinds of obstacles of one rule of a tool of which this was found."""
    ledger = Ledger([ApplicableRule(rule, Level.MUST, None)], **{"calls": [b.call()]} | found)
    held = SimpleNamespace(containment=None)
    opened = SimpleNamespace(host=held, settings=ToolSettings())
    subject = SimpleNamespace(schema={}, stopped="")
    case = SimpleNamespace(ledger=ledger, opened=opened, subject=subject, blocked="", blocked_by_tool=False)
    nothing = {"breaches": {code: {} for code in breaches}, "masked": {}, "covered_by": {}, "in_the_way": {}}
    proved = SimpleNamespace(case=case, settled=Settled(**nothing | (settled or {})))
    return {each.kind for each in obstacles_of(proved)[rule.code]}


@pytest.mark.parametrize(
    ("where", "kind"),
    [
        ({"settled": {"covered_by": {CODE: "SCH019"}}}, Obstacle.DEFERRED),
        ({"settled": {"masked": {CODE: ("EXC002",)}}}, Obstacle.MASKED),
        ({"settled": {"in_the_way": {CODE: ("SCH011",)}}}, Obstacle.IN_THE_WAY),
        ({"out_of_time": {CODE: "it took more than 2 s"}}, Obstacle.STOPPED),
    ],
)
def test_what_was_found_of_a_rule_is_an_obstacle_of_that_rule(where, kind):
    assert met_by(**where) == {kind, Obstacle.UNSEEN}
    assert met_by() == {Obstacle.UNSEEN}


def test_a_reading_that_is_not_there_is_an_obstacle_of_rules_on_declarations():
    on_declaration = replace(never_raises, over=Declaration)
    gone = "after calls the tool could not be read again"
    assert met_by(on_declaration, unlisted=gone) == {Obstacle.UNLISTED, Obstacle.UNSEEN}
    assert met_by(unlisted=gone) == {Obstacle.UNSEEN}


@pytest.mark.parametrize("needs_success", [True, False])
def test_what_made_every_success_unreadable_is_in_the_way_of_rules_that_need_one(needs_success):
    prose = b.call(result=b.success("four degrees"))
    rule = replace(never_raises, needs_success=needs_success)
    found = met_by(rule, calls=[prose], masked_by={id(prose): {"RES002"}}, breaches=["RES002"])
    assert found == ({Obstacle.NOT_JSON, Obstacle.IN_THE_WAY} if needs_success else {Obstacle.UNSEEN})


def test_the_rules_of_a_tool_that_was_not_examined_say_so_unless_they_do_not_bind_it():
    bound, free = (
        ApplicableRule(never_raises, Level.MUST, None),
        met(Obstacle.EXEMPT, "it takes no arguments"),
    )
    verdicts = unexamined([bound, ApplicableRule(never_raises, Level.MUST, free)], "it was not reached")
    assert [(each.verdict, each.obstacle, each.reason) for each in verdicts] == [
        (VerdictKind.INCONCLUSIVE, Obstacle.NOT_EXAMINED, "it was not reached"),
        (VerdictKind.NOT_APPLICABLE, Obstacle.EXEMPT, "it takes no arguments"),
    ]
