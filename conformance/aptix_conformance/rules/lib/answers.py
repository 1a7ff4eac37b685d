"""What a success shows, by place: the members of a JSON payload; of prose the whole text and its words.

Two texts have a word at the same place only where they have equally many words: so a word that is left out shifts no other
one to its place.
"""

import json
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

from aptix_conformance.core.model import Call
from aptix_conformance.core.schemas.shapes import Shape, infer, leaves
from aptix_conformance.rules.lib.documents import (
    arguments_of,
    has_readable_payload,
    may_be_prose,
    payload_of,
    strings_in,
)
from aptix_conformance.rules.lib.identifiers import without_identifiers

_MOST_WORDS: Final = 200
"""Words of a text that are places of their own; of a longer text there is the whole only."""
_MARKS: Final = ".,;:!?()[]{}'\"`"
"""What may stand around a word and is no part of it."""
_TELLING: Final = 8
"""Characters of a string that is not in a sentence by chance."""


def values_by_place(call: Call) -> dict[str, Any]:
    """The scalars of a readable payload by place, without the call's identifiers."""
    value = without_identifiers(call)
    values = dict(leaves(value))
    words = value.split() if payload_of(call).is_prose else []
    if len(words) <= _MOST_WORDS:
        values |= {
            f"word {number} of {len(words)}": _read(word) for number, word in enumerate(words, start=1)
        }
    return values


def shape_of(call: Call) -> Shape:
    """The shape of a readable payload. Where it may be prose, a number alone is a text too."""
    value = payload_of(call).value
    is_text = may_be_prose(call) and value is not None and not isinstance(value, (dict, list))
    return infer(["" if is_text else value])


def texts_of(calls: Sequence[Call]) -> set[str]:
    """The strings in the payloads and the arguments of some calls."""
    values = [payload_of(call).value for call in calls if has_readable_payload(call)]
    return {text for value in (*values, *map(arguments_of, calls)) for text in strings_in(value)}


def shown_among(texts: AbstractSet[str], calls: Sequence[Call]) -> set[str]:
    """Those of some texts that are strings in the payloads or the arguments of calls, or stand in their prose."""
    documents = [payload_of(call) for call in calls if has_readable_payload(call)]
    prose = [document.value for document in documents if document.is_prose]
    told = {text for text in texts if len(text) >= _TELLING and any(text in each for each in prose)}
    return told | (texts & texts_of(calls))


def _read(word: str) -> Any:
    """A word without the marks around it; as a number if it is one."""
    bare = word.strip(_MARKS)
    try:
        number = json.loads(bare)
    except (ValueError, RecursionError):
        return bare
    return number if isinstance(number, (int, float)) and not isinstance(number, bool) else bare
