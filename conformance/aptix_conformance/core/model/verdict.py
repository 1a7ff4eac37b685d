"""Verdicts of rules, statuses of tools, and levels of clauses."""

from enum import StrEnum
from typing import Final, Literal


class Level(StrEnum):
    """How strongly a clause binds (RFC 2119)."""

    MUST = "MUST"
    SHOULD = "SHOULD"
    MAY = "MAY"

    @property
    def strength(self) -> int:
        """2 for MUST, 1 for SHOULD, 0 for MAY."""
        return {Level.MUST: 2, Level.SHOULD: 1, Level.MAY: 0}[self]


class VerdictKind(StrEnum):
    """The verdict of a rule for a tool (ISO/IEC 9646, with waivers)."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not_applicable"
    WAIVED = "waived"


class Obstacle(StrEnum):
    """What kept a rule from a verdict, the strongest first: that one is the reason, where there are several."""

    NOT_EXAMINED = "not_examined"
    """The tool was not examined."""
    DESELECTED = "deselected"
    """The rule was left out on the command line."""
    SUITE_FAILED = "suite_failed"
    """The suite itself failed."""
    OWN_CONTRACT = "own_contract"
    """The tool's own contract exempts it from the rule."""
    EXEMPT = "exempt"
    """The declaration, the configuration or the edition says that the rule does not bind the tool."""
    DEFERRED = "deferred"
    """Only another rule reports the observations that it could judge."""
    NOT_REPRODUCED = "not_reproduced"
    """A breach was seen once. It depends on a measured time, or the suite did not try to reproduce it."""
    STOPPED = "stopped"
    """Judging took too long, or too much memory."""
    MASKED = "masked"
    """The breach of another rule hides something from it."""
    UNLISTED = "unlisted"
    """A later reading of the declaration, which it would judge, is missing."""
    CUT = "cut"
    """Calls were planned for it and not made."""
    UNSOUND = "unsound"
    """Its observations can prove a breach, but no conformance."""
    UNPROVEN = "unproven"
    """A breach was seen only in calls with requests that the recording does not have."""
    UNTIMED = "untimed"
    """Calls waited for a processor, so that their own time is not known well enough."""
    NOT_REACHED = "not_reached"
    """No call could be made."""
    NO_SCHEMA = "no_schema"
    """No call could be planned, because there is no schema."""
    REFUSED = "refused"
    """No call succeeded."""
    EXAMPLE_REFUSED = "example_refused"
    """No call succeeded, not even an example of the author's."""
    NO_RECORDING = "no_recording"
    """No call succeeded, and calls sent requests that the recording does not have."""
    NO_NETWORK = "no_network"
    """No call succeeded, and calls tried to reach another machine."""
    NOT_JSON = "not_json"
    """Calls succeeded, and none returned JSON."""
    NOT_TWICE = "not_twice"
    """Calls succeeded, but none succeeded a second time."""
    NOT_SHOWN = "not_shown"
    """Calls succeeded, but did not show the behaviour that it judges."""
    LEFT_OUT = "left_out"
    """Nothing was seen of the kind that it judges, and calls that might have shown it were not made."""
    IN_THE_WAY = "in_the_way"
    """Nothing was seen, because of the breach of a rule that binds less."""
    UNSEEN = "unseen"
    """Nothing was seen."""


Status = Literal["conforming", "conforming-with-waivers", "nonconforming", "incomplete"]
"""The status of a tool: every MUST passed; every MUST passed or is waived; one failed; or one is inconclusive."""

Thoroughness = Literal["quick", "standard", "thorough"]
"""How much is called: a part that shows most faults, and never conformance; what a verdict needs; or ten times the drawn calls."""

UNNEEDED_WAIVER: Final = "a waiver that is not needed"
"""The cause of a rule's fail where the tool keeps the rule and has a waiver for it: no baseline accepts it."""
