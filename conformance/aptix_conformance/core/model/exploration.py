"""All observations of one tool, in order, and what could not be observed."""

from typing import Final

from aptix_conformance.core.model.call import Call
from aptix_conformance.core.model.codec import Record
from aptix_conformance.core.model.declaration import Declaration
from aptix_conformance.core.model.report import ShortfallReport

CONFIGURATION: Final = "configuration"
"""The `probe` of a shortfall on settings that do not count for a tool."""


class Shortfall(ShortfallReport, frozen=True):
    """What a report says of a shortfall, and for which rules it holds.

    With `reduced_coverage`, a rule without observations does not become inconclusive. The terminal does not show what is
    `expected`. What is `cut` leaves each rule inconclusive that would have judged one of the calls, unless it is broken.
    """

    rules: tuple[str, ...] = ()
    """The codes of the rules that this keeps from judging; where it names none, it may be any."""


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
