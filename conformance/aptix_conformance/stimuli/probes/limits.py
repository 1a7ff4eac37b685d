"""Values of the right type that a keyword forbids: outside the enumeration, the bounds or the pattern."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from aptix_conformance.core.model import Kind
from aptix_conformance.stimuli.generate.reader import Alternative
from aptix_conformance.stimuli.generate.schema_strategy import MAX_ITEMS
from aptix_conformance.stimuli.generate.text import MAX_LENGTH, fitting

Limit = tuple[Kind, str | None, bool, Any]
"""The kind of the change, a detail or None, whether the value must be refused, and the value."""

_STRANGERS: Final = ("__no_such_value__", 987654321, 0.123456789)
_UNMATCHED: Final = ("", "!", "a", "0", " ", "\u0000", "no match: \u2620", "A" * 50, "\n")


def beyond_limits(alternative: Alternative, current: Any) -> Iterator[Limit]:
    """Values just outside what an alternative allows; `current` is a value that it allows."""
    keywords = alternative.keywords
    if alternative.values is not None:
        yield from _out_of(alternative.values, Kind.CONST if "const" in keywords else Kind.ENUM)
        return
    for kind in alternative.types:
        maker = _MAKERS.get(kind)
        if maker is not None:
            yield from maker(keywords, current)


def _out_of(values: list[Any], kind: Kind) -> Iterator[Limit]:
    known = {json.dumps(value) for value in values}
    for stranger in _STRANGERS:
        same = any(_kind(stranger) is _kind(value) for value in values)
        if same and json.dumps(stranger) not in known:
            yield kind, None, True, stranger
    for value in values:
        if isinstance(value, str) and json.dumps(value.swapcase()) not in known:
            # Parsers of enumerations often ignore case on purpose.
            yield kind, "case", False, value.swapcase()
            return


def _kind(value: Any) -> type:
    return float if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value)


def _strings(keywords: Mapping[str, Any], current: Any) -> Iterator[Limit]:
    low, high = int(keywords.get("minLength", 0)), int(keywords.get("maxLength", MAX_LENGTH))
    if 0 < low <= MAX_LENGTH:
        yield Kind.LENGTH, "minLength", True, "x" * (low - 1)
    if high < MAX_LENGTH:
        yield Kind.LENGTH, "maxLength", True, "x" * (high + 1)
    if "pattern" in keywords:
        candidates = [text.ljust(low, "!")[: max(high, 0)] for text in _UNMATCHED]
        yield from ((Kind.PATTERN, None, True, text) for text in _unmatched(keywords, candidates)[:1])
        if isinstance(current, str) and low <= len(current) + 1 <= high:
            # A tool that matches only one end of a text accepts a mismatch at the other.
            for where, text in (("behind", f"{current}!"), ("before", f"!{current}")):
                yield from ((Kind.PATTERN, where, True, value) for value in _unmatched(keywords, [text]))
    if "format" in keywords:
        yield Kind.FORMAT, None, False, "not in that format"


def _unmatched(keywords: Mapping[str, Any], texts: list[str]) -> list[str]:
    matched = set(fitting({"pattern": keywords["pattern"]}, texts))
    return [text for text in texts if text not in matched]


def _numbers(keywords: Mapping[str, Any], _current: Any) -> Iterator[Limit]:
    for keyword, outwards in (("minimum", -1), ("maximum", 1)):
        if keyword in keywords:
            yield Kind.BOUNDS, keyword, True, keywords[keyword] + outwards
    for keyword in ("exclusiveMinimum", "exclusiveMaximum"):
        if keyword in keywords:
            yield Kind.BOUNDS, keyword, True, keywords[keyword]
    step = keywords.get("multipleOf")
    if step is not None:
        # The first multiple within the bounds plus half a step; an integer if possible.
        low = Fraction(str(keywords.get("minimum", keywords.get("exclusiveMinimum", 0))))
        between = (math.ceil(low / Fraction(str(step))) + Fraction(1, 2)) * Fraction(str(step))
        if "number" in _types(keywords):
            yield Kind.BOUNDS, "multipleOf", True, _plain(between)
        elif isinstance(step, int) and step > 1:
            yield Kind.BOUNDS, "multipleOf", True, math.ceil(low / step) * step + 1


def _plain(value: Fraction) -> float:
    try:
        return int(value) if value.denominator == 1 else float(value)
    except OverflowError:
        return int(value)


def _types(keywords: Mapping[str, Any]) -> list[str]:
    declared = keywords.get("type", "number")
    return [declared] if isinstance(declared, str) else list(declared)


def _arrays(keywords: Mapping[str, Any], current: Any) -> Iterator[Limit]:
    items = list(current) if isinstance(current, list) else []
    low, high = int(keywords.get("minItems", 0)), int(keywords.get("maxItems", MAX_ITEMS))
    if 0 < low <= len(items):
        yield Kind.ITEMS, "minItems", True, items[: low - 1]
    if items and high < MAX_ITEMS:
        more = [items[index % len(items)] for index in range(high + 1)]
        # If items must also be unique, the array is forbidden twice, which does no harm.
        yield Kind.ITEMS, "maxItems", True, more
    if items and keywords.get("uniqueItems") and high > 1:
        yield Kind.ITEMS, "uniqueItems", True, [items[0], *items][: max(high, 2)]


def _objects(keywords: Mapping[str, Any], current: Any) -> Iterator[Limit]:
    members = dict(current) if isinstance(current, dict) else {}
    least, most = int(keywords.get("minProperties", 0)), int(keywords.get("maxProperties", MAX_ITEMS))
    optional = [name for name in members if name not in keywords.get("required", ())]
    excess = len(members) - least + 1
    if least and 0 < excess <= len(optional):
        left_out = frozenset(optional[-excess:])
        yield Kind.ITEMS, "minProperties", True, {k: v for k, v in members.items() if k not in left_out}
    if members and most < MAX_ITEMS:
        value = next(iter(members.values()))
        more = {f"member{number}": value for number in range(most + 1)}
        yield Kind.ITEMS, "maxProperties", True, {**members, **more}


_MAKERS: Final[Mapping[str, Callable[[Mapping[str, Any], Any], Iterator[Limit]]]] = {
    "string": _strings,
    "integer": _numbers,
    "number": _numbers,
    "array": _arrays,
    "object": _objects,
}
