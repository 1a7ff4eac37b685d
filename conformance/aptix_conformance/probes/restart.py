"""Probe `restart`: the conditions under which the declaration is read again, in fresh interpreters.

All conditions change together, in a few interpreters that serve every tool of a distribution. Only if a declaration
differs is each condition tried alone, to find the cause.
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
"""The last set does not patch the clock, for packages that a patched clock breaks."""

THREADS: Final[Conditions] = {"threads": "two at once"}
"""The only condition that needs no other process."""


def alone(conditions: Conditions) -> tuple[Conditions, ...]:
    """Each condition alone; without the directory, because every restart has a new one."""
    return tuple({name: value} for name, value in conditions.items() if name != "directory")
