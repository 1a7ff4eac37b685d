"""`aptix-conformance rules`: the list of the rules."""

import argparse
import json
from typing import Any, Final

from aptix_conformance.app.commands.command import OK, add_command, say
from aptix_conformance.core.contracts import Edition, Inventory, Level
from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.present.catalog import area_of, levels_of
from aptix_conformance.rules import Rule
from aptix_conformance.systems.registry import installed
from aptix_conformance.systems.rulebook import all_rules

_DESCRIPTION: Final = """\
List the rules, with their levels and what they demand, including those of installed plugins.

  aptix-conformance rules --area CAN
  aptix-conformance rules --edition aptix-agn-005-1.1 --level must

Without an edition, the level shown is that of the first edition in which the rule is in force. `aptix-conformance explain CODE`
prints the page of one. Exit status: 0; 2 on bad usage.
"""


def add(subparsers: Any) -> None:
    """Declare the command and its arguments."""
    parser = add_command(subparsers, "rules", run, description=_DESCRIPTION)
    parser.add_argument(
        "--area",
        type=str.upper,
        metavar="AREA",
        help="only rules whose code begins with AREA, such as CAN or ACME-NET",
    )
    parser.add_argument(
        "--edition", metavar="EDITION", help="only rules in force in an edition, with its levels"
    )
    parser.add_argument("--level", type=str.upper, choices=tuple(Level), help="only rules of this level")
    parser.add_argument(
        "--source",
        choices=("contract", "runtime", "suite"),
        help="from the contract, from what the system's orchestrator needs, or the suite's own",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")


def run(options: argparse.Namespace) -> int:
    """List the rules that all options choose, by code; the JSON is an array with an object for each."""
    systems = installed()
    inventory = systems.inventory
    edition = inventory.edition(options.edition) if options.edition else None
    rules = all_rules(inventory=inventory, systems=systems)
    areas = sorted({area_of(rule) for rule in rules})
    if options.area not in (None, *areas):
        raise ConfigurationError(f"unknown area {options.area!r}: one of {', '.join(areas)}")
    chosen = [
        (rule, level)
        for rule in rules
        for level in [_level(rule, edition, inventory)]
        if options.area in (None, area_of(rule))
        and options.level in (None, level)
        and options.source in (None, rule.source)
        and (level or edition is None)
    ]
    if options.format == "json":
        say(json.dumps([_object(rule, level, inventory) for rule, level in chosen], indent=2))
    else:
        for rule, level in chosen:
            say(f"{rule.code}  {level or 'none':<6}  {rule.name}: {rule.demand}")
        say(f"{len(chosen)} {'rule' if len(chosen) == 1 else 'rules'}")
    return OK


def _level(rule: Rule, edition: Edition | None, inventory: Inventory) -> Level | None:
    if edition:
        return rule.level(edition)
    return next(iter(levels_of(rule, inventory).values()), None)


def _object(rule: Rule, level: Level | None, inventory: Inventory) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "level": level,
        "levels": levels_of(rule, inventory),
        "source": rule.source,
        "advice": rule.advice,
        "clauses": list(rule.clauses),
        "demand": rule.demand,
        "why": rule.why,
        "remedy": rule.remedy,
    }
