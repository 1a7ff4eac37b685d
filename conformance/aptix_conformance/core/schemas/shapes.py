"""The shape of JSON values: their keys and the types of their values.

A shape is a flat mapping from path to types, so that a diff shows one change a line:

    $                       object
    $.modes                 array
    $.modes[].id            string
    $.modes[].hints         array | null
    $.note                  absent | string

A key that is no plain word is written as JSON. All numbers are `number`. `[]` stands for all elements of an array
together. `absent` says that some objects at that path have the key and others do not.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from aptix_conformance.core.schemas.nodes import type_of

Shape = Mapping[str, str]

ROOT: Final = "$"
ABSENT: Final = "absent"
ARRAY: Final = "array"
_WORD: Final = re.compile(r"[^\W\d][\w-]*", re.ASCII)
_DEEPEST: Final = 40
_MOST: Final = 2_000
"""Paths in one shape; further ones are dropped."""


def infer(values: Iterable[Any]) -> Shape:
    """The common shape of some values; empty if there are none."""
    types: dict[str, set[str]] = {}
    for value in values:
        own: dict[str, set[str]] = {}
        _collect(value, ROOT, own, 0)
        _mark_absent(types, own)
        for place, kinds in own.items():
            types.setdefault(place, set()).update(kinds)
    return {place: " | ".join(sorted(types[place])) for place in sorted(types)[:_MOST]}


def conflict(first: Shape, second: Shape) -> str | None:
    """Where two values are of different shape, as words that follow "the payload"; None where they are of one shape.

    Null stands for anything, and so does an empty array or object. Keys may come and go in the elements of an array,
    and in an object below the root whose members are all of one type, since that may be a table.
    """
    for place in sorted({*first, *second}):
        one, other = (_kinds(shape.get(place, "")) - {"null", ABSENT} for shape in (first, second))
        if one and other and not one & other:
            return f"has {_all(one)} at {place} and then {_all(other)}"
        if bool(one) != bool(other) and (place in first) != (place in second):
            without = second if one else first
            if _is_missed(place, first, second, without):
                return f"has {place} in one answer and not in another"
    return None


def leaves(value: Any) -> Iterator[tuple[str, Any]]:
    """Every scalar in a JSON document, with its path; array elements are numbered from 0."""
    waiting = [(ROOT, value)]
    while waiting:
        here, item = waiting.pop()
        if isinstance(item, Mapping):
            waiting += [(_below(here, key), inner) for key, inner in item.items()]
        elif isinstance(item, list):
            waiting += [(f"{here}[{index}]", inner) for index, inner in enumerate(item)]
        else:
            yield here, item


def _collect(value: Any, place: str, types: dict[str, set[str]], depth: int) -> None:
    if len(types) >= _MOST:
        return
    kind = type_of(value).replace("integer", "number")
    types.setdefault(place, set()).add(kind)
    if depth >= _DEEPEST:
        return
    if kind == "object":
        for key, inner in value.items():
            _collect(inner, _below(place, key), types, depth + 1)
    elif kind == ARRAY:
        merged: dict[str, set[str]] = {}
        for inner in value:
            own: dict[str, set[str]] = {}
            _collect(inner, f"{place}[]", own, depth + 1)
            _mark_absent(merged, own)
            for under, kinds in own.items():
                merged.setdefault(under, set()).update(kinds)
        for under, kinds in merged.items():
            types.setdefault(under, set()).update(kinds)


def _mark_absent(known: dict[str, set[str]], new: dict[str, set[str]]) -> None:
    """Note the keys that only one side has, of objects that both sides have."""
    if not known:
        return
    for mine, theirs in ((known, new), (new, known)):
        for place in [place for place in mine if place not in theirs]:
            parent = _parent(place)
            if parent is not None and "object" in theirs.get(parent, ()):
                mine[place].add(ABSENT)


def _is_missed(place: str, first: Shape, second: Shape, without: Shape) -> bool:
    parent = _parent(place)
    if parent is None or "[]" in place or "object" not in _kinds(without.get(parent, "")):
        return False
    if parent == ROOT:
        return True
    children = [{p: k for p, k in shape.items() if _parent(p) == parent} for shape in (first, second)]
    kinds = {
        kind for group in children for text in group.values() for kind in _kinds(text) - {"null", ABSENT}
    }
    is_table = len(kinds) == 1 and not kinds & {"object", "array"}
    return all(children) and not is_table


def _parent(place: str) -> str | None:
    """The object that a place is a member of; None for the root and for elements."""
    match = re.fullmatch(r'(?s)(.*)\.(?:[^\W\d][\w-]*|"(?:[^"\\]|\\.)*")', place, re.ASCII)
    return match[1] if match else None


def _below(place: str, key: str) -> str:
    return f"{place}.{key if _WORD.fullmatch(key) else json.dumps(key)}"


def _kinds(text: str) -> set[str]:
    return set(text.split(" | ")) if text else set()


def _all(kinds: set[str]) -> str:
    return " or ".join(sorted(kinds))
