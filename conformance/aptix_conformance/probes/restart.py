"""Probe `restart`: the conditions under which the declaration is read again, in fresh interpreters.

All conditions change together, in a few interpreters that serve every tool of a distribution. Only if a declaration
differs is each condition tried alone, to find the cause.
"""

from collections.abc import Mapping
from typing import Final

from aptix_conformance.hosts.conditions import HOST_NAME, PROCESS
from aptix_conformance.probes.hash_seeds import USUAL, seeds_for, small_sets

Conditions = Mapping[str, str]

HASH_SEED: Final = "hash seed"

RESTARTS: Final[tuple[Conditions, ...]] = (
    {
        HASH_SEED: "1",
        "time zone": "Pacific/Kiritimati",
        "locale": "C",
        "clock": "1 day",
        "directory": "another",
        "user": "another",
        HOST_NAME: "another",
    },
    {
        HASH_SEED: USUAL[0],
        "time zone": "America/St_Johns",
        "locale": "another",
        "clock": "366 days",
        "directory": "another",
        "user": "another",
        HOST_NAME: "another",
    },
    {
        HASH_SEED: USUAL[1],
        "time zone": "Asia/Kathmandu",
        "locale": "POSIX",
        "directory": "another",
        "user": "another",
        HOST_NAME: "another",
    },
)
"""The last set does not patch the clock, for packages that a patched clock breaks."""

OF_SERVERS: Final[tuple[Conditions, ...]] = ({PROCESS: "another"}, {HASH_SEED: "1"})
"""What may change the order of a server's tools; each alone, so that no cause has to be looked for."""

THREADS: Final[Conditions] = {"threads": "two at once"}
"""The only condition that needs no other process."""


def restarts_for(schema: str | None) -> tuple[Conditions, ...]:
    """`RESTARTS` with hash seeds that change the order of every small set which a schema, as text, may be made from."""
    first, second, third = RESTARTS
    own, other, *more = seeds_for(small_sets(schema), first[HASH_SEED])
    changed = (first, {**second, HASH_SEED: own}, {**third, HASH_SEED: other})
    return (*changed, *({HASH_SEED: seed} for seed in more))


def alone(conditions: Conditions) -> tuple[Conditions, ...]:
    """Each condition alone; without the directory, because every restart has a new one."""
    return tuple({name: value} for name, value in conditions.items() if name != "directory")
