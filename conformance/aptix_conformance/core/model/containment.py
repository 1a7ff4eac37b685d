"""How far the suite could contain the process of a tool."""

from collections.abc import Mapping
from typing import Final, Literal

from aptix_conformance.core.model.codec import Record

ContainmentLevel = Literal["full", "partial", "none"]
"""All of the containment (docs/threat-model.md); what the machine allows of it; or nothing."""

Confinement = Literal["namespaces", "confined", "none"]
"""The same levels in the words of the report's member `containment`, which came first."""

STRENGTH: Final[Mapping[ContainmentLevel, int]] = {"none": 0, "partial": 1, "full": 2}
_FIRST_WORDS: Final[Mapping[ContainmentLevel, Confinement]] = {
    "full": "namespaces",
    "partial": "confined",
    "none": "none",
}


class Containment(Record, frozen=True):
    """The containment of a tool's process."""

    level: ContainmentLevel
    """All protections, those that the machine allows, or none."""
    reasons: tuple[str, ...] = ()
    """Why it is not `full`, each as a clause."""

    @property
    def confinement(self) -> Confinement:
        """The level in the words that came first."""
        return _FIRST_WORDS[self.level]

    @property
    def opens_network(self) -> bool:
        """Whether a contained tool reaches a host: there is no containment, or its table opens one."""
        return self.level == "none" or any("`network` opens" in reason for reason in self.reasons)

    def is_below(self, least: ContainmentLevel) -> bool:
        """Whether it is weaker than a level."""
        return STRENGTH[self.level] < STRENGTH[least]

    def __str__(self) -> str:
        """The level, with the reasons."""
        return f"{self.level} ({'; '.join(self.reasons)})" if self.reasons else self.level


def from_confinement(word: Confinement | None) -> Containment | None:
    """The containment that an older report states; None where it states none."""
    if word is None:
        return None
    level = next(level for level, first in _FIRST_WORDS.items() if first == word)
    return Containment(level, () if level == "full" else ("the report is older and does not say why",))
