"""Probe `restart`: the conditions under which the declaration is read again, in fresh interpreters.

All conditions change together, in a few interpreters that serve every tool of a distribution. Only if a declaration
differs is each condition tried alone, to find the cause.
"""

from collections.abc import Mapping
from typing import Final

from aptix_conformance.hosts.conditions import (
    ANY_VARIABLE,
    CLOCK,
    FILE_TIMES,
    HOST_NAME,
    PID,
    PROCESS,
    VARIABLES,
)
from aptix_conformance.stimuli.probes.hash_seeds import USUAL, seeds_for, small_sets

Conditions = Mapping[str, str]

HASH_SEED: Final = "hash seed"

_EACH: Final[Conditions] = {"directory": "another", "user": "another", HOST_NAME: "another", PID: "another"}

RESTARTS: Final[tuple[Conditions, ...]] = (
    {
        HASH_SEED: "1",
        "time zone": "Pacific/Kiritimati",
        "locale": "C",
        CLOCK: "1 day",
        FILE_TIMES: "1 day",
        VARIABLES: f"{ANY_VARIABLE}1",
        **_EACH,
    },
    {
        HASH_SEED: USUAL[0],
        "time zone": "America/St_Johns",
        "locale": "another",
        CLOCK: "366 days",
        FILE_TIMES: "366 days",
        VARIABLES: f"{ANY_VARIABLE}development",
        **_EACH,
    },
    {
        HASH_SEED: USUAL[1],
        "time zone": "Asia/Kathmandu",
        "locale": "POSIX",
        VARIABLES: f"{ANY_VARIABLE}production",
        **_EACH,
    },
)
"""The last set moves no times, for packages that this breaks. Variables hold a number, and words that branches ask for."""

BREAKING: Final = (VARIABLES, FILE_TIMES, CLOCK)
"""Conditions that can break what is right: code that is not prepared for patches, or that demands a value of another form."""

OF_SERVERS: Final[tuple[Conditions, ...]] = ({PROCESS: "another"}, {HASH_SEED: "1"})
"""Conditions that may change the order of a server's tools; each alone, so that no cause has to be looked for."""

THREADS: Final[Conditions] = {"threads": "two at once"}
"""The only condition that needs no other process."""


def restarts_for(schema: str | None) -> tuple[Conditions, ...]:
    """`RESTARTS` with hash seeds that change the order of every small set which a schema, as text, may be made from."""
    first, second, third = RESTARTS
    own, other, *more = seeds_for(small_sets(schema), first[HASH_SEED])
    changed = (first, {**second, HASH_SEED: own}, {**third, HASH_SEED: other})
    return (*changed, *({HASH_SEED: seed} for seed in more))


def alone(conditions: Conditions) -> tuple[Conditions, ...]:
    """Each condition alone; without the directory and the PID, because every restart has new ones."""
    return tuple({name: value} for name, value in conditions.items() if name not in ("directory", PID))
