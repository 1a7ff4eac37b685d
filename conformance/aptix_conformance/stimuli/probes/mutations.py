"""Mutations of valid documents: texts that are not a JSON object.

A mutation is a few edits, each an operation at a place. One short byte string encodes all of them: it is a single
choice for Hypothesis, and five choices for each edit would be three times as slow. Smaller bytes mean fewer and simpler
edits, so it shrinks towards the shortest document without its end. The string has a fixed length, because Hypothesis
prefers short strings and would draw most of them twice.
"""

import math
from collections.abc import Sequence
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from aptix_conformance.stimuli.generate import is_json_object

CHUNKS: Final = (
    "", ",", ":", '"', "{", "}", "[", "]", "\\", "'", " ", "0", "-", ".", "e", "null", "true", "\n", "\x00", "\\u", "\ud800",
    "//", "/*", "*/", "#", "NaN", "Infinity", "\ufeff", "}}", "{}", "[]", '""', ',"a":1', "}{", '":"', "<", "é", "😀", "\x1f",
)  # fmt: skip
"""Texts to insert: characters with a meaning in JSON, and some that JSON does not allow."""

_EDIT: Final = 5
"""Bytes of an edit: operation (1), place (2), length (1), chunk (1)."""
_HEAD: Final = 2
"""Bytes before the edits: number of edits (1), document (1)."""
_MAX_EDITS: Final = 3
_SIZE: Final = _HEAD + _MAX_EDITS * _EDIT
_BYTES: Final = 1 << 8
_PLACES: Final = 1 << 16
_LENGTHS: Final = 9


def mutated(documents: Sequence[str]) -> SearchStrategy[str]:
    """Texts made from documents by up to three edits; no text is a JSON object."""
    return st.binary(min_size=_SIZE, max_size=_SIZE).map(lambda choices: mutate(documents, choices))


def mutate(documents: Sequence[str], choices: bytes) -> str:
    """A document after the edits; its end is cut off if it would still be an object."""
    choices = choices.ljust(_SIZE, b"\0")
    text = documents[choices[1] % len(documents)]
    edits = math.ceil(choices[0] * _MAX_EDITS / _BYTES)
    for start in range(_HEAD, _HEAD + edits * _EDIT, _EDIT):
        operation, high, low, length, chunk = choices[start : start + _EDIT]
        at = (high << 8 | low) * (len(text) + 1) // _PLACES
        edit = _OPERATIONS[operation % len(_OPERATIONS)]
        text = edit(text, at, length % _LENGTHS, CHUNKS[chunk % len(CHUNKS)])
    # No draw is discarded: an object without its last brace is not an object.
    while is_json_object(text):
        text = text.rstrip()[:-1]
    return text


def _cut(text: str, at: int, _length: int, _chunk: str) -> str:
    return text[:at]


def _insert(text: str, at: int, _length: int, chunk: str) -> str:
    return text[:at] + chunk + text[at:]


def _delete(text: str, at: int, length: int, _chunk: str) -> str:
    return text[:at] + text[at + length + 1 :]


def _replace(text: str, at: int, length: int, chunk: str) -> str:
    return text[:at] + chunk + text[at + length + 1 :]


def _repeat(text: str, at: int, length: int, _chunk: str) -> str:
    return text[: at + length + 1] + text[at:]


def _swap(text: str, at: int, length: int, _chunk: str) -> str:
    middle, end = at + length + 1, at + 2 * (length + 1)
    return text[:at] + text[middle:end] + text[at:middle] + text[end:]


def _splice(text: str, at: int, length: int, _chunk: str) -> str:
    return text[:at] + text[len(text) * length // _LENGTHS :]


_OPERATIONS: Final = (_cut, _delete, _insert, _replace, _repeat, _swap, _splice)
