"""Merges two sets of JSON Schema keywords into one.

The result allows at least what both allow; where a keyword has no exact merger (two patterns, two fractional
`multipleOf`), one is kept and the judge discards what is not allowed.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from aptix_conformance.schemas.nodes import same


def merge(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, Any] | None:
    """The keywords of both; None if no value can satisfy both."""
    if not right:
        return dict(left)
    if not left:
        return dict(right)
    merged = {**right, **left}
    for keyword in left.keys() & right.keys():
        if keyword in _MERGERS:
            merged[keyword] = _MERGERS[keyword](left[keyword], right[keyword])
    if "properties" in merged or "additionalProperties" in merged:
        merged["properties"] = _properties(left, right)
    constants = [side["const"] for side in (left, right) if "const" in side]
    if _is_empty(merged) or (len(constants) == 2 and not same(*constants)):  # noqa: PLR2004 - one a side
        return None
    return merged


def both(left: Any, right: Any) -> Any:
    """The conjunction of two schemas, which may be boolean; flat, however many are joined one after the other."""
    if left is True or left in ({}, right):
        return right
    if right is True or right == {}:
        return left
    if left is False or right is False:
        return False
    return {"allOf": [*_joined(left), *_joined(right)]}


def _joined(node: Any) -> list[Any]:
    """The schemas in `allOf` of a node that has nothing else; else the node itself."""
    branches = node.get("allOf") if isinstance(node, Mapping) and len(node) == 1 else None
    return branches if isinstance(branches, list) else [node]


def _is_empty(merged: Mapping[str, Any]) -> bool:
    if merged.get("type") == [] or merged.get("enum") == []:
        return True
    if "const" in merged and "enum" in merged:
        return not any(same(merged["const"], value) for value in merged["enum"])
    return any(merged.get("properties", {}).get(name) is False for name in merged.get("required", ()))


def _types(left: Any, right: Any) -> list[str]:
    one = [left] if isinstance(left, str) else left
    other = [right] if isinstance(right, str) else right
    shared = [name for name in one if name in other]
    if "integer" not in shared and ("integer" in one or "integer" in other):
        whole = one if "integer" in one else other
        wide = other if whole is one else one
        if "number" in wide and "number" not in shared:
            shared.append("integer")
    return shared


def _values(left: list[Any], right: list[Any]) -> list[Any]:
    return [value for value in left if any(same(value, other) for other in right)]


def _multiple(left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        return math.lcm(left, right)
    return max(left, right)


def _properties(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, Any]:
    ours, theirs = left.get("properties", {}), right.get("properties", {})
    # A property that only one side names must meet the other side's additionalProperties.
    return {
        name: both(ours.get(name, _others(left)), theirs.get(name, _others(right)))
        for name in dict.fromkeys([*ours, *theirs])
    }


def _others(side: Mapping[str, Any]) -> Any:
    return True if "patternProperties" in side else side.get("additionalProperties", True)


def _prefix(left: list[Any], right: list[Any]) -> list[Any]:
    shorter, longer = sorted((left, right), key=len)
    return [*map(both, shorter, longer), *longer[len(shorter) :]]


_MERGERS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "type": _types,
    "enum": _values,
    "required": lambda left, right: list(dict.fromkeys([*left, *right])),
    "minimum": max,
    "exclusiveMinimum": max,
    "minLength": max,
    "minItems": max,
    "minProperties": max,
    "maximum": min,
    "exclusiveMaximum": min,
    "maxLength": min,
    "maxItems": min,
    "maxProperties": min,
    "multipleOf": _multiple,
    "uniqueItems": lambda left, right: left or right,
    "items": both,
    "additionalProperties": both,
    "prefixItems": _prefix,
}
