"""The rules for types, listed values, bounds, lengths, patterns and formats."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from aptix_conformance.schemas.canonical import canonical
from aptix_conformance.schemas.diff.change_paths import Path, label, readable, shown_path
from aptix_conformance.schemas.diff.schema_changes import Change, ChangeClass
from aptix_conformance.schemas.keywords import all_in, common, looked_at
from aptix_conformance.schemas.nodes import same, type_of, types_of

_LOW: Final = {
    "minimum": "bound",
    "exclusiveMinimum": "bound",
    "minLength": "length",
    "minItems": "count",
    "minProperties": "count",
}
_HIGH: Final = {
    "maximum": "bound",
    "exclusiveMaximum": "bound",
    "maxLength": "length",
    "maxItems": "count",
    "maxProperties": "count",
}
_OTHERS: Final = {"pattern": "pattern", "format": "format"}
_VALUES_SHOWN: Final = 8


def compare_types(old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Change]:
    """Whether a value may have the types that it could have."""
    before, after = types_of(old), types_of(new)
    if before == after:
        return
    here = (*path, "type")
    if "enum" in new and "enum" in old:
        return  # the lists say it all
    if not common(before, after):
        yield _change(
            "type-changed", here, ChangeClass.BREAKING, f"must be {_all(after)}, and was {_all(before)}"
        )
    elif all_in(before, after):
        if "enum" not in old and "enum" not in new:
            yield _change(
                "type-widened", here, ChangeClass.COMPATIBLE, f"may be {_all(after)}, not only {_all(before)}"
            )
    elif "enum" in new and "type" not in new:
        return  # a list where there was none
    elif all_in(after, before):
        yield _change(
            "type-narrowed", here, ChangeClass.BREAKING, f"must be {_all(after)}, and was {_all(before)}"
        )
    else:
        yield _change(
            "type-changed", here, ChangeClass.BREAKING, f"must be {_all(after)}, and was {_all(before)}"
        )


def compare_enums(old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Change]:
    """Whether the values that were listed still are, and the other way round."""
    here = (*path, "enum")
    if "enum" not in old and "enum" not in new:
        return
    if "enum" not in new:
        yield _change("enum-dropped", here, ChangeClass.COMPATIBLE, "may be more than its listed values")
        return
    if "enum" not in old:
        is_finite = types_of(old) <= {"null", "boolean"} and _allows_all(new["enum"], types_of(old))
        change_class = ChangeClass.COMPATIBLE if is_finite else ChangeClass.BREAKING
        yield _change("enum-added", here, change_class, f"must be one of {_values(new['enum'])}")
        return
    known = [{canonical(value) for value in schema["enum"]} for schema in (old, new)]
    gone = [value for value in old["enum"] if canonical(value) not in known[1]]
    come = [value for value in new["enum"] if canonical(value) not in known[0]]
    if gone:
        yield _change(
            "enum-value-removed", here, ChangeClass.BREAKING, f"may not be {_values(gone)} any more"
        )
    if come:
        yield _change("enum-value-added", here, ChangeClass.COMPATIBLE, f"may be {_values(come)} too")


def compare_bounds(
    old: Mapping[str, Any], new: Mapping[str, Any], path: Path, types: frozenset[str]
) -> Iterator[Change]:
    """Whether bounds, lengths, counts, patterns and formats allow what they did, for values of some types."""
    for table, sign in ((_LOW, 1), (_HIGH, -1)):
        for keyword, kind in table.items():
            if looked_at(keyword, types):
                yield from _bound(keyword, kind, sign, old, new, path)
    for keyword, kind in _OTHERS.items():
        if looked_at(keyword, types):
            yield from _text(keyword, kind, old, new, path)
    if looked_at("multipleOf", types):
        yield from _multiples(old, new, path)
    if "array" in types and old.get("uniqueItems") != new.get("uniqueItems"):
        how = (
            ("added", ChangeClass.BREAKING, "may not hold equal items any more")
            if "uniqueItems" in new
            else ("dropped", ChangeClass.COMPATIBLE, "may hold equal items")
        )
        yield _change(f"unique-items-{how[0]}", (*path, "uniqueItems"), how[1], how[2])


def _bound(
    keyword: str, kind: str, sign: int, old: Mapping[str, Any], new: Mapping[str, Any], path: Path
) -> Iterator[Change]:
    before, after = old.get(keyword), new.get(keyword)
    if before == after:
        return
    # A bound that replaces the exclusive one of its side is compared with that one.
    held = old.get(f"exclusive{keyword.capitalize()}") if before is None else before
    tighter = after is not None and (held is None or sign * after > sign * held)
    how = f"`{keyword}` went from {_or_none(before)} to {_or_none(after)}"
    if after is None:
        yield _change(
            f"{kind}-loosened", (*path, keyword), ChangeClass.COMPATIBLE, f"has other bounds: {how}"
        )
    elif tighter:
        yield _change(
            f"{kind}-tightened", (*path, keyword), ChangeClass.BREAKING, f"has narrower bounds: {how}"
        )
    else:
        yield _change(
            f"{kind}-loosened", (*path, keyword), ChangeClass.COMPATIBLE, f"has wider bounds: {how}"
        )


def _text(
    keyword: str, kind: str, old: Mapping[str, Any], new: Mapping[str, Any], path: Path
) -> Iterator[Change]:
    before, after = old.get(keyword), new.get(keyword)
    if before == after:
        return
    here = (*path, keyword)
    if after is None:
        yield _change(
            f"{kind}-dropped", here, ChangeClass.COMPATIBLE, f"need not be of the {kind} {_quoted(before)}"
        )
    elif before is None:
        change_class = ChangeClass.UNKNOWN if keyword == "pattern" else ChangeClass.BREAKING
        yield _change(f"{kind}-added", here, change_class, f"must be of the {kind} {_quoted(after)}")
    else:
        how = f"must be of the {kind} {_quoted(after)}, and was of {_quoted(before)}"
        yield _change(f"{kind}-changed", here, ChangeClass.UNKNOWN, how)


def _multiples(old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Change]:
    before, after = old.get("multipleOf"), new.get("multipleOf")
    if before == after:
        return
    is_wider = after is None or (before is not None and (_exact(before) / _exact(after)).denominator == 1)
    code, change_class = (
        ("loosened", ChangeClass.COMPATIBLE) if is_wider else ("tightened", ChangeClass.BREAKING)
    )
    how = f"must be another multiple: `multipleOf` went from {_or_none(before)} to {_or_none(after)}"
    yield _change(f"bound-{code}", (*path, "multipleOf"), change_class, how)


def _exact(number: Any) -> Fraction:
    return Fraction(str(number))


def _allows_all(values: list[Any], types: frozenset[str]) -> bool:
    wanted: list[Any] = [None] if "null" in types else []
    wanted += [True, False] if "boolean" in types else []
    return all(
        any(same(value, known) and type_of(value) == type_of(known) for known in values) for value in wanted
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


def _change(code: str, path: Path, change_class: ChangeClass, how: str) -> Change:
    return Change(code, shown_path(path), change_class, f"{label(path)} {how}")
