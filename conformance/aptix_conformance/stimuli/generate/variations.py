"""Variations of an example that keep its form: more digits, longer texts, more items, the same item in another case.

What is expensive or unexpected is found without knowing the language of a text: `ones(3,3)` becomes
`ones(100000,100000)`, the cells of a table that are numbers become `NaN`, and `--lines 3` becomes `--l 3`. The caller keeps
those that the schema allows.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from aptix_conformance.stimuli.generate.schema_members import ELEMENT

_DEEP: Final = 600
"""Levels of nesting: JSON parsers take them, code that calls itself for each level may not."""

_LENGTH: Final = 10_000
"""Characters of a lengthened text."""
_ITEMS: Final = 1_000
_DIGITS: Final = re.compile(r"\d+")
_GROWN: Final = "100000"
_NUMBER: Final = re.compile(
    r"\d+(?:[-/.:]\d+){2,}|\d+:\d+"  # a date, a version, an address or a time: no group
    r"|(?<![\w.])(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
)
"""A number in a text is the group; digits that belong to a word, such as `q1`, are none."""
_NOT_A_NUMBER: Final = "NaN"
"""A number to `float`, `Decimal` and Python's JSON parser, and to no other value equal."""
_INFINITE: Final = "1e999"
"""A number of JSON, which `float` reads as infinity."""
_OPTION: Final = re.compile(r"(?<!\S)--?[A-Za-z][\w-]*")
_LONG_OPTION: Final = re.compile(r"(?<!\S)(--[A-Za-z])[\w-]+")
_BRACKETS: Final = ("()", "[]", "{}")
_LEVELS: Final = 6

_PLACEHOLDERS: Final = (
    (
        re.compile(r"(\{\s*\w+)(\s*\})"),
        {"member": r"\1.x.y\2", "item": r"\1[x]\2", "format": r"\1:x\2", "width": r"\1:1000000000\2"},
    ),
    (re.compile(r"(%\(\w+\))s()"), {"conversion": r"\1d"}),
    (re.compile(r"(\$\{?)(\w+)\}?"), {"open": r"${\2"}),
)
"""Placeholders of a template, as `{name}`, `{{ name }}`, `%(name)s` and `${name}`; what its engine may make of each."""

Place = tuple[str | int, ...]
"""The names and indices that lead to a value in a document."""


def variations(document: Mapping[str, Any]) -> Iterator[tuple[Place, str, dict[str, Any]]]:
    """(place, what was done, the whole document) for each variation of one value in a document."""
    for place, value in _values(document, ()):
        for what, varied in _varied(value):
            yield place, what, with_value(document, place, varied)


def nested(outer: Any, inner: tuple[str, ...], levels: int) -> Any:
    """A value with itself at a path inside of it (`*` is the first element), again and again, `levels` deep in all."""
    value = outer
    for _ in range(max(levels // max(len(inner), 1), 1)):
        value = _replaced(outer, inner, value)
    return value


def _values(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    if len(place) > _LEVELS:
        return
    if place:
        yield place, value
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _values(item, (*place, name))
    elif isinstance(value, list):
        for index, item in enumerate(value[:3]):
            yield from _values(item, (*place, index))


def _varied(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, str):
        yield from _texts(value)
    elif isinstance(value, list) and value:
        yield "more-items", value * math.ceil(_ITEMS / len(value))
        yield "repeated-item", [*value, value[0]]
        other = _in_other_case(value[0])
        if other != value[0]:
            yield "other-case", [*value, other]
        if all(isinstance(item, (int, float)) and not isinstance(item, bool) for item in value):
            yield "zero-sum", [value[0] or 1, -(value[0] or 1)]
            yield "zeros", [0] * max(len(value), 2)
    elif isinstance(value, Mapping) and value:
        name = next(iter(value))
        if name.swapcase() != name:
            yield "other-case", {**value, name.swapcase(): value[name]}


def _texts(value: str) -> Iterator[tuple[str, str]]:
    grown = _DIGITS.sub(_GROWN, value)
    if grown != value:
        yield "more-digits", grown
    yield from _numbers(value)
    yield from _options(value)
    yield from _letters(value)
    for pattern, wanted in _PLACEHOLDERS:
        for what, written in wanted.items() if pattern.search(value) else ():
            yield f"placeholder-{what}", pattern.sub(written, value, count=1)
    if value:
        yield "longer", value * math.ceil(_LENGTH / len(value))
    for opening, closing in _BRACKETS:
        start, end = value.find(opening), value.rfind(closing)
        if 0 <= start < end:
            yield "in-brackets", opening * _DEEP + value + closing * _DEEP
            yield "nested", value[: start + 1] * _DEEP + value[start + 1 : end] + value[end:] * _DEEP
            return


def _numbers(value: str) -> Iterator[tuple[str, str]]:
    """`NaN` for each number, and infinity for the last: what stands before it may be a number that is checked first."""
    found = [match for match in _NUMBER.finditer(value) if match[1]]
    if found:
        yield "nan-for-numbers", _NUMBER.sub(lambda match: _NOT_A_NUMBER if match[1] else match[0], value)
        yield "infinity-for-number", value[: found[-1].start()] + _INFINITE + value[found[-1].end() :]


def _options(value: str) -> Iterator[tuple[str, str]]:
    """A command line with an abbreviation that may stand for several options, and with an option that lacks its value."""
    shortened = _LONG_OPTION.sub(r"\1", value, count=1)
    if shortened != value:
        yield "abbreviated-option", shortened
    for option in list(_OPTION.finditer(value))[-1:]:
        if option.end() < len(value):
            yield "option-without-value", value[: option.end()]


def _letters(value: str) -> Iterator[tuple[str, str]]:
    """The first and the last letter alone: a search finds more by them than by the whole."""
    letters = [character for character in value if character.isalpha()]
    if len(value) > 1 and letters:
        yield "first-letter", letters[0]
        if letters[-1] != letters[0]:
            yield "last-letter", letters[-1]


def _in_other_case(item: Any) -> Any:
    if isinstance(item, str):
        return item.swapcase()
    if isinstance(item, Mapping):
        return {name: _in_other_case(part) if isinstance(part, str) else part for name, part in item.items()}
    return item


def with_value(document: Any, place: Place, value: Any) -> Any:
    """The document with another value at a place."""
    if not place:
        return value
    first, rest = place[0], place[1:]
    if isinstance(document, list):
        changed = list(document)
        changed[int(first)] = with_value(document[int(first)], rest, value)
        return changed
    return {**document, first: with_value(document[first], rest, value)}


def _replaced(outer: Any, inner: tuple[str, ...], value: Any) -> Any:
    """A value with another one at a path inside of it; what is missing on the way is made."""
    if not inner:
        return value
    name, rest = inner[0], inner[1:]
    if name == ELEMENT and not isinstance(outer, Mapping):
        items = outer if isinstance(outer, list) else []
        return [_replaced(items[0] if items else None, rest, value), *items[1:]]
    members = outer if isinstance(outer, Mapping) else {}
    return {**members, name: _replaced(members.get(name), rest, value)}
