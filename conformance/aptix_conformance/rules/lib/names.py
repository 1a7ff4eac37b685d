"""Names: those of tools for ART and Amplifier, short and in snake case, and other spellings of a member's name."""

import re
from collections.abc import Iterable
from typing import Final

from aptix_conformance.core.text import printable

_LONGEST: Final = 64
"""The most characters that a name may have; model APIs accept no longer names."""

_SNAKE: Final = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")


def snake_case_fault(name: str) -> str | None:
    """The fault of a name, such as `has 80 characters; 64 are the most`; None without one."""
    if len(name) > _LONGEST:
        return f"has {len(name)} characters; {_LONGEST} are the most"
    return None if _SNAKE.fullmatch(name) else f"is {printable(repr(name), 80)}"


def other_spelling(expected: str, names: Iterable[str], *, synonyms: Iterable[str] = ()) -> str | None:
    """The one of some names by which a member may be meant that is wanted under another; None if there is none.

    Case, underscores, a leading `get` and a trailing `()` make no difference: `getInputSchema()` is `input_schema`.
    """
    candidates = tuple(names)
    for spelling in (expected, *synonyms):
        for name in candidates:
            if name != expected and _letters(name) == _letters(spelling):
                return name
    return None


def _letters(name: str) -> str:
    bare = re.sub(r"[^a-z0-9]", "", name.casefold())
    return bare.removeprefix("get") or bare
