"""What one call may take because of what is done to it: time and disk.

An allowance follows from the stimulus and is not written: a report has the stimulus, and a replay derives the same allowance.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Allowance:
    """Time as a multiple of the time limit of a call, and bytes of disk."""

    factor: float = 1.0
    """Time limits of a call that it may take."""
    extra: float = 0.0
    """Further seconds."""
    disk: int = 0
    """Bytes of the scratch directory, besides the author's files; 0 where the usual ones are not limited further."""
