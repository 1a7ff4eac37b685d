"""What a tool is judged by: one module for each area of rules, and the third parties' from their entry points."""

import types
from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from aptix_conformance.contracts import Edition, Inventory, load
from aptix_conformance.errors import ContractDataError
from aptix_conformance.examination import Suite
from aptix_conformance.rules import (
    arguments,
    cancellation,
    catalog,
    context,
    exceptions,
    faults,
    logging,
    mode_catalogs,
    portability,
    reading,
    registration,
    repetition,
    results,
    schema,
    stability,
    usage,
)
from aptix_conformance.rules.lib.kernel import Finding, Rule, rule, rules_in
from aptix_conformance.systems.amplifier.rules import calls as amplifier_calls
from aptix_conformance.systems.amplifier.rules import module as amplifier_module
from aptix_conformance.systems.amplifier.rules import tool as amplifier_tool
from aptix_conformance.systems.art.rules import declared as art_declared
from aptix_conformance.systems.art.rules import outputs as art_outputs
from aptix_conformance.systems.art.rules import results as art_results
from aptix_conformance.systems.art.rules import schemas as art_schemas

__all__ = ["ENTRY_POINTS", "Finding", "Rule", "all_rules", "rule", "rules_in", "suites", "unchecked_rules"]

ENTRY_POINTS: Final = "aptix_conformance.rules"
"""The group of entry points by which others add rules: each names a module that holds rules, or one rule."""

_AREAS: Final = (
    amplifier_calls,
    amplifier_module,
    amplifier_tool,
    arguments,
    art_declared,
    art_outputs,
    art_results,
    art_schemas,
    cancellation,
    catalog,
    context,
    exceptions,
    faults,
    logging,
    mode_catalogs,
    portability,
    reading,
    registration,
    repetition,
    results,
    schema,
    stability,
    usage,
)


def all_rules(
    others: Iterable[EntryPoint] | None = None, inventory: Inventory | None = None
) -> tuple[Rule, ...]:
    """Every rule, sorted by code: ours, and those of the entry points installed or given.

    Raises:
        ContractDataError: an entry point cannot be loaded, or gives no rule, or one whose code is taken; or a
            rule cites a clause that the inventory does not have.
    """
    known = unchecked_rules(others)
    clauses = (inventory or load()).clauses
    for found in known:
        for clause in found.clauses:
            if clause not in clauses:
                raise ContractDataError(
                    f"{found.code} cites the clause {clause}, which clauses.yaml does not have"
                )
    return known


def suites(named: Edition | None, inventory: Inventory) -> Mapping[str, Suite]:
    """What tools are judged by, for each system: all rules in the edition named, or in the system's first."""
    rules = all_rules(inventory=inventory)
    systems = dict.fromkeys(edition.system for edition in inventory.editions.values())
    editions = {system: inventory.default_edition(system) for system in systems}
    if named:
        editions[named.system] = named
    return {system: Suite(rules, edition, inventory) for system, edition in editions.items()}


def unchecked_rules(others: Iterable[EntryPoint] | None = None) -> tuple[Rule, ...]:
    """Every rule, whatever it cites: for the traceability, which tells all unknown clauses at once.

    Raises:
        ContractDataError: an entry point cannot be loaded, or gives no rule, or one whose code is taken.
    """
    known = {found.code: found for found in rules_in(_AREAS)}
    for entry in sorted(entry_points(group=ENTRY_POINTS) if others is None else others):
        for found in _rules_of(entry):
            if known.setdefault(found.code, found) is not found:
                raise ContractDataError(
                    f"{_named(entry)}: the code {found.code} is taken; choose another number"
                )
    return tuple(known[code] for code in sorted(known))


def _rules_of(entry: EntryPoint) -> tuple[Rule, ...]:
    try:
        value = entry.load()
    except Exception as error:  # what a third party's module raises at import is its own choice
        raise ContractDataError(
            f"{_named(entry)} cannot be loaded: {type(error).__name__}: {error}. Mend or uninstall it."
        ) from error
    if isinstance(value, Rule):
        return (value,)
    found = rules_in([value]) if isinstance(value, types.ModuleType) else ()
    if not found:
        raise ContractDataError(
            f"{_named(entry)} gives {value!r}; it should name a rule, or a module with rules."
        )
    return found


def _named(entry: EntryPoint) -> str:
    return f"The entry point {entry.name!r} ({entry.value}) in the group {ENTRY_POINTS}"
