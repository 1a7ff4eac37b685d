"""The words for how a rule and a tool end, and for how strongly a rule binds."""

from enum import StrEnum
from typing import Literal


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
    """How a rule ended for a tool (ISO/IEC 9646, with waivers)."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not_applicable"
    WAIVED = "waived"


Status = Literal["conforming", "nonconforming", "incomplete"]
"""How a tool ended: every MUST passed or is waived, one failed, or one is not known."""

Containment = Literal["namespaces", "confined", "none"]
"""What held a tool's process: namespaces of its own, with processes, network and file system apart; only the confinement
of its writes and sockets; or nothing."""
