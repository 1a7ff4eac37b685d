"""All rules by which tools are judged: those of the systems, and third parties' from entry points."""

import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import Any, Final

from aptix_conformance.core.contracts import Edition, Inventory
from aptix_conformance.core.errors import ContractDataError
from aptix_conformance.core.extension import loaded
from aptix_conformance.core.model import Declaration
from aptix_conformance.examine import Suite
from aptix_conformance.rules.lib.kernel import Finding, Rule, rule, rules_in
from aptix_conformance.stimuli.probes.installed import all_probes
from aptix_conformance.systems.profile import Wording
from aptix_conformance.systems.registry import OURS, SystemRegistry, check_owner
from aptix_conformance.targets import Target

__all__ = [
    "ENTRY_POINTS",
    "Finding",
    "Rule",
    "all_rules",
    "rule",
    "rules_in",
    "suite_for",
    "suites",
    "unchecked_rules",
]

ENTRY_POINTS: Final = "aptix_conformance.rules"
"""The group of entry points by which others add rules: each names a module that holds rules, or one rule."""


def all_rules(
    others: Iterable[EntryPoint] | None = None,
    inventory: Inventory | None = None,
    systems: SystemRegistry = OURS,
) -> tuple[Rule, ...]:
    """Every rule, sorted by code: those of the systems, and those of the entry points installed or given.

    Raises:
        ContractDataError: an entry point cannot be loaded, or gives no rule, or one whose code is taken; or a
            rule cites a clause that the inventory does not have.
    """
    known = unchecked_rules(others, systems)
    clauses = (inventory or systems.inventory).clauses
    for found in known:
        for clause in found.clauses:
            if clause not in clauses:
                raise ContractDataError(
                    f"{found.code} cites the clause {clause}, which clauses.yaml does not have"
                )
    return known


def suites(
    named: Edition | None, inventory: Inventory, registry: SystemRegistry = OURS
) -> Mapping[str, Suite]:
    """What tools are judged by, for each system: all rules in the edition named, or in the system's first.

    Raises:
        ContractDataError: a system has no edition; or as `all_rules`.
    """
    rules = all_rules(inventory=inventory, systems=registry)
    editions = {traits.name: inventory.default_edition(traits.name) for traits in registry.traits}
    if named:
        editions[named.system] = named
    probes = all_probes()
    profiles = {profile.name: profile for profile in registry.profiles}
    return {
        system: Suite(
            _worded(rules, profiles[system].remedies), edition, inventory, probes + profiles[system].probes
        )
        for system, edition in editions.items()
    }


def suite_for(
    judged: Mapping[str, Suite], target: Target, declaration: Declaration, systems: SystemRegistry
) -> Suite:
    """What a tool is judged by: its system's suite, in the edition that it declares and in the words of its language.

    Raises:
        ConfigurationError: there is no such edition.
    """
    suite = judged[declaration.system]
    if declaration.edition:
        suite = replace(suite, edition=suite.inventory.edition(declaration.edition))
    return in_words_of(suite, systems.runtime(target.spelling).wording)


def in_words_of(suite: Suite, wording: Wording | None) -> Suite:
    """A suite whose findings and fixes speak the language of some tools; the same suite where `wording` is None."""
    if wording is None:
        return suite
    reworded = (_reworded(found, wording.reword) for found in _worded(suite.rules, wording.remedies))
    return replace(suite, rules=tuple(reworded))


def unchecked_rules(
    others: Iterable[EntryPoint] | None = None, systems: SystemRegistry = OURS
) -> tuple[Rule, ...]:
    """Every rule, even with unknown clauses: the check of the clauses reports all unknown ones together.

    Raises:
        ContractDataError: an entry point cannot be loaded, or gives no rule, or one whose code is taken or may be
            taken by a later rule of the suite (`registry.check_owner`).
    """
    first = systems.traits[0].name
    known = {
        found.code: found
        for found in rules_in(part for profile in systems.profiles for part in profile.rules)
    }
    for described, value in loaded(ENTRY_POINTS, others):
        theirs = _rules_of(value, described)
        check_owner(theirs, described)
        for found in (_bound(each, first) for each in theirs):
            if known.setdefault(found.code, found) != found:
                raise ContractDataError(f"{described}: the code {found.code} is taken; choose another number")
    return tuple(known[code] for code in sorted(known))


def _reworded(found: Rule, reword: Callable[[str], str]) -> Rule:
    """A rule whose sentences are reworded: its demand, its fix and its findings."""

    def judge(observation: Any) -> tuple[Finding, ...]:
        said = found.findings(observation)
        return tuple(replace(each, message=reword(each.message)) for each in said)

    return replace(found, judge=judge, demand=reword(found.demand), remedy=reword(found.remedy))


def _worded(rules: tuple[Rule, ...], remedies: Mapping[str, str]) -> tuple[Rule, ...]:
    """The rules, with the fixes in the words of one system."""
    return tuple(
        replace(found, remedy=remedies[found.code]) if found.code in remedies else found for found in rules
    )


def _bound(found: Rule, system: str) -> Rule:
    """A third party's rule, bound to `system` if no contract demands it and it names no system."""
    return found if found.source == "contract" or found.systems else replace(found, systems=(system,))


def _rules_of(value: object, described: str) -> tuple[Rule, ...]:
    found = rules_in([value]) if isinstance(value, (Rule, types.ModuleType)) else ()
    if not found:
        raise ContractDataError(
            f"{described} gives {value!r}; it should name a rule, or a module with rules."
        )
    return found
