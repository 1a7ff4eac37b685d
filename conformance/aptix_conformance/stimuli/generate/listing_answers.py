"""Values for an argument in what other tools of the same place answer: a list of notes names the notes that can be read."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final

from aptix_conformance.core.schemas.shapes import leaves
from aptix_conformance.stimuli.generate.listed_words import listed_in

_LONGEST: Final = 20_000
"""Characters of an answer that are read."""
_LONGEST_VALUE: Final = 60
_INDEX: Final = re.compile(r"(?<!\])(?:\[\d+\])+$")
_BULLET: Final = re.compile(r"\s*(?:[-*\u2022]|\d{1,4}[.)])?\s*")
_AFTER: Final = re.compile(r"(?<!\s)\s*(?::|\s[-\u2013\u2014(]|\t|,|;)")
_NAMING: Final = ("id", "name", "key", "title", "path", "slug", "uri", "code")
"""What members are called that name their record."""


def values_in(answers: Sequence[str], name: str) -> Iterator[str | int]:
    """The values for the argument `name`, each once: those of members of that name first, then of members that name a record."""
    found = [pair for text in answers for pair in _named(text[:_LONGEST])]
    own = (value for member, value in found if _is_of(member, name))
    naming = (value for member, value in found if member in _NAMING or not member)
    yield from dict.fromkeys(chain(own, naming))


def _named(text: str) -> Iterator[tuple[str, str | int]]:
    """The short values of an answer, each with the plain name of its member; without one in prose."""
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError):
        yield from (("", word) for word in chain(listed_in(text), _of_lines(text)))
        return
    for place, value in reversed(list(leaves(document))):
        member = _plain(_INDEX.sub("", place).rpartition(".")[2])
        is_text = isinstance(value, str) and 0 < len(value) <= _LONGEST_VALUE and value.isprintable()
        if is_text or (isinstance(value, int) and not isinstance(value, bool)):
            yield member, value


def _of_lines(text: str) -> Iterator[str]:
    """What each line begins with: its entry in a list."""
    for line in text.splitlines():
        entry = _AFTER.split(_BULLET.sub("", line, count=1), maxsplit=1)[0].strip(" '\"`.")
        if 0 < len(entry) <= _LONGEST_VALUE:
            yield entry


def _is_of(member: str, name: str) -> bool:
    argument = _plain(name)
    return bool(member) and (argument.endswith(member) or member.endswith(argument))


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
