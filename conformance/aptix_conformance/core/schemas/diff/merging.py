"""The conjunction of two schemas as one schema, where that loses nothing."""

from collections.abc import Mapping
from typing import Any, Final

from aptix_conformance.core.schemas.canonical import canonical
from aptix_conformance.core.schemas.joins import JOINS, joined_properties
from aptix_conformance.core.schemas.nodes import same

Schema = Mapping[str, Any]

# Keywords whose meaning depends on each other: only one of the two schemas may have such a group.
_GROUPS: Final = (
    ("if", "then", "else"),
    ("items", "prefixItems", "unevaluatedItems"),
    ("contains", "minContains", "maxContains"),
)
_SETS: Final = frozenset({"type", "required"})
_OPEN_ENDED: Final = ("additionalProperties", "patternProperties", "unevaluatedProperties")


def merged(outer: Schema, inner: Schema) -> dict[str, Any] | None:
    """One schema for the values that both allow; `inner` is nested in `outer`. None if no such schema is known."""
    if not _is_mergeable(outer, inner):
        return None
    result = dict(outer)
    for keyword, value in inner.items():
        if keyword not in result or same(result[keyword], value):
            result[keyword] = value
        elif keyword == "properties":
            result[keyword] = joined_properties(outer, inner)
        elif keyword in JOINS:
            result[keyword] = JOINS[keyword](result[keyword], value)
        else:
            return None
    for keyword in _SETS & result.keys():
        result[keyword] = sorted(result[keyword])
    return result


def without_repeats(values: list[Any]) -> list[Any]:
    """The values in canonical order, without duplicates."""
    by_text = {canonical(value): value for value in values}
    return [by_text[key] for key in sorted(by_text)]


def _is_mergeable(outer: Schema, inner: Schema) -> bool:
    if any(keyword in inner for keyword in ("unevaluatedProperties", "unevaluatedItems")):
        return False  # they depend on the keywords beside them, and would see more of them
    for group in _GROUPS:
        if any(k in outer for k in group) and any(k in inner for k in group):
            return False
    declaring = ("properties", *_OPEN_ENDED)
    for one, other in ((outer, inner), (inner, outer)):
        ends = [k for k in _OPEN_ENDED if k in one and not (k == "unevaluatedProperties" and one is outer)]
        if ends and any(k in other for k in declaring):
            return False
    return True
