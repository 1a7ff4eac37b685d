"""Mutations of valid documents, as texts that are no JSON object.

A mutation is a few edits, each an operation at a place. All of it is read off one short string of bytes: one
choice to Hypothesis where five for each edit would be a third as fast. Fewer bytes are fewer edits and smaller
ones simpler edits, so that it shrinks towards the shortest document with its end cut off.
"""

from collections.abc import Sequence
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from aptix_conformance.generate import is_json_object

CHUNKS: Final = (
    "", ",", ":", '"', "{", "}", "[", "]", "\\", "'", " ", "0", "-", ".", "e", "null", "true", "\n", "\x00", "\\u", "\ud800",
    "//", "/*", "*/", "#", "NaN", "Infinity", "\ufeff", "}}", "{}", "[]", '""', ',"a":1', "}{", '":"', "<", "é", "😀", "\x1f",
)  # fmt: skip
"""What is put in: characters that mean something in JSON, and some that should not be there."""

_EDIT: Final = 5
"""Bytes of an edit: operation, place in two of them, length, chunk."""
_MAX_EDITS: Final = 3
_PLACES: Final = 1 << 16
_LENGTHS: Final = 9


def mutated(documents: Sequence[str]) -> SearchStrategy[str]:
    """Texts made from some documents by up to three edits, none of which is a JSON object."""
    return st.binary(max_size=1 + _MAX_EDITS * _EDIT).map(lambda choices: mutate(documents, choices))


def mutate(documents: Sequence[str], choices: bytes) -> str:
    """One of the documents after the edits, and without its end where it would still be an object."""
    text = documents[choices[0] % len(documents)] if choices else documents[0]
    for start in range(1, len(choices), _EDIT):
        operation, high, low, length, chunk = choices[start : start + _EDIT].ljust(_EDIT, b"\0")
        at = (high << 8 | low) * (len(text) + 1) // _PLACES
        edit = _OPERATIONS[operation % len(_OPERATIONS)]
        text = edit(text, at, length % _LENGTHS, CHUNKS[chunk % len(CHUNKS)])
    # Nothing drawn is thrown away: an object whose last brace is cut off is not one.
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
