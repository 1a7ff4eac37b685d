"""Values that a schema allows and careless code does not expect, each with a word for what it is.

They are the same in every run: what one of them breaks is found whatever is drawn. The caller keeps those that the whole
schema allows.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from aptix_conformance.stimuli.generate.patterns import matches_unreadable
from aptix_conformance.stimuli.generate.reader import Alternative
from aptix_conformance.stimuli.generate.variations import Place, with_value

MEGABYTE: Final = 1024 * 1024
MANY: Final = 10_000
"""Items of a long array, members of a large object."""
LARGEST: Final = MEGABYTE
"""Characters of JSON that a long array may have."""

SHELL_MARK: Final = "aptix42"
"""What a shell makes of each of `SHELL_TEXTS`, and none of them holds."""
_ECHOED: Final = "$(echo aptix$((6*7)))"
_COMMAND: Final = ";echo aptix`expr 6 \\* 7` #"
SHELL_TEXTS: Final[Mapping[str, str]] = {
    "substitution": f"{_ECHOED}'{_ECHOED}'",
    "command": f"{_COMMAND}\"{_COMMAND}'{_COMMAND}",
}
"""Each is evaluated without quotes, between double ones and between single ones. The first becomes a part of the command's
arguments, and the second, which has no dollar, a command of its own whose output is the command's."""

TEXTS: Final[Mapping[str, str]] = {
    "nul": "a\x00b",
    "controls": "\x01\x08\x1b[31m\x7f",
    "line-ends": "a\r\nb",
    "home": "~aptix-nobody",
    "parent": "../",
    "environment": "/proc/self/environ",
    "environment-from-below": "../" * 16 + "proc/self/environ",
    "long-name": "n" * 300,
    "apostrophe": "O'Brien",
    "quotes": 'a "b" c',
    "semicolon": "a; b",
    "percent": "50%",
    "conversions": "%s %(x)d",
    "option": "--help",
    "substitution": SHELL_TEXTS["substitution"],
    "command": SHELL_TEXTS["command"],
    "braces": "{0}",
    "open-brace": "a { b",
    "backslash": "a\\",
    "brackets": "[(*",
    "right-to-left": "\u202eabc\u200f",
    "superscript": "\u00b2",
    "dotted-capital": "\u0130stanbul",
    "inherited-member": "constructor",
    "not-a-number": "nan",
    "overflowing": "1e999",
    "two-units-each": "\U0001f600" * 90,
    "one-unit-first": "a" + "\U0001f600" * 90,
    "nested-brackets": "[" * 600 + "]" * 600,
    "repeated-letters": "a" * 60 + "!",
    "repeated-digits": "1" * 60 + "!",
    "repeated-words": "a1 " * 20 + "!",
    "repeated-spaces": "a" + " " * 60 + "!",
    "directory": ".",
    "member-in-braces": "{0.x[y]}",
}
"""Each breaks one kind of careless code: paths, SQL, formats, templates, patterns, shells, command lines, headers, conversions.

`superscript` is a digit to `str.isdigit` and no number to `int`; `dotted-capital` grows when it is lowered. A pattern of the
tool's own that backtracks does not finish on what repeats itself and ends otherwise; a text that is cut by the units of
UTF-16, at whatever place, is cut within one of the two texts of wide characters. A tool that opens whatever file it is
told shows the environment of its process, where the suite's fake secrets are. What reads a text as JSON reads `nested-brackets`, and may call itself for each level.
"""

LONG: Final[Mapping[str, str]] = {"megabyte": "x" * MEGABYTE}
"""What costs time to send."""

QUOTING: Final = frozenset({"apostrophe", "quotes", "substitution", "command"})
"""The texts with a quotation mark of either kind."""

TOGETHER: Final[Mapping[str, str]] = {
    "quoting": "~'\"; 50% %(x)d $(x) {0} [(* \\",
    "control-characters": "a\x00\r\n\x1b\u202eb",
    "long-name": TEXTS["long-name"],
}
"""Several of `TEXTS` in one, for calls with each listed value."""

SURROGATE: Final = "a\ud800b"
"""Half of a character. JSON writes it as an escape; UTF-8 has no form of it."""

