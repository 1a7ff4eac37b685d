"""Values at the edge of what one property allows, and those that it names, each with a word for it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from aptix_conformance.core.schemas.nodes import integer_bounds
from aptix_conformance.stimuli.generate import numbers, text
from aptix_conformance.stimuli.generate.construct import Constructor
from aptix_conformance.stimuli.generate.named import named_values
from aptix_conformance.stimuli.generate.schema_strategy import MAX_ITEMS
from aptix_conformance.stimuli.generate.simplest_value import UnconstructibleError

MAX_VALUES: Final = 100
"""How many values of one enumeration are sent each by itself."""

NAMED: Final = "named-"
"""What the word for a value begins with that the schema names without listing it."""

_LENGTHS: Final = ("minLength", "maxLength")


def boundary_values(constructor: Constructor, node: Any) -> Iterator[tuple[str, Any]]:
    """The values, not yet judged: the caller keeps those that the whole schema allows."""
    for alternative in constructor.reader.alternatives(node):
        if alternative.values is not None:
            for index, value in enumerate(alternative.values[:MAX_VALUES], start=1):
                yield f"enum-{index}", value
            continue
        for kind in alternative.types:
            if kind == "array":
                yield from _arrays(constructor, alternative.keywords)
            elif kind in _SCALARS:
                yield from _SCALARS[kind](alternative.keywords)
            else:
                yield from _LISTED.get(kind, ())
        for index, value in enumerate(named_values(alternative.keywords, alternative.types), start=1):
            yield f"{NAMED}{index}", value


def _strings(keywords: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "empty", ""
    yield "blank", " "
    if "pattern" in keywords or "format" in keywords:
        return  # the lengths alone would not make a string of the right form
    for keyword in _LENGTHS:
        if keyword in keywords and int(keywords[keyword]) <= text.MAX_LENGTH:
            yield keyword, "x" * int(keywords[keyword])
    low, high = int(keywords.get("minLength", 0)), int(keywords.get("maxLength", text.MAX_LENGTH))
    if low <= min(high, text.MAX_LENGTH):
        for index, value in enumerate(text.astral(low, high), start=1):
            yield f"astral-{index}", value


def _integers(keywords: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    low, high = integer_bounds(keywords)
    if low is not None:
        yield "minimum", low
    if high is not None:
        yield "maximum", high
    # JSON has one kind of number: 1.0 is an integer to a schema, and a trap to many parsers.
    whole = next((value for value in (1, low, high) if value is not None and _within(value, low, high)), None)
    if whole is not None and abs(whole) < 2**53:
        yield "integral-float", float(whole)
    yield from (("zero", 0), ("negative", -1))
    yield from (("int32", 2**31), ("int53", 2**53 + 1), ("int64", 2**63), ("huge", 10**30))


def _numbers(keywords: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    low, high = numbers.number_bounds(keywords)
    if low is not None:
        yield "minimum", low
    if high is not None:
        yield "maximum", high
    yield from (("zero", 0), ("negative", -1), ("fraction", 0.5), ("negative-zero", -0.0))
    yield from (("int64", 2**63), ("largest", 1.7976931348623157e308), ("smallest", 5e-324))


def _arrays(constructor: Constructor, keywords: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "empty-array", []
    try:
        item = constructor.value(keywords.get("items", True), full=True)
    except UnconstructibleError:
        return
    yield "one-item", [item]
    for keyword in ("minItems", "maxItems"):
        if keyword in keywords and int(keywords[keyword]) <= MAX_ITEMS:
            yield keyword, [item] * int(keywords[keyword])


def _within(value: int, low: int | None, high: int | None) -> bool:
    return (low is None or low <= value) and (high is None or value <= high)


_SCALARS: Final[Mapping[str, Callable[[Mapping[str, Any]], Iterator[tuple[str, Any]]]]] = {
    "string": _strings,
    "integer": _integers,
    "number": _numbers,
}
_LISTED: Final[Mapping[str, tuple[tuple[str, Any], ...]]] = {
    "boolean": (("true", True), ("false", False)),
    "null": (("null", None),),
    "object": (("empty-object", {}),),
}
