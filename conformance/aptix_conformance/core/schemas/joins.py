"""How two schemas for one value join, keyword by keyword."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from aptix_conformance.core.schemas.canonical import canonical
from aptix_conformance.core.schemas.nodes import same


def both(left: Any, right: Any) -> Any:
    """The conjunction of two schemas, which may be boolean; flat, however many are joined one after the other."""
    if left is True or left == {} or same(left, right):
        return right
    if right is True or right == {}:
        return left
    if left is False or right is False:
        return False
    return {"allOf": [*_branches(left), *_branches(right)]}


def joined_properties(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, Any]:
    """The properties of both schemas; one that a single side names must meet the other's `additionalProperties`."""
    ours, theirs = left.get("properties", {}), right.get("properties", {})
    return {
        name: both(ours.get(name, _others(left)), theirs.get(name, _others(right)))
        for name in dict.fromkeys([*ours, *theirs])
    }


def _branches(node: Any) -> list[Any]:
    """The schemas in `allOf` of a node that has nothing else; else the node itself."""
    branches = node.get("allOf") if isinstance(node, Mapping) and len(node) == 1 else None
    return branches if isinstance(branches, list) else [node]


def _others(side: Mapping[str, Any]) -> Any:
    return True if "patternProperties" in side else side.get("additionalProperties", True)


def _types(left: Any, right: Any) -> list[str]:
    one, other = ([types] if isinstance(types, str) else types for types in (left, right))
    shared = [name for name in one if name in other]
    is_whole = ("integer" in one and "number" in other) or ("number" in one and "integer" in other)
    if is_whole and not {"integer", "number"} & set(shared):
        shared.append("integer")
    return shared


def _values(left: list[Any], right: list[Any]) -> list[Any]:
    known = {canonical(value) for value in right}
    return [value for value in left if canonical(value) in known]


JOINS: Final[Mapping[str, Callable[[Any, Any], Any]]] = MappingProxyType(
    {
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
        "uniqueItems": lambda left, right: left or right,
    }
)
"""The value of a keyword that allows exactly what its values in two schemas both allow."""
