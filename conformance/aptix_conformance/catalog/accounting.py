"""The status of each clause, and the problems of those that are not accounted for.

A clause is *covered* where a rule can fail a tool for it, *advisory* where all rules that cite it only advise. A clause that
binds no single tool is proved by the project's own tests: by *harness* tests (registry, executor, reasoner, reference
tools), or, for how people work, by *process* tests. An *open* clause is not machine-checkable and says why. A *pending*
one could be checked and is not yet, and says why. All others are *unaccounted*.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, Literal

from aptix_conformance.contracts import Clause, Edition, Inventory, Level
from aptix_conformance.evidence import Evidence
from aptix_conformance.rules import Rule

Status = Literal["covered", "advisory", "harness", "process", "open", "pending", "unaccounted"]

STATUSES: Final[tuple[Status, ...]] = (
    *("covered", "advisory", "harness", "process"),
    *("open", "pending", "unaccounted"),
)


@dataclass(frozen=True, slots=True)
class Account:
    """One clause: its level by edition, the rules, fixtures and tests that prove it, and its status."""

    clause: Clause
    levels: Mapping[str, Level]
    rules: tuple[str, ...]
    fixtures: tuple[str, ...]
    tests: tuple[str, ...]
    status: Status


def account_for(inventory: Inventory, rules: Iterable[Rule], evidence: Evidence) -> tuple[Account, ...]:
    """Every clause, in the order of `clauses.yaml`."""
    citing: dict[str, list[Rule]] = {}
    for rule in rules:
        for clause in rule.clauses:
            citing.setdefault(clause, []).append(rule)
    return tuple(
        _account(clause, inventory, citing.get(clause.id, []), evidence)
        for clause in inventory.clauses.values()
    )


def system_of(clause: Clause, inventory: Inventory) -> str:
    """The system whose tools a clause is about."""
    return next(
        edition.system for edition in inventory.editions.values() if clause.document in edition.documents
    )


def systems_of(rule: Rule, inventory: Inventory) -> tuple[str, ...]:
    """The systems that have an edition in which a rule is in force."""
    binding = (edition.system for edition in inventory.editions.values() if rule.level(edition) is not None)
    return tuple(dict.fromkeys(binding))


def levels_of(rule: Rule, inventory: Inventory) -> dict[str, Level]:
    """The level of a rule by edition, for the editions in which it is in force."""
    levels = {name: rule.level(edition) for name, edition in inventory.editions.items()}
    return {name: level for name, level in levels.items() if level is not None}


def problems(
    inventory: Inventory, rules: Iterable[Rule], evidence: Evidence, systems: Iterable[str]
) -> list[str]:
    """A sentence for each problem of the named systems, with its fix; empty where there is none."""
    asked = set(systems)
    known = {rule.code: rule for rule in rules}
    return [
        *_of_clauses(account_for(inventory, known.values(), evidence), inventory, asked),
        *_of_rules(known.values(), inventory),
        *_of_editions(inventory, known, asked),
        *_of_evidence(evidence, inventory, known, asked),
    ]


def _of_clauses(accounts: Iterable[Account], inventory: Inventory, asked: AbstractSet[str]) -> Iterator[str]:
    of_systems = [each for each in accounts if system_of(each.clause, inventory) in asked]
    for account in of_systems:
        if account.status == "unaccounted":
            clause = account.clause
            yield f"{clause.id} is unaccounted for ({clause.kind}): no rule cites it and no test is marked with it"
    for account in of_systems:
        if account.clause.pending and account.status != "pending":
            yield f"{account.clause.id} is pending, and something proves it: remove `pending`"


def _of_rules(rules: Collection[Rule], inventory: Inventory) -> Iterator[str]:
    for rule in rules:
        for clause in rule.clauses:
            if clause not in inventory.clauses:
                yield f"{rule.code} cites the clause {clause}, which clauses.yaml does not have"
    for rule in rules:
        if rule.source != "contract" and not systems_of(rule, inventory):
            yield f"{rule.code} {rule.name} binds in no edition: list it in clauses.yaml, under `practice` of a system"


def _of_editions(inventory: Inventory, known: Mapping[str, Rule], asked: AbstractSet[str]) -> Iterator[str]:
    for edition in inventory.editions.values():
        for code in sorted(edition.adopted | edition.advised):
            if edition.system in asked and code not in known:
                yield f"the practice of the edition {edition.name} lists the rule {code}, which does not exist"


def _of_evidence(
    evidence: Evidence, inventory: Inventory, known: Mapping[str, Rule], asked: AbstractSet[str]
) -> Iterator[str]:
    for code, names in evidence.fixtures.items():
        if code not in known:
            yield from (f"{name} is named for the rule {code}, which does not exist" for name in names)
    for rule in known.values():
        if rule.code not in evidence.fixtures and asked & set(systems_of(rule, inventory)):
            file = f"fixtures/nonconforming/{rule.code}_<fault>.py"
            yield f"{rule.code} {rule.name} has no nonconforming tool: write {file}"
    for clause, tests in evidence.tests.items():
        if clause not in inventory.clauses:
            said = f"is marked with the clause {clause}, which clauses.yaml does not have"
            yield from (f"{test} {said}" for test in tests)


def _account(clause: Clause, inventory: Inventory, rules: list[Rule], evidence: Evidence) -> Account:
    tests = evidence.tests.get(clause.id, ())
    fixtures = [name for rule in rules for name in evidence.fixtures.get(rule.code, ())]
    return Account(
        clause=clause,
        levels=_levels(clause, inventory.editions.values()),
        rules=tuple(rule.code for rule in rules),
        fixtures=tuple(dict.fromkeys(fixtures)),
        tests=tests,
        status=_status(clause, rules, bool(tests)),
    )


def _levels(clause: Clause, editions: Iterable[Edition]) -> dict[str, Level]:
    return {edition.name: edition.levels[clause.id] for edition in editions if edition.binds(clause.id)}


def _status(clause: Clause, rules: list[Rule], is_tested: bool) -> Status:  # noqa: FBT001 - two facts, one answer
    if clause.kind == "open":
        return "open"
    if rules:
        can_fail = any(rule.source != "suite" and not rule.advice for rule in rules)
        return "covered" if can_fail else "advisory"
    if is_tested:
        return "process" if clause.kind == "process" else "harness"
    return "pending" if clause.pending else "unaccounted"
