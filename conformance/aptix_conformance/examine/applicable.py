"""Which rules judge a tool: those of its edition, each with its level there and whether the tool is exempt."""

from collections.abc import Callable
from dataclasses import dataclass

from aptix_conformance.core.contracts import Edition, Inventory, Level
from aptix_conformance.core.model import Declaration
from aptix_conformance.core.model.verdict import Obstacle
from aptix_conformance.examine.obstacle_words import MetObstacle, met
from aptix_conformance.rules import Rule
from aptix_conformance.stimuli.probes import PROBES, Probe


@dataclass(frozen=True, slots=True)
class Suite:
    """The rules, the edition and the probes with which a tool is examined."""

    rules: tuple[Rule, ...]
    edition: Edition
    inventory: Inventory
    probes: tuple[Probe, ...] = PROBES
    restarts: bool = True
    """Whether the declaration is read in other processes too, which no rule over a single declaration judges."""


@dataclass(frozen=True, slots=True)
class ApplicableRule:
    """A rule that is in force in an edition: its level there, and why it does not bind one tool, if so."""

    rule: Rule
    level: Level
    exempt: MetObstacle | None
    in_force: tuple[str, ...] | None = None
    """The rule's clauses that the edition has; None where no edition was chosen."""

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses to cite: those in force, or all where no edition was chosen."""
        return self.rule.clauses if self.in_force is None else self.in_force


def applicable_rules(
    suite: Suite, declaration: Declaration, applies: Callable[[Rule], str | None] | None = None
) -> list[ApplicableRule]:
    """Every rule on tools, or on servers, that is in force in a suite's edition, in order, with whether one is exempt.

    `applies` gives the reason why a rule does not apply; without it, the rule itself is asked.
    """
    tool, edition = tool_name(declaration), suite.edition
    applicable = []
    for rule in suite.rules:
        level = rule.level(edition) if declaration.kind in rule.of else None
        if level is None:
            continue
        in_force = tuple(clause for clause in rule.clauses if edition.binds(clause))
        own = suite.inventory.exemption(tool, in_force)
        reason = applies(rule) if applies else rule.applies(declaration)
        exempt = met(Obstacle.EXEMPT, reason) if reason else None
        if own:
            exempt = met(Obstacle.OWN_CONTRACT, own)
        applicable.append(ApplicableRule(rule, level, exempt, in_force))
    return applicable


def tool_name(declaration: Declaration) -> str:
    """The name of a tool in reports: its declared name, or its class's where it declares none."""
    declared = declaration.tool_name.value
    return declared if declared and declared.strip() else declaration.class_name
