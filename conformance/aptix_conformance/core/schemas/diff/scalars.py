"""The rules for types, listed values, bounds, lengths, patterns and formats."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from aptix_conformance.core.schemas.canonical import canonical
from aptix_conformance.core.schemas.diff.change_paths import Path, readable
from aptix_conformance.core.schemas.diff.schema_changes import Change, ChangeClass, argument_change
from aptix_conformance.core.schemas.joins import JOINS
from aptix_conformance.core.schemas.keywords import all_in, common, looked_at
from aptix_conformance.core.schemas.nodes import same, type_of, types_of

_BOUNDS: Final = {
    "minimum": "bound",
    "exclusiveMinimum": "bound",
    "maximum": "bound",
    "exclusiveMaximum": "bound",
    "minLength": "length",
    "maxLength": "length",
    "minItems": "count",
    "maxItems": "count",
    "minProperties": "count",
    "maxProperties": "count",
}
"""The first word in the codes of the changes of a keyword."""
_VALUES_SHOWN: Final = 8


def compare_types(old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Change]:
    """Whether a value may have the types that it could have."""
    before, after = types_of(old), types_of(new)
    if before == after or ("enum" in old and "enum" in new):  # the lists say it all
        return
    here = (*path, "type")
    if common(before, after) and all_in(before, after):
        if "enum" not in old and "enum" not in new:
            yield argument_change("type-widened", here, f"may be {_all(after)}, not only {_all(before)}")
        return
    if common(before, after) and "enum" in new and "type" not in new:
        return  # a list where there was none
    code = "type-narrowed" if common(before, after) and all_in(after, before) else "type-changed"
    yield argument_change(code, here, f"must be {_all(after)}, and was {_all(before)}")


def compare_enums(old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Change]:
    """Whether the values that were listed still are, and the other way round."""
    here = (*path, "enum")
    if "enum" not in old and "enum" not in new:
        return
    if "enum" not in new:
        yield argument_change("enum-dropped", here, "may be more than its listed values")
        return
    if "enum" not in old:
        is_finite = types_of(old) <= {"null", "boolean"} and _allows_all(new["enum"], types_of(old))
        change = argument_change("enum-added", here, f"must be one of {_values(new['enum'])}")
        yield replace(change, change_class=ChangeClass.COMPATIBLE) if is_finite else change
        return
    known = [{canonical(value) for value in schema["enum"]} for schema in (old, new)]
    removed = [value for value in old["enum"] if canonical(value) not in known[1]]
    added = [value for value in new["enum"] if canonical(value) not in known[0]]
    if removed:
        yield argument_change("enum-value-removed", here, f"may not be {_values(removed)} any more")
    if added:
        yield argument_change("enum-value-added", here, f"may be {_values(added)} too")


def compare_bounds(
    old: Mapping[str, Any], new: Mapping[str, Any], path: Path, types: frozenset[str]
) -> Iterator[Change]:
    """Whether bounds, lengths, counts, patterns and formats allow what they did, for values of some types."""
    for keyword in _BOUNDS:
        if looked_at(keyword, types):
            yield from _bound(keyword, old, new, path)
    for keyword in ("pattern", "format"):
        if looked_at(keyword, types):
            yield from _text(keyword, old, new, path)
    if looked_at("multipleOf", types):
        yield from _multiples(old, new, path)
    if "array" in types and old.get("uniqueItems") != new.get("uniqueItems"):
        if "uniqueItems" in new:
            code, how = "unique-items-added", "may not hold equal items any more"
        else:
            code, how = "unique-items-dropped", "may hold equal items"
        yield argument_change(code, (*path, "uniqueItems"), how)


def _bound(keyword: str, old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Change]:
    before, after = old.get(keyword), new.get(keyword)
    if before == after:
        return
    # A bound that replaces the exclusive one of its side is compared with that one.
    previous = old.get(f"exclusive{keyword.capitalize()}") if before is None else before
    if after is None:
        direction, bounds = "loosened", "other"
    elif previous is None or JOINS[keyword](previous, after) != previous:
        direction, bounds = "tightened", "narrower"
    else:
        direction, bounds = "loosened", "wider"
    how = f"has {bounds} bounds: `{keyword}` went from {_or_none(before)} to {_or_none(after)}"
    yield argument_change(f"{_BOUNDS[keyword]}-{direction}", (*path, keyword), how)


def _text(keyword: str, old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Change]:
    before, after = old.get(keyword), new.get(keyword)
    if before == after:
        return
    here = (*path, keyword)
    if after is None:
        yield argument_change(f"{keyword}-dropped", here, f"need not be of the {keyword} {_quoted(before)}")
    elif before is None:
        yield argument_change(f"{keyword}-added", here, f"must be of the {keyword} {_quoted(after)}")
    else:
        how = f"must be of the {keyword} {_quoted(after)}, and was of {_quoted(before)}"
        yield argument_change(f"{keyword}-changed", here, how)


def _multiples(old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Change]:
    before, after = old.get("multipleOf"), new.get("multipleOf")
    if before == after:
        return
    is_wider = after is None or (before is not None and (_exact(before) / _exact(after)).denominator == 1)
    code = "bound-loosened" if is_wider else "bound-tightened"
    how = f"must be another multiple: `multipleOf` went from {_or_none(before)} to {_or_none(after)}"
    yield argument_change(code, (*path, "multipleOf"), how)


def _exact(number: Any) -> Fraction:
    return Fraction(str(number))


def _allows_all(values: list[Any], types: frozenset[str]) -> bool:
    needed: list[Any] = [None] if "null" in types else []
    needed += [True, False] if "boolean" in types else []
    return all(
        any(same(value, known) and type_of(value) == type_of(known) for known in values) for value in needed
    )


def _all(types: frozenset[str]) -> str:
    return " or ".join(sorted(types))


def _values(values: list[Any]) -> str:
    listed = ", ".join(_quoted(value) for value in values[:_VALUES_SHOWN])
    more = len(values) - _VALUES_SHOWN
    return f"{listed} and {more} more" if more > 0 else listed


def _quoted(value: Any) -> str:
    return f"`{readable(canonical(value).decode())}`"


def _or_none(value: Any) -> str:
    return "none" if value is None else readable(canonical(value).decode(), 40)
