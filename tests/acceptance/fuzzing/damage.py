"""Damages a valid document: in its bytes, or, if it is JSON, in its values."""

import json
import random
from collections.abc import Callable, Sequence
from typing import Any, Final

HOSTILE: Final[tuple[Any, ...]] = (
    None,
    True,
    0,
    -1,
    1.5,
    2**63,
    10**400,
    1e308,
    float("nan"),
    float("inf"),
    "",
    " ",
    "a" * 5_000,
    "A" + " " * 20_000,
    "\x00\x1b[2J\x07",
    "\ud800",
    "\u202e\u2066evil",
    "##vso[task.setvariable variable=x]1",
    "::error::x",
    "\n::set-output name=x::1\n##[error]x",
    "../../etc/passwd",
    "(a|aa)+$",
    "(" * 500,
    "#/$defs/x",
    "aptix-conformance-report/9",
    [],
    {},
    [[]],
    {"": ""},
    {"$ref": "#"},
    {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]},
    {"type": "object", "properties": {"a": {"pattern": "(a|aa)+$", "type": "string"}}},
    {"not": {"not": {"not": {}}}},
    {"type": ["string", "nonsense"]},
    {"enum": []},
    {"minimum": "x"},
    {"multipleOf": 0},
    {"__proto__": {}, "constructor": {}},
)
"""Values that a reader may not expect at some place."""

DEEP: Final = 3_000
"""Nesting beyond Python's limit of recursion."""


def damaged(document: bytes, chance: random.Random) -> bytes:
    """A copy of the document with one to four faults. It may still be valid."""
    data = document
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 4))):
        data = chance.choice(_WAYS)(data, chance)
    return data


def _value(data: bytes, chance: random.Random) -> bytes:
    """Another value, a key that is gone, new or renamed, at some place of a JSON document; else its bytes."""
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        return _bytes(data, chance)
    box = [whole]
    places = _places(box)
    # The first places are the outer ones: a number drawn twice prefers them.
    holder, key = chance.choice(places[: 1 + chance.randrange(len(places))])
    chance.choice(_EDITS)(holder, key, chance)
    return json.dumps(box[0]).encode("ascii")


def _drop(holder: Any, key: Any, _chance: random.Random) -> None:
    del holder[key]
    if isinstance(holder, list) and not holder:
        holder.append(None)


def _add(holder: Any, key: Any, chance: random.Random) -> None:
    unknown = chance.choice(("unknown", "\x1b[1m", "\ud800", "$ref", "__class__"))
    holder[unknown if isinstance(holder, dict) else key] = chance.choice(HOSTILE)


def _multiply(holder: Any, key: Any, chance: random.Random) -> None:
    holder[key] = [holder[key]] * chance.choice((0, 1, 2, 300))


def _turn_to_text(holder: Any, key: Any, _chance: random.Random) -> None:
    holder[key] = str(holder[key])


def _replace(holder: Any, key: Any, chance: random.Random) -> None:
    holder[key] = chance.choice(HOSTILE)


def _replace_alike(holder: Any, key: Any, chance: random.Random) -> None:
    """A value of the same type, so that the document gets past the reader's checks."""
    alike = [value for value in HOSTILE if type(value) is type(holder[key])]
    holder[key] = chance.choice(alike or HOSTILE)


_EDITS: Final[tuple[Callable[[Any, Any, random.Random], None], ...]] = (
    _drop,
    _add,
    _multiply,
    _turn_to_text,
    _replace,
    _replace_alike,
    _replace_alike,
)


def _places(node: Any) -> Sequence[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    waiting = [node]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], (dict, list)):
                waiting.append(holder[key])
    return found


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _bytes(data: bytes, chance: random.Random) -> bytes:
    """Some bytes in the middle replaced by others, which need be no UTF-8."""
    at = chance.randrange(len(data) + 1)
    put = chance.choice(
        (b"", b"\x00", b"\xff", b"\xed\xa0\x80", b'"', b"{", b"]", b"1e999", b"NaN", b"\r", b"[[", b"= {")
    )
    return data[:at] + put + data[at + chance.randrange(20) :]


def _repeated(data: bytes, chance: random.Random) -> bytes:
    """A piece of it, twice: keys and tables that stand twice."""
    start = chance.randrange(len(data) + 1)
    end = start + chance.randrange(1, 400)
    return data[:end] + data[start:end] + data[end:]


def _deep(data: bytes, chance: random.Random) -> bytes:
    """A value that nests beyond what a recursive reader survives."""
    opened, closed = chance.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"{a=", b"}")))
    inner = b"1" if opened != b"[" else b""
    deep = opened * DEEP + inner + closed * DEEP
    at = [place for place, byte in enumerate(data) if byte in b":=[,"]
    if not at:
        return deep
    place = chance.choice(at) + 1
    return data[:place] + deep + data[place + chance.randrange(3) :]


def _other(data: bytes, chance: random.Random) -> bytes:
    """Something else altogether."""
    return chance.choice(
        (b"", b"\xef\xbb\xbf" + data, b"null", b"[]", b"\x00" * 50, data * 2, b"\x80PNG", b"#!/bin/sh\n")
    )


_WAYS: Final[tuple[Callable[[bytes, random.Random], bytes], ...]] = (
    *([_value] * 10),
    _cut,
    *([_bytes] * 3),
    *([_repeated] * 2),
    _deep,
    _other,
)
