"""Python source text: literals, calls, imports. All that comes from outside enters by `literal` or is checked by `dotted`."""

import keyword
import math
import re
from collections.abc import Iterable, Mapping
from typing import Final

from aptix_conformance.core.errors import ReportError
from aptix_conformance.core.text import printable

WIDTH: Final = 88
"""Columns of a line, as ruff formats by default."""
_LONGEST: Final = 4_000
"""Characters of one literal; nobody reads a longer one in a test."""
INDENT: Final = "    "

_RUN: Final = re.compile(r"(.{1,8}?)\1{30,}", re.DOTALL)
"""A short text many times over."""


def literal(value: object) -> str:
    """A JSON value as a Python literal; a text that repeats itself as a product.

    Raises:
        ReportError: it is too long for a test that people read, or a number that Python cannot write.
    """
    return short_enough(_literal(value))


def short_enough(text: str) -> str:
    """The text of a literal, unchanged.

    Raises:
        ReportError: it is too long for a test that people read.
    """
    if len(text) > _LONGEST:
        raise ReportError(f"a value of the call has {len(text):,} characters, too many for a test to read")
    return text


def finite(value: object) -> object:
    """A JSON value, unchanged.

    Raises:
        ReportError: it is NaN or an infinity, which no literal has.
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise ReportError("a value of the call is not a finite number")
    return value


def _literal(value: object) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(str(key))}: {_literal(inner)}" for key, inner in value.items()) + "}"
    return repr(finite(value))


def runs_of(value: str) -> list[tuple[str, int]]:
    """A text as parts, each with the number of times it is repeated: a repeated part is kept once."""
    parts, end = [], 0
    for match in _RUN.finditer(value):
        unit = match.group(1)
        parts += [(value[end : match.start()], 1), (unit, len(match.group()) // len(unit))]
        end = match.end()
    return [part for part in [*parts, (value[end:], 1)] if part[0]] or [("", 1)]


def _text(value: str) -> str:
    return " + ".join(
        _quoted(part) if times == 1 else f"{_quoted(part)} * {times:_}" for part, times in runs_of(value)
    )


def _quoted(value: str) -> str:
    """A text in the quotes that need fewer escapes, double ones where both are alike."""
    body = "".join(_escaped(character) for character in value)
    if value.count('"') > value.count("'"):
        return "'" + body.replace("'", "\\'") + "'"
    return '"' + body.replace('"', '\\"') + '"'


def _escaped(character: str) -> str:
    if character == "\\":
        return "\\\\"
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


def sentence(text: str) -> str:
    """One line of a docstring."""
    return printable(text, 300).replace("\\", "\\\\").replace('"', "'")


def dotted(name: str) -> str:
    """A dotted name, unchanged.

    Raises:
        ReportError: it is none that can be written in Python.
    """
    if all(part.isidentifier() and not keyword.iskeyword(part) for part in name.split(".")):
        return name
    raise ReportError(f"a test cannot import {printable(name, 100)!r}: it is not a name in Python")


def invocation(function: str, arguments: Iterable[str], indent: str = "", before: str = "") -> str:
    """`before` and a call, on one line where it fits, else with an argument a line."""
    words = list(arguments)
    line = f"{indent}{before}{function}({', '.join(words)})"
    if len(line) <= WIDTH or not words:
        return line
    inner = "".join(f"{indent}{INDENT}{argument},\n" for argument in words)
    return f"{indent}{before}{function}(\n{inner}{indent})"


def imported(module: str, names: Iterable[str]) -> str:
    """An import of names from a module."""
    known = sorted(set(names))
    line = f"from {module} import {', '.join(known)}"
    if len(line) <= WIDTH:
        return line
    return f"from {module} import (\n" + "".join(f"{INDENT}{name},\n" for name in known) + ")"
