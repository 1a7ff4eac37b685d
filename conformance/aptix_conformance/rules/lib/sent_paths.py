"""Whether a path is the caller's: the call sent its parts, in one argument or in several, as `directory="/data", name="x.csv"`."""

import re
from functools import lru_cache
from typing import Final

from aptix_conformance.rules.lib.documents import read_arguments, strings_in

_SLASH: Final = re.compile(r"[/\\]")
_DRIVE: Final = re.compile(r"^[A-Za-z]:")


def is_of_sent_parts(path: str, arguments: str) -> bool:
    """Whether every part of a path is a part or a word of a text in the arguments, a JSON document."""
    parts = _SLASH.split(_DRIVE.sub("", path).casefold())
    named = {part for part in parts if part not in ("", ".", "..")}
    return bool(named) and named <= _sent_parts(arguments)


@lru_cache(maxsize=16)
def _sent_parts(arguments: str) -> frozenset[str]:
    """What stands between the slashes of the texts in the arguments, and each word there, in lower case."""
    parts: set[str] = set()
    for text in strings_in(read_arguments(arguments).value):
        for part in _SLASH.split(text.casefold()):
            parts.update((part.strip(), *part.split()))
    return frozenset(parts)
