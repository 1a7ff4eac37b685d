"""Converts a tool's name, which is hostile input, to a file name and to a part of a node id.

The results are unique: two names never share a stem or an item name, even if case is ignored.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator

# Device names on Windows, with any extension: a lock must survive a checkout there.
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)
_PLAIN = re.compile(r"[a-z0-9_][a-z0-9_-]{0,99}")
_SEPARATOR = re.compile(r"[:#/\\]")
_SLUG_LENGTH = 60
_ITEM_LENGTH = 100


def file_stem(name: str) -> str:
    """A file name without its ending, at most 100 ASCII characters, safe on every file system.

    A lower-case name of letters, digits, `_` and `-` stays unchanged. Any other name becomes its readable part, a plus
    sign, which no unchanged name contains, and a digest of the exact name.
    """
    if _PLAIN.fullmatch(name) and name not in _RESERVED:
        return name
    readable = re.sub(r"[^a-z0-9_]+", "-", name[:_SLUG_LENGTH].casefold()).strip("-")[:_SLUG_LENGTH]
    return f"{readable or 'tool'}+{_digest(name)}"


def short_specs(specs: Iterable[str]) -> dict[str, str]:
    """Each spec with the shortest end of it, from a `:`, `#` or `/` on, that no other of the specs ends with.

    So no name has a path: `art:./tools/weather.mjs#Weather` and `art:./tools/tides.mjs#Tides` give `Weather` and
    `Tides`.
    """
    known = list(dict.fromkeys(specs))
    counts = Counter(end.casefold() for spec in known for end in _ends(spec))
    return {spec: next((end for end in _ends(spec) if counts[end.casefold()] == 1), spec) for spec in known}


def _ends(spec: str) -> Iterator[str]:
    """The ends of a spec, the shortest first, the whole last."""
    starts = [match.end() for match in _SEPARATOR.finditer(spec) if match.end() < len(spec)]
    yield from (spec[start:] for start in reversed(starts))
    yield spec


def item_name(name: str) -> str:
    """The name as one part of a pytest node id, at most 100 characters long.

    Letters, digits, `_`, `-` and `.` stay; everything else is percent-encoded, so that a node id can be split,
    printed and pasted into a shell. A bare `%` is the empty name; a shortened name ends with `%~` and a digest.
    """
    if not name:
        return "%"
    encoded = "".join(map(_encoded, name[: _ITEM_LENGTH + 1]))
    if len(encoded) <= _ITEM_LENGTH:
        return encoded
    prefix = encoded[: _ITEM_LENGTH - 20]
    # Not in the middle of an escape: `%2` would read as another name's escape.
    prefix = re.sub(r"%.?$", "", prefix)
    return f"{prefix}%~{_digest(name)}"


def _encoded(character: str) -> str:
    if character in "_-." or (character.isalnum() and character.isprintable()):
        return character
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


def _digest(name: str) -> str:
    """16 hexadecimal digits of the name's SHA-256."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
