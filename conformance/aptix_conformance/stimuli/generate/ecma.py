r"""Differences between ECMA 262's regular expressions and other dialects.

JSON Schema's patterns are ECMA 262's. There `.` matches no line end, and U+000D, U+2028 and U+2029 are line ends, too;
in jsonschema-rs, Python and Rust only the line feed is one. The dialect of a tool is not known, so texts with these
characters are ambiguous if a pattern has a bare dot. Python's `re` supports neither `\p{..}` nor `\u{..}`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

from aptix_conformance.stimuli.generate.alphabet import ALPHABET, having

LINE_ENDS: Final = frozenset("\r\u2028\u2029")
"""Characters that a bare dot matches in some dialects only."""

_TOKEN: Final = re.compile(r"\\u\{([0-9A-Fa-f]{1,6})\}|\\([pP])\{([^{}]*)\}|\\.|.", re.DOTALL)
_PART: Final = re.compile(
    r"\\k<(?P<back>[^>]*)>|\\.|\[\^?\]|\[(?:\\.|[^\]\\])*\]|(?P<group>\((?:\?<(?P<name>[\w$]+)>|(?!\?)))|.",
    re.DOTALL,
)
"""A part of a pattern: what refers back to a group by its name, an escape, a class, the beginning of a group, a character."""
_CLASSES: Final = {"[^]": r"[\s\S]", "[]": "(?!)"}
"""The class of every character and that of none."""
_NO_LINE_END: Final = r"[^\n\r\u2028\u2029]"
_SURROGATES: Final = range(0xD800, 0xE000)


def has_bare_dot(pattern: str) -> bool:
    """Whether a pattern contains a `.` that matches any character."""
    return any(found.group() == "." and not inside for found, inside in _tokens(pattern))


def some_bare_dot(schema: Any) -> bool:
    """Whether one of the patterns in a schema has a bare dot; what only looks like a pattern counts, too."""
    for node in _nodes(schema):
        if isinstance(node, Mapping):
            by_name = node.get("patternProperties")
            patterns = [node.get("pattern"), *(by_name if isinstance(by_name, Mapping) else ())]
            if any(isinstance(pattern, str) and has_bare_dot(pattern) for pattern in patterns):
                return True
    return False


def has_line_end(value: Any) -> bool:
    """Whether one of `LINE_ENDS` is in a text or a name of a JSON value."""
    return any(isinstance(node, str) and not LINE_ENDS.isdisjoint(node) for node in _nodes(value))


def for_python(pattern: str) -> str | None:
    """A pattern as Python's `re` can read it, properties held to `ALPHABET`: to make texts by, not to judge them.

    None where it has a property that is not known here, or no character.
    """
    parts = [_written(found, inside=inside) for found, inside in _tokens(pattern)]
    return None if None in parts else "".join(part for part in parts if part is not None)


def for_validator(schema: Any) -> Any:
    r"""A schema whose patterns are written so that jsonschema-rs reads them: `[^]`, `[]` and `\k<name>` it does not."""
    if isinstance(schema, Mapping):
        written = {key: for_validator(value) for key, value in schema.items()}
        if isinstance(written.get("pattern"), str):
            written["pattern"] = _for_validator(written["pattern"])
        if isinstance(by_name := written.get("patternProperties"), dict):
            written["patternProperties"] = {_for_validator(name): part for name, part in by_name.items()}
        return written
    return [for_validator(item) for item in schema] if isinstance(schema, list) else schema


def _for_validator(pattern: str) -> str:
    if not any(odd in pattern for odd in ("[^]", "[]", "\\k<")):
        return pattern
    parts = list(_PART.finditer(pattern))
    groups = [found["name"] for found in parts if found["group"]]

    def written(found: re.Match[str]) -> str:
        if found["back"] is not None and found["back"] in groups:
            return rf"(?:\{groups.index(found['back']) + 1})"
        return _CLASSES.get(found.group(), found.group())

    return "".join(map(written, parts))


def _tokens(pattern: str) -> Iterator[tuple[re.Match[str], bool]]:
    """The characters and escapes of a pattern, each with whether it is inside of a class."""
    inside = False
    for found in _TOKEN.finditer(pattern):
        if found.group() == "]":
            inside = False
        yield found, inside
        if found.group() == "[":
            inside = True


def _written(found: re.Match[str], *, inside: bool) -> str | None:
    code, sense, said = found.groups()
    if code is not None:
        number = int(code, 16)
        return None if number in _SURROGATES or number > ord(ALPHABET[-1]) else re.escape(chr(number))
    if sense is None:
        return _NO_LINE_END if found.group() == "." and not inside else found.group()
    known = having(said)
    if known is None:
        return None
    members = known if sense == "p" else [char for char in ALPHABET if char not in known]
    return (_ranges(members) if inside else f"[{_ranges(members)}]") if members else None


def _ranges(members: Iterable[str]) -> str:
    """Characters, in the order of their code points, as the text between the brackets of a class."""
    codes = [ord(char) for char in members]
    ends = [(one, other) for one, other in pairwise(codes) if other != one + 1]
    firsts, lasts = [codes[0], *(other for _, other in ends)], [*(one for one, _ in ends), codes[-1]]
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in zip(firsts, lasts, strict=True))


def _nodes(value: Any) -> Iterator[Any]:
    """A JSON value, all that is in it, and the names of its members."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Mapping):
            waiting += [*node, *node.values()]
        elif isinstance(node, (list, tuple)):
            waiting += node
