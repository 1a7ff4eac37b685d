"""Alternatives that can be merged into one schema, and alternatives that exclude each other."""

from collections.abc import Mapping
from typing import Any

from aptix_conformance.core.schemas.diff.merging import without_repeats
from aptix_conformance.core.schemas.keywords import IN_PLACE, all_in, looked_at
from aptix_conformance.core.schemas.nodes import type_of, types_of

Branches = list[dict[str, Any] | bool]


def union(branches: Branches) -> dict[str, Any] | None:
    """Alternatives as one schema: lists of values, or keywords that each look at a type that no other allows."""
    schemas = [branch for branch in branches if isinstance(branch, dict)]
    if len(schemas) < len(branches) or any(key in schema for schema in schemas for key in IN_PLACE):
        return None
    lists = [_listed(schema) for schema in schemas]
    if all(values is not None for values in lists):
        every = [value for values in lists for value in values or ()]
        unique = without_repeats(every)
        return {"enum": unique} if len(unique) == len(every) else None
    covered: set[str] = set()
    result: dict[str, Any] = {"type": []}
    for schema in schemas:
        types = schema.get("type")
        if types is None or "enum" in schema:
            return None
        spread = {"number" if name == "integer" else name for name in types}
        if spread & covered:
            return None
        covered |= spread
        own = {
            key: value for key, value in schema.items() if key != "type" and looked_at(key, frozenset(types))
        }
        result |= own
        result["type"] = sorted([*result["type"], *types])
    return result


def are_disjoint(branches: Branches) -> bool:
    """Whether the branches are objects with a common required member whose listed values differ in each branch."""
    schemas = [branch for branch in branches if isinstance(branch, dict) and branch.get("type") == ["object"]]
    if len(schemas) < len(branches):
        return False
    shared = set.intersection(*(set(schema.get("required", ())) for schema in schemas))
    return any(_tells_apart(name, schemas) for name in shared)


def _listed(schema: Mapping[str, Any]) -> list[Any] | None:
    """The values of a schema that lists them; None for any other."""
    if schema.keys() <= {"type", "enum"} and "enum" in schema:
        types = frozenset(schema.get("type") or types_of(schema))
        return [value for value in schema["enum"] if all_in(frozenset({type_of(value)}), types)]
    return [None] if schema.get("type") == ["null"] and "enum" not in schema else None


def _tells_apart(name: str, schemas: list[dict[str, Any]]) -> bool:
    values: list[Any] = []
    for schema in schemas:
        member = schema.get("properties", {}).get(name)
        if not isinstance(member, Mapping) or not member.keys() & {"const", "enum"}:
            return False
        values += without_repeats([member["const"]] if "const" in member else member["enum"])
    return len(without_repeats(values)) == len(values)
