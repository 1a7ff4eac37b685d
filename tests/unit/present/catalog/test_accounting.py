"""The state of a clause is what proves it; each fault is reported once, with its system."""

import pytest
from tests.unit.present.catalog.conftest import CLAUSES
from tools.clauses import problems

from aptix_conformance.core.contracts import Level
from aptix_conformance.core.contracts.inventory import parse
from aptix_conformance.present.catalog import account_for, levels_of, systems_of
from aptix_conformance.present.evidence import Evidence


def statuses(inventory, rules, evidence):
    return {account.clause.id: account.status for account in account_for(inventory, rules, evidence)}


def proved(make_rule):
    """Rules and evidence with which nothing is wrong."""
    rules = (
        make_rule("ARG001", "ONE.1"),
        make_rule("USE001", "ONE.2", source="advice"),
        make_rule("AMP001", "TWO.1"),
    )
    fixtures = {code: (f"{code}_fails",) for code in ("ARG001", "USE001", "AMP001")}
    return rules, Evidence({"ONE.3": ("tests/t.py::a",), "ONE.4": ("tests/t.py::b",)}, fixtures, {})


def test_each_clause_stands_as_what_proves_it_says(inventory, make_rule):
    rules, evidence = proved(make_rule)
    assert statuses(inventory, rules, evidence) == {
        "ONE.1": "covered",
        "ONE.2": "advisory",
        "ONE.3": "harness",
        "ONE.4": "process",
        "ONE.5": "open",
        "TWO.1": "covered",
    }
    assert problems(inventory, rules, evidence, ["aptix", "amplifier"]) == []


def test_without_proof_everything_but_the_open_is_unaccounted_for(inventory, nothing):
    found = statuses(inventory, (), nothing)
    assert found.pop("ONE.5") == "open"
    assert set(found.values()) == {"unaccounted"}


def test_good_practice_of_the_suite_alone_is_advisory(inventory, nothing, make_rule):
    own = make_rule("ARG001", "ONE.1", source="suite")
    assert statuses(inventory, (own,), nothing)["ONE.1"] == "advisory"
    both = (own, make_rule("ARG002", "ONE.1"))
    assert statuses(inventory, both, nothing)["ONE.1"] == "covered"


def test_an_account_has_levels_rules_fixtures_and_tests(inventory, make_rule):
    rules, evidence = proved(make_rule)
    first, *_, third = account_for(inventory, rules, evidence)[:3]
    assert (first.rules, first.fixtures, first.tests) == (("ARG001",), ("ARG001_fails",), ())
    assert (third.levels, third.clause.level, third.tests) == (
        {"one-1": Level.SHOULD},
        Level.MUST,
        ("tests/t.py::a",),
    )


def test_a_rule_binds_in_the_systems_of_its_clauses(inventory, make_rule):
    rule = make_rule("ARG001", "ONE.3", "TWO.1")
    assert levels_of(rule, inventory) == {"one-1": Level.SHOULD, "two-1": Level.MUST}
    assert systems_of(rule, inventory) == ("aptix", "amplifier")


def test_an_unaccounted_clause_is_a_problem_of_its_system(inventory, make_rule):
    rules, evidence = proved(make_rule)
    without = tuple(rule for rule in rules if rule.code != "AMP001")
    fixtures = {code: names for code, names in evidence.fixtures.items() if code != "AMP001"}
    evidence = Evidence(evidence.tests, fixtures, {})
    assert problems(inventory, without, evidence, ["aptix"]) == []
    (problem,) = problems(inventory, without, evidence, ["amplifier"])
    assert problem.startswith("TWO.1 is unaccounted for (static)")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"rules": ("ARG002", "ONE.9")}, "ARG002 cites the clause ONE.9"),
        ({"fixtures": {"ARG009": ("ARG009_x",)}}, "ARG009_x is named for the rule ARG009"),
        ({"fixtures": {"ARG001": None}}, "ARG001 something-holds has no nonconforming tool"),
        ({"tests": {"ONE.9": ("tests/t.py::c",)}}, "tests/t.py::c is marked with the clause ONE.9"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_fault_is_one_problem(inventory, make_rule, change, told):
    rules, evidence = proved(make_rule)
    fixtures = evidence.fixtures | change.get("fixtures", {})
    if "rules" in change:
        rules += (make_rule(*change["rules"]),)
        fixtures["ARG002"] = ("ARG002_x",)
    fixtures = {code: names for code, names in fixtures.items() if names}
    evidence = Evidence(evidence.tests | change.get("tests", {}), fixtures, {})
    (problem,) = problems(inventory, rules, evidence, ["aptix", "amplifier"])
    assert problem.startswith(told)


@pytest.mark.parametrize("source", ["suite", "runtime"])
def test_a_rule_of_no_contract_that_no_practice_lists_is_a_problem(inventory, make_rule, source):
    rules, evidence = proved(make_rule)
    own = make_rule("RES009", source=source)
    fixtures = evidence.fixtures | {"RES009": ("RES009_x",)}
    evidence = Evidence(evidence.tests, fixtures, {})
    (problem,) = problems(inventory, (*rules, own), evidence, ["aptix"])
    assert problem.startswith("RES009 something-holds binds in no edition")
    adopting = parse(CLAUSES + "practice: {amplifier: {adopts: [RES009]}}\n")
    assert problems(adopting, (*rules, own), evidence, ["aptix", "amplifier"]) == []


def test_a_practice_that_lists_no_known_rule_is_a_problem_of_its_system(make_rule):
    rules, evidence = proved(make_rule)
    listing = parse(CLAUSES + "practice: {amplifier: {adopts: [RES009]}}\n")
    assert problems(listing, rules, evidence, ["aptix"]) == []
    (problem,) = problems(listing, rules, evidence, ["amplifier"])
    assert problem == "the practice of the edition two-1 lists the rule RES009, which does not exist"


def test_a_pending_clause_says_why_until_something_proves_it(nothing, make_rule):
    text = """
documents: {ONE: {system: aptix}}
editions:
  one-1: {documents: [ONE], levels: {}}
clauses:
- {id: ONE.1, level: MUST, kind: static, pending: "nobody looks yet", text: "a"}
"""
    inventory = parse(text)
    assert statuses(inventory, (), nothing) == {"ONE.1": "pending"}
    assert problems(inventory, (), nothing, ["aptix"]) == []
    proof = Evidence({}, {"ARG001": ("ARG001_fails",)}, {})
    (problem,) = problems(inventory, (make_rule("ARG001", "ONE.1"),), proof, ["aptix"])
    assert problem == "ONE.1 is pending, and something proves it: remove `pending`"
