"""Identifiers for execution contexts that the suite can recognise in any text.

An identifier is 32 hexadecimal digits, like a GUID without hyphens: the suite's six, two for what it identifies, and 24
that depend on the run's seed, the tool and the call. Equal calls get equal identifiers.
"""

import hashlib
import re
from collections.abc import Sequence
from typing import Final

PREFIX: Final = "c0ffee"
"""The first digits of every identifier of the suite."""
_IDENTIFIER: Final = re.compile(f"{PREFIX}[0-9a-f]+")


def identifiers(
    kinds: Sequence[str], first: int, seed: str, tool: str, probe: str, label: str, arguments: str | None
) -> dict[str, str]:
    """An identifier for each kind, by kind. The kinds are numbered from `first`; the number gives the two digits."""
    key = "\0".join((seed, tool, probe, label, "null" if arguments is None else "=" + arguments))
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=64).hexdigest()
    return {
        kind: f"{PREFIX}{first + place:02x}{digest[14 * (place + 1) :][:24]}"
        for place, kind in enumerate(kinds)
    }


def without_own_identifiers(text: str) -> str:
    """A text without the suite's identifiers, by which equal results of two calls may differ."""
    return _IDENTIFIER.sub("", text)
