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


Status = Literal["conforming", "conforming-with-waivers", "nonconforming", "incomplete"]
"""The status of a tool: every MUST passed; every MUST passed or is waived; one failed; or one is inconclusive."""

Thoroughness = Literal["quick", "standard", "thorough"]
"""How much is called: a part that shows most faults, and never conformance; what a verdict needs; or ten times the drawn calls."""

UNNEEDED_WAIVER: Final = "a waiver that is not needed"
"""The cause of a rule's fail where the tool keeps the rule and has a waiver for it: no baseline accepts it."""
