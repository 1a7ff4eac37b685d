"""`aptix-conformance clauses`: every clause, and what proves it."""

import argparse
import json
from typing import Any, Final

from aptix_conformance.app.commands.command import OK, add_command, say
from aptix_conformance.core.contracts import Edition, Inventory, load
from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.text import nearest
from aptix_conformance.present.catalog import (
    STATUSES,
    Account,
    account_for,
    clause_json,
    clause_lines,
    clause_markdown,
    system_of,
)
from aptix_conformance.present.evidence import find_evidence
from aptix_conformance.systems.rulebook import unchecked_rules

_DESCRIPTION: Final = """\
Every clause of the contracts, with the rules that cite it, the nonconforming tools that break those rules, and its status:

  covered      a rule fails tools for it
  advisory     a rule gives advice on it; no rule fails a tool for it
  harness      proved by tests of the harness and the reference tools
  process      how people work: tests show that it is done, or that the suite supplies the means
  open         not machine-checkable, for the reason given
  pending      a rule could prove it, and none does yet, for the reason given
  unaccounted  nothing proves it yet

  aptix-conformance clauses --document TUL-010 --status covered

The tests and nonconforming tools are those of this version. Exit status: 0; 2 on bad usage.
"""


def add(subparsers: Any) -> None:
    """Declare the command and its arguments."""
    parser = add_command(subparsers, "clauses", run, description=_DESCRIPTION)
    parser.add_argument("--system", metavar="SYSTEM", help="the clauses of one system only")
    parser.add_argument(
        "--edition", metavar="EDITION", help="only clauses in force in an edition, with its levels"
    )
    parser.add_argument("--document", metavar="DOCUMENT", help="only clauses of a document, such as TUL-011")
    parser.add_argument("--status", choices=STATUSES, help="only clauses with this status")
    parser.add_argument(
        "--format", choices=("text", "json", "markdown"), default="text", help="default: text"
    )


def run(options: argparse.Namespace) -> int:
    """List the clauses."""
    inventory = load()
    edition = inventory.edition(options.edition) if options.edition else None
    if options.system not in (None, *_systems(inventory)):
        known = ", ".join(_systems(inventory))
        raise ConfigurationError(f"unknown system {options.system!r}: one of {known}")
    if options.document:
        _expect_document(options.document, inventory)
    accounts = account_for(inventory, unchecked_rules(()), find_evidence())
    chosen = [account for account in accounts if _is_chosen(account, options, edition, inventory)]
    if options.format == "json":
        say(json.dumps(clause_json(chosen, edition), indent=2))
    elif options.format == "markdown":
        say(clause_markdown(chosen, edition).rstrip("\n"))
    else:
        say("\n".join(clause_lines(chosen, edition)))
    return OK


def _systems(inventory: Inventory) -> list[str]:
    return list(dict.fromkeys(edition.system for edition in inventory.editions.values()))


def _expect_document(document: str, inventory: Inventory) -> None:
    known = sorted({clause.document for clause in inventory.clauses.values()})
    if document not in known:
        raise ConfigurationError(
            f"unknown document {document!r}{nearest(document, known)}: one of {', '.join(known)}"
        )


def _is_chosen(
    account: Account, options: argparse.Namespace, edition: Edition | None, inventory: Inventory
) -> bool:
    return (
        options.system in (None, system_of(account.clause, inventory))
        and options.document in (None, account.clause.document)
        and options.status in (None, account.status)
        and (edition is None or edition.binds(account.clause.id))
    )
