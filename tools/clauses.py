"""Checks that every clause is accounted for and that every rule has a nonconforming tool.

  python -m tools.clauses --system aptix

It prints a line for each problem: a clause is unaccounted for, a rule cites or a test is marked with an unknown clause, a
nonconforming tool is named for an unknown rule, a rule has none, or a rule binds in no edition. Exit status: 0; 1 when
there is a problem; 2 on bad usage. `aptix-conformance clauses` lists the clauses and what proves them.
"""

import argparse
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from aptix_conformance.core.contracts import Inventory, load
from aptix_conformance.core.errors import ContractDataError
from aptix_conformance.present.catalog import Account, account_for, system_of, systems_of
from aptix_conformance.present.evidence import Evidence
from aptix_conformance.rules import Rule
from aptix_conformance.systems.rulebook import unchecked_rules
from tools.evidence import CHECKOUT, Checkout, gather


def main(arguments: Sequence[str] | None = None, checkout: Checkout = CHECKOUT) -> int:
    """Print the problems of a checkout; returns the exit status."""
    inventory = load()
    known = list(dict.fromkeys(edition.system for edition in inventory.editions.values()))
    parser = argparse.ArgumentParser(
        prog="python -m tools.clauses", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--system", choices=known, help="the clauses of one system only")
    options = parser.parse_args(arguments)
    systems = [options.system] if options.system else known
    try:
        found = problems(inventory, unchecked_rules(()), gather(checkout), systems)
    except ContractDataError as error:
        found = [str(error)]
    count = sum(system_of(clause, inventory) in systems for clause in inventory.clauses.values())
    said = f"all {count} clauses are accounted for, and every rule has its nonconforming tool"
    print("\n".join(found or [f"{', '.join(systems)}: {said}"]))
    return 1 if found else 0


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


if __name__ == "__main__":
    sys.exit(main())