SUBJECT: Final = "a" * 40
"""A text on which a backtracking engine does not finish the pattern that takes for ever."""

NESTED_JSON: Final[Mapping[str, str]] = {
    "json-array-nested": "[" * 100_000 + "]" * 100_000,
    "json-object-nested": '{"a": ' * 600 + "1" + "}" * 600,
}
"""Documents in a text: a parser does not take the first one, and code that calls itself for each level not the second."""

_INTEGERS: Final[Mapping[str, int]] = {
    "int32-maximum": 2**31 - 1,
    "int32-minimum": -(2**31),
    "above-int32": 2**31,
    "below-int32": -(2**31) - 1,
    "int53-maximum": 2**53 - 1,
    "above-int53": 2**53 + 1,
    "int64-maximum": 2**63 - 1,
    "int64-minimum": -(2**63),
    "above-int64": 2**63,
    "below-int64": -(2**63) - 1,
}
LARGEST_NUMBER: Final = 1e308
_FLOATS: Final[Mapping[str, float]] = {
    "1e308": LARGEST_NUMBER,
    "-1e308": -LARGEST_NUMBER,
    "negative-zero": -0.0,
}

LARGE_NUMBERS: Final = (LARGEST_NUMBER, LARGEST_NUMBER, LARGEST_NUMBER)
"""For an array: none of them is too large, and their sum is."""


def texts_for(shape: Alternative) -> bool:
    """Whether a shape takes texts other than listed ones."""
    return "string" in shape.types and shape.values is None


def takes_half(shape: Alternative) -> bool:
    """Whether a shape takes `SURROGATE` as far as its pattern is concerned; a format is an annotation."""
    return texts_for(shape) and matches_unreadable(str(shape.keywords.get("pattern", "")), SURROGATE)


def numbers_for(shape: Alternative) -> Iterator[tuple[str, float]]:
    """The numbers at the bounds of common machine types that a shape's type allows, each with its name."""
    if shape.values is not None:
        return
    if {"integer", "number"} & set(shape.types):
        yield from _INTEGERS.items()
    if takes_large(shape):
        yield from _FLOATS.items()


def takes_large(shape: Alternative) -> bool:
    """Whether a shape takes fractions, and so 1e308 as far as its type is concerned."""
    return "number" in shape.types and shape.values is None


def is_open(shape: Alternative) -> bool:
    """Whether an object is meant to have members that the schema does not name."""
    other = shape.keywords.get("additionalProperties", "properties" not in shape.keywords)
    return other is not False


def many_items(item: Any, most: int) -> list[Any]:
    """An array that has one item up to `MANY` times."""
    return [item] * _fitting(item, most)


def many_distinct(item: Any, listed: Sequence[Any], most: int) -> Iterator[list[Any]]:
    """Arrays of up to `MANY` items that differ: of all values where these are listed, else each varies one text or number.

    The caller takes the first that its schema allows. There is none for an item that holds neither text nor number.
    """
    if listed:
        yield list(listed)[:most]
        return
    numbers = range(_fitting(item, most))
    for place, value in _scalars(item, ()):
        yield [
            with_value(item, place, f"{value}{number}" if isinstance(value, str) else value + number)
            for number in numbers
        ]


def _fitting(item: Any, most: int) -> int:
    room = LARGEST // max(len(json.dumps(item)) + 2, 1)
    return max(min(MANY, most, room), 1)


def _scalars(item: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    """Each text and number within an item, with the place where it stands."""
    if isinstance(item, dict):
        for name, value in item.items():
            yield from _scalars(value, (*place, name))
    elif isinstance(item, list):
        for index, value in enumerate(item):
            yield from _scalars(value, (*place, index))
    elif isinstance(item, (str, int, float)) and not isinstance(item, bool):
        yield place, item


def many_members(value: Mapping[str, Any], item: Any) -> dict[str, Any]:
    """An object with up to `MANY` further members."""
    room = LARGEST // max(len(json.dumps(item)) + 12, 1)
    return {**value, **{f"m{number}": item for number in range(min(MANY, room))}}
