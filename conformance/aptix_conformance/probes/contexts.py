"""Identifiers for execution contexts that can be recognised wherever they turn up again.

An identifier is 32 hexadecimal digits, as a GUID without hyphens: six that are the suite's, two that say what
it identifies, and 24 that depend on the run's seed, the tool and the call. Equal calls get equal identifiers.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

PREFIX: Final = "c0ffee"
"""What every identifier of ours begins with."""


def identifiers(
    kinds: Sequence[str], first: int, seed: str, tool: str, probe: str, label: str, arguments: str | None
) -> dict[str, str]:
    """An identifier for each kind of thing; `first` is the number of the first kind, as its two digits say it."""
    key = "\0".join((seed, tool, probe, label, "null" if arguments is None else "=" + arguments))
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=64).hexdigest()
    return {
        kind: f"{PREFIX}{first + place:02x}{digest[14 * (place + 1) :][:24]}"
        for place, kind in enumerate(kinds)
    }
