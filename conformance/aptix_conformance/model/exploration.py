"""Everything that was seen of one tool, in order, and what could not be seen."""

from aptix_conformance.model.call import Call
from aptix_conformance.model.codec import Record
from aptix_conformance.model.declaration import Declaration


class Shortfall(Record, frozen=True):
    """Something that a probe set out to examine and could not, in words a person can act on.

    `reduced_coverage` says that a part was examined and only fewer of the drawn calls were made: rules that saw
    nothing then saw nothing because there was nothing to see. `expected` says that the tool has no more that could
    be examined, so that nobody need act: the report holds it, the terminal does not show it.
    """

    probe: str
    reason: str
    reduced_coverage: bool = False
    expected: bool = False


Observation = Declaration | Call


class Exploration(Record, frozen=True):
    """Everything that was seen of one tool, in the order in which it was seen."""

    declarations: tuple[Declaration, ...] = ()
    calls: tuple[Call, ...] = ()
    shortfalls: tuple[Shortfall, ...] = ()
    sentinels: int = 0
    """How often the host was proved by calls of the suite's own in the tool's process."""
    tampering: tuple[str, ...] = ()
    """What was wrong with those calls, each a sentence."""
