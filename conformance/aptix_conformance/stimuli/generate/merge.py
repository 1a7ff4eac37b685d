"""Merges two sets of JSON Schema keywords into one.

The result allows at least what both allow; where a keyword has no exact merger (two patterns, two fractional
`multipleOf`), one is kept and the judge discards what is not allowed.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from aptix_conformance.core.schemas.joins import JOINS, both, joined_properties
from aptix_conformance.core.schemas.nodes import same


def merge(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, Any] | None:
    """The keywords of both; None if no value can satisfy both."""
    if not right:
        return dict(left)
    if not left:
        return dict(right)
    merged = {**right, **left}
    for keyword in left.keys() & right.keys() & _MERGERS.keys():
        merged[keyword] = _MERGERS[keyword](left[keyword], right[keyword])
    if "properties" in merged or "additionalProperties" in merged:
        merged["properties"] = joined_properties(left, right)
    constants = [side["const"] for side in (left, right) if "const" in side]
    if _is_empty(merged) or (len(constants) == 2 and not same(*constants)):  # noqa: PLR2004 - one a side
        return None
    return merged


def _is_empty(merged: Mapping[str, Any]) -> bool:
    if merged.get("type") == [] or merged.get("enum") == []:
        return True
    if "const" in merged and "enum" in merged:
        return not any(same(merged["const"], value) for value in merged["enum"])
    return any(merged.get("properties", {}).get(name) is False for name in merged.get("required", ()))


def _multiple(left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        return math.lcm(left, right)
    return max(left, right)


def _prefix(left: list[Any], right: list[Any]) -> list[Any]:
    shorter, longer = sorted((left, right), key=len)
    return [*map(both, shorter, longer), *longer[len(shorter) :]]


_MERGERS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    **JOINS,
    "multipleOf": _multiple,
    "items": both,
    "additionalProperties": both,
    "prefixItems": _prefix,
}
