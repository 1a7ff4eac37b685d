"""Which probes some rules need: a run of a few rules makes only the calls that these rules judge.

Each rule declares its probes (`Rule.probes`); one that declares none needs them all, as one that looks for traces of other
calls does. Every run makes the calls of `valid`: other probes build on calls that work. A rule over declarations judges the
reading before these calls and the one after them: without them, `--lf` would pass a rule that a tool breaks only once it was
called, as if that were fixed. Readings in other processes are for rules over explorations alone.
"""

from collections.abc import Iterable
from typing import Final

from aptix_conformance.core.model import Declaration, Exploration
from aptix_conformance.rules import Rule
from aptix_conformance.stimuli.probes import Probe

ALL_CALLS: Final = "calls"
"""The name of a shortfall that concerns the calls of all probes."""
BASE: Final = "valid"
"""The probe on whose calls the others build."""


def needed_probes(rules: Iterable[Rule], probes: tuple[Probe, ...]) -> tuple[Probe, ...]:
    """Those of some probes, in their order, whose calls some rules judge."""
    names = {BASE}
    for rule in rules:
        own = () if rule.over is Declaration else rule.probes
        if own is None:
            return probes
        names.update(own)
    return tuple(probe for probe in probes if probe.name in names)


def needs_restarts(rules: Iterable[Rule]) -> bool:
    """Whether some of the rules may judge how the declaration reads in other processes."""
    return any(rule.over is Exploration for rule in rules)
