"""What a rule is: which calls it judges, what it takes for one kind of call, and what a finding says of itself."""

import inspect

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.errors import ContractDataError
from aptix_conformance.core.model import Call, Declaration, Exploration
from aptix_conformance.rules.lib.kernel import (
    Finding,
    NoSuccess,
    NotApplicable,
    OwnPractice,
    Precondition,
    always,
    rule,
)
from aptix_conformance.rules.lib.scope import any_call, refused, valid
from aptix_conformance.targets.settings import ToolSettings


def made(over, **options):
    """A rule that finds nothing."""

    def nothing_is_wrong(_observation: over):
        """Nothing is wrong."""

    return rule("TST001", "TST.1", remedy="None is needed.", **options)(nothing_is_wrong)


@pytest.mark.parametrize("annotated", [inspect.Parameter.empty, str, Call | Declaration])
def test_what_a_rule_judges_is_what_its_parameter_is_annotated_with(annotated):
    assert [made(over).over for over in (Declaration, Call, Exploration)] == [Declaration, Call, Exploration]
    with pytest.raises(ContractDataError, match="TST001: annotate the one parameter of a rule"):
        made(annotated)


@pytest.mark.parametrize(
    "own",
    [
        made(Call, when=lambda call: valid(call) and refused(call)),
        made(Exploration, when=any_call(valid, refused)),
    ],
    ids=["over calls", "over an exploration with such a call"],
)
def test_a_rule_that_judges_single_calls_says_which(own):
    calls = (
        b.call(result=b.failure()),
        b.call(),
        b.call("root:null", "null", "malformed", result=b.failure()),
    )
    assert [own.judges(call) for call in calls] == [True, False, False]


@pytest.mark.parametrize(
    "own",
    [made(Declaration), made(Exploration), made(Exploration, when=lambda seen: bool(seen.calls))],
    ids=["over declarations", "over every exploration", "over an exploration with calls"],
)
def test_a_rule_that_judges_no_single_call_says_none(own):
    assert own.judges is None


def test_the_calls_of_a_probe_are_of_one_kind_where_a_rule_names_no_finer_one():
    calls = (b.call(), b.call("minimal", "{}"), b.call("missing:name", "{}", "invalid"))
    assert list(map(made(Call).kind, calls)) == ["valid", "valid", "invalid"]


def test_a_finding_is_its_rules_own_and_rests_on_no_time_where_nothing_else_is_said():
    """A finding on a time has to be shown again, and one that is not the rule's own never counts."""
    found = Finding("The tool succeeded.")
    assert (found.timed, found.not_its_own, found.defers_to) == (False, False, "")


ABSENT = Precondition(always, "there is no schema", ("SCH001",))


@pytest.mark.parametrize(
    ("over", "options", "reason", "needs"),
    [
        (Call, {}, "", True),
        (Exploration, {}, "", True),
        (Declaration, {}, "", False),
        (Call, {"unseen_reason": "no call was refused"}, "no call was refused", False),
        (Call, {"unseen_reason": NotApplicable("no event was logged")}, "", False),
        (Call, {"unseen_reason": NoSuccess("no call could be cut")}, "no call could be cut", True),
        (Exploration, {"when": ABSENT}, "there is no schema", False),
        (Exploration, {"when": ABSENT, "unseen_reason": NoSuccess()}, "there is no schema", True),
        (Exploration, {"when": ABSENT, "unseen_reason": "it is late"}, "it is late", False),
    ],
)
def test_a_rule_on_calls_needs_one_that_succeeds_where_it_gives_no_other_reason(over, options, reason, needs):
    own = made(over, **options)
    assert (own.unseen_reason, own.needs_success) == (reason, needs)


def test_a_rule_whose_calls_a_setting_asks_for_says_which():
    own = made(Call, unseen_reason=NotApplicable("nothing asks for it", lambda settings: settings.idempotent))
    assert (own.not_applicable, own.is_optional, own.needs_success) == ("nothing asks for it", True, False)
    assert [own.asked_for(ToolSettings(idempotent=asked)) for asked in (True, False)] == [True, False]
    assert made(Call, unseen_reason=NotApplicable("no event was logged")).asked_for(ToolSettings())


def test_a_rule_of_the_suites_own_practice_may_name_systems():
    own = made(Call, source=OwnPractice("suite", ("toy",)))
    assert (own.source, own.systems) == ("suite", ("toy",))
    assert (made(Call, source="runtime").source, made(Call).systems) == ("runtime", ())


def test_a_rule_of_no_contract_need_cite_no_clause():
    assert rule("TST001", source=OwnPractice("suite", ("toy",)), remedy="None.")(documented).clauses == ()
    with pytest.raises(ContractDataError, match="cites the clauses"):
        rule("TST001", remedy="None.")(documented)


def documented(_call: Call):
    """Nothing is wrong."""
