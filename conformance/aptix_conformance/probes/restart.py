"""Probe `restart`: under which conditions the declaration is read again, in fresh interpreters.

All conditions differ at once, in a few interpreters that serve every tool of a distribution. Only where something came
out differently is each condition tried alone, to find the one that brought it.
"""

from collections.abc import Mapping
from typing import Final

Conditions = Mapping[str, str]

RESTARTS: Final[tuple[Conditions, ...]] = (
    {
        "hash seed": "1",
        "time zone": "Pacific/Kiritimati",
        "locale": "C",
        "clock": "1 day",
        "directory": "another",
        "user": "another",
    },
    {
        "hash seed": "20251",
        "time zone": "America/St_Johns",
        "locale": "another",
        "clock": "366 days",
        "directory": "another",
        "user": "another",
    },
    {
        "hash seed": "4294967295",
        "time zone": "Asia/Kathmandu",
        "locale": "POSIX",
        "directory": "another",
        "user": "another",
    },
)
"""The last leaves the clock alone: a package that a patched clock breaks is still read again there."""

THREADS: Final[Conditions] = {"threads": "two at once"}
"""The one condition that needs no other process."""


def alone(conditions: Conditions) -> tuple[Conditions, ...]:
    """Each of some conditions without the others; the directory is left out, since every restart has another."""
    return tuple({name: value} for name, value in conditions.items() if name != "directory")
