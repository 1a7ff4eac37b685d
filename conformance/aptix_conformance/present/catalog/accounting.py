"""The status of each clause.

A clause is *covered* where a rule can fail a tool for it, *advisory* where all rules that cite it only advise. A clause that
binds no single tool is proved by the project's own tests: by *harness* tests (registry, executor, reasoner, reference
tools), or, for how people work, by *process* tests. An *open* clause is not machine-checkable and says why. A *pending*
one could be checked and is not yet, and says why. All others are *unaccounted*.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from aptix_conformance.core.contracts import Clause, Edition, Inventory, Level
from aptix_conformance.present.evidence import Evidence
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
