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
    for each in known:
        for clause in each.clauses:
            if clause not in clauses:
                raise ContractDataError(
                    f"{each.code} cites the clause {clause}, which clauses.yaml does not have"
                )
    return known


def suites(
    named: Edition | None, inventory: Inventory, registry: SystemRegistry = OURS
) -> Mapping[str, Suite]:
    """The suite that judges the tools of each system: all rules in the edition named, or in the system's first.

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
    """The suite that judges a tool: its system's, in the edition that it declares and in the words of its language.

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
    reworded = (_reworded(each, wording.reword) for each in _worded(suite.rules, wording.remedies))
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
        entry.code: entry
        for entry in rules_in(part for profile in systems.profiles for part in profile.rules)
    }
    for described, value in loaded(ENTRY_POINTS, others):
        theirs = _rules_of(value, described)
        check_owner(theirs, described)
        for entry in (_bound(each, first) for each in theirs):
            if known.setdefault(entry.code, entry) != entry:
                raise ContractDataError(f"{described}: the code {entry.code} is taken; choose another number")
    cited: dict[str, list[str]] = {code: [] for code in known}
    for clause in systems.inventory.clauses.values():
        for code in clause.rules:
            if code not in known:
                raise ContractDataError(f"the clause {clause.id} names the rule {code}, which does not exist")
            cited[code].append(clause.id)
    rules = (known[code] for code in sorted(known))
    return tuple(
        replace(each, clauses=(*each.clauses, *cited[each.code])) if cited[each.code] else each
        for each in rules
    )


def _reworded(original: Rule, reword: Callable[[str], str]) -> Rule:
    """A rule whose sentences are reworded: its demand, its fix and its findings."""

    def judge(observation: Any) -> tuple[Finding, ...]:
        findings = original.findings(observation)
        return tuple(replace(each, message=reword(each.message)) for each in findings)

    return replace(original, judge=judge, demand=reword(original.demand), remedy=reword(original.remedy))


def _worded(rules: tuple[Rule, ...], remedies: Mapping[str, str]) -> tuple[Rule, ...]:
    """The rules, with the fixes in the words of one system."""
    return tuple(
        replace(each, remedy=remedies[each.code]) if each.code in remedies else each for each in rules
    )


def _bound(theirs: Rule, system: str) -> Rule:
    """A third party's rule, bound to `system` if no contract demands it and it names no system."""
    return theirs if theirs.source == "contract" or theirs.systems else replace(theirs, systems=(system,))


def _rules_of(value: object, described: str) -> tuple[Rule, ...]:
    rules = rules_in([value]) if isinstance(value, (Rule, types.ModuleType)) else ()
    if not rules:
        raise ContractDataError(
            f"{described} gives {value!r}; it should name a rule, or a module with rules."
        )
    return rules
