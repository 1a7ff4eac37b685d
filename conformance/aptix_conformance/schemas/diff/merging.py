"""The conjunction of two schemas as one schema, where that loses nothing."""

from collections.abc import Mapping
from typing import Any, Final

from aptix_conformance.schemas.canonical import canonical
from aptix_conformance.schemas.keywords import common
from aptix_conformance.schemas.nodes import same

Schema = Mapping[str, Any]

# Keywords whose meaning depends on each other: only one of the two schemas may have such a group.
_GROUPS: Final = (
    ("if", "then", "else"),
    ("items", "prefixItems", "unevaluatedItems"),
    ("contains", "minContains", "maxContains"),
)
_OPEN_ENDED: Final = ("additionalProperties", "patternProperties", "unevaluatedProperties")
_GREATEST: Final = ("minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum")
_LEAST: Final = ("maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum")


def merged(outer: Schema, inner: Schema) -> dict[str, Any] | None:
    """One schema for the values that both allow; `inner` is nested in `outer`. None if no such schema is known."""
    if not _is_mergeable(outer, inner):
        return None
    result = dict(outer)
    for keyword, value in inner.items():
        if keyword not in result or same(result[keyword], value):
            result[keyword] = value
            continue
        both = _both(keyword, result[keyword], value)
        if both is None:
            return None
        result[keyword] = both
    return result


def without_repeats(values: list[Any]) -> list[Any]:
    """The values in canonical order, without duplicates."""
    found = {canonical(value): value for value in values}
    return [found[key] for key in sorted(found)]


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


def _both(keyword: str, one: Any, other: Any) -> Any:  # noqa: PLR0911 - a table
    """The merged value of a keyword that both schemas have; None if there is none."""
    if keyword == "type":
        return sorted(common(frozenset(one), frozenset(other)))
    if keyword == "enum":
        keys = {canonical(value) for value in other}
        return [value for value in one if canonical(value) in keys]
    if keyword == "required":
        return sorted({*one, *other})
    if keyword == "uniqueItems":
        return one or other
    if keyword == "properties":
        shared = one.keys() & other.keys()
        return {**one, **other, **{name: {"allOf": [one[name], other[name]]} for name in shared}}
    if keyword in _GREATEST:
        return max(one, other)
    if keyword in _LEAST:
        return min(one, other)
    return None
