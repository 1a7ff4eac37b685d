"""Probe `catalog`: agent_list_modes with various catalogs in place of the configured one (TUL-010)."""

import json
from collections.abc import Iterator, Sequence
from importlib import resources
from typing import Any, Final

from aptix_conformance.core.model import Call, Change, Kind, ReplacedCatalog, Shortfall, Stimulus
from aptix_conformance.stimuli.probes.planning import Demand, plan
from aptix_conformance.stimuli.probes.probe import Probe, Subject
from aptix_conformance.systems.aptix.traits import LIST_MODES

MANY: Final = 10_000
EXAMPLES: Final = '{"includeExamples": true}'

LISTED: Final = (
    "typical", "one_mode", "empty", "null_optional_fields", "unicode_rtl", "duplicates", "shared", "changing",
)  # fmt: skip
"""Catalogs that return modes, in the order in which they are tried; each differs from the previous one."""
TOLERATED: Final = frozenset({"empty", "duplicates"})
"""Catalogs that a tool may refuse: one without modes, and one with duplicates."""
FAILING: Final = ("returns_none", "raises")
HANGING: Final = "hangs"

_TYPICAL: Final = frozenset({"shared", "changing"})
_DEFAULTS: Final = {
    "systemPromptSummary": "",
    "isDefault": False,
    "humanRoleHints": None,
    "exampleUtterances": None,
}


class CatalogProbe(Probe):
    """Plans calls of agent_list_modes, each with another catalog.

    `expected` of a plan is JSON: {"modes": […]}, or {"count": 10000} for the catalog `many`.
    """

    name = "catalog"
    in_fresh_process = True
    """A tool may have cached the configured catalog; a fresh process has no such cache."""

    def fixed(self, subject: Subject, observed_calls: Sequence[Call]) -> Iterator[Stimulus]:  # noqa: ARG002 - Probe
        """Each catalog once, and the typical one twice."""
        if not self._is_for(subject) or "catalog" not in subject.disturbances:
            return
        for name in LISTED:
            demand: Demand = "either" if name in TOLERATED else "accepted"
            yield self._plan(subject, name, demand)
            if name == "typical":
                yield self._plan(subject, name, demand, time=2)
        yield self._plan(subject, "many", "accepted")
        for name in FAILING:
            yield self._plan(subject, name, "refused")
        yield self._plan(subject, HANGING, "either")

    def shortfall(self, subject: Subject, observed_calls: Sequence[Call]) -> Shortfall | None:
        """The catalog cannot be replaced by others."""
        if not self._is_for(subject):
            return None
        if "catalog" not in subject.disturbances:
            return Shortfall(self.name, "this host cannot replace a service", reduced_coverage=True)
        unfit = [
            c.disturbed.place
            for c in observed_calls
            if c.plan.probe == self.name and c.disturbed and not c.disturbed.reached
        ]
        return Shortfall(self.name, unfit[0], reduced_coverage=True) if any(unfit) else None

    def _is_for(self, subject: Subject) -> bool:
        return subject.tool == LIST_MODES

    def _plan(self, subject: Subject, name: str, demand: Demand, time: int = 1) -> Stimulus:
        change = Change(Kind.DISTURBED, number=time)
        return plan(subject, self.name, change, EXAMPLES, demand, _expected(name), ReplacedCatalog(name))


def _expected(name: str) -> str | None:
    if name == "many":
        return json.dumps({"count": MANY})
    if name not in LISTED:
        return None
    return json.dumps({"modes": modes_of("typical" if name in _TYPICAL else name)})


def modes_of(name: str) -> list[dict[str, Any]]:
    """The modes of a catalog, each a dict with all eight fields."""
    file = resources.files("aptix_conformance.runners").joinpath("mode_catalogs", f"{name}.json")
    return [{**_DEFAULTS, **mode} for mode in json.loads(file.read_text(encoding="utf-8"))["modes"]]
