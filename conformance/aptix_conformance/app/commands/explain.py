"""`aptix-conformance explain`: the page of a rule."""

import argparse
from collections.abc import Mapping
from typing import Any, Final

from aptix_conformance.app.commands.command import OK, add_command, say
from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.text import nearest, printable
from aptix_conformance.present.catalog import rule_page, to_terminal
from aptix_conformance.present.evidence import find_evidence
from aptix_conformance.rules import Rule
from aptix_conformance.systems.registry import installed
from aptix_conformance.systems.rulebook import all_rules

_DESCRIPTION: Final = """\
Print the page of a rule: what it demands and why, its clauses, and its level in each edition. The page shows a tool that
breaks the rule, its conforming twin, the text of the failure, how to fix the tool, and how to waive the rule.

  aptix-conformance explain ARG002
  aptix-conformance explain CAN001 malformed-json-never-raises

Exit status: 0; 2 for a rule that does not exist.
"""


def add(subparsers: Any) -> None:
    """Declare the command and its arguments."""
    parser = add_command(subparsers, "explain", run, description=_DESCRIPTION)
    parser.add_argument("codes", nargs="+", metavar="CODE", help="a rule's code, or its name")


def run(options: argparse.Namespace) -> int:
    """Print the pages, in the order in which they were asked for."""
    systems = installed()
    inventory = systems.inventory
    rules = all_rules(inventory=inventory, systems=systems)
    names = {rule.code: rule for rule in rules} | {rule.name.upper(): rule for rule in rules}
    chosen = [_rule(code, names) for code in options.codes]
    evidence = find_evidence()
    say("\n\n\n".join(to_terminal(rule_page(rule, inventory, evidence)) for rule in chosen))
    return OK


def _rule(code: str, names: Mapping[str, Rule]) -> Rule:
    rule = names.get(code.upper())
    if rule is None:
        hint = nearest(code.upper(), names)
        raise ConfigurationError(
            f"there is no rule '{printable(code)}'{hint}; `aptix-conformance rules` lists them all"
        )
    return rule
