"""All observations of one tool, in order, and what could not be observed."""

from typing import Final

from aptix_conformance.model.call import Call
from aptix_conformance.model.codec import Record
from aptix_conformance.model.declaration import Declaration

CONFIGURATION: Final = "configuration"
"""The `probe` of a shortfall on settings that do not count for a tool."""


class Shortfall(Record, frozen=True):
    """Something that a probe planned to examine and could not; `reason` says why, and what a person can do.

    `reduced_coverage`: the probe examined a part, with fewer drawn calls than planned. A rule without observations
    then does not become inconclusive. `expected`: nothing needs to be done, since the tool has nothing more to examine or a
    quick plan leaves it out; the report contains the shortfall, the terminal does not show it. `is_cut`: calls were planned and
    not made, since time ran out, others hung, or the plan is a quick one: each rule that would have judged one is inconclusive
    unless it is broken. `rules`: the codes of the rules that this keeps from judging; where it names none, it may be any.
    `unmade`: how many planned calls it is about; 0 where that is not known.
    """

    probe: str
    reason: str
    reduced_coverage: bool = False
    expected: bool = False
    rules: tuple[str, ...] = ()
    is_cut: bool = False
    unmade: int = 0


Observation = Declaration | Call


class Exploration(Record, frozen=True):
    """All observations of one tool, in the order in which they were made."""

    declarations: tuple[Declaration, ...] = ()
    calls: tuple[Call, ...] = ()
    shortfalls: tuple[Shortfall, ...] = ()
    sentinels: int = 0
    """How many sentinel calls of the suite checked the host in the tool's process."""
    tampering: tuple[str, ...] = ()
    """What was wrong with sentinel calls, one sentence each."""
