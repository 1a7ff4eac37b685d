"""Values that one schema allows and another is likely to refuse, made without drawing.

Both schemas are in the normal form of `schemas.diff`. Where they differ, values are taken at the edges of both: a
little less than a new minimum, a listed value, each type, a member left out. What is equal on both sides is filled in
once, sensibly, so that the number of values grows with the number of differences.
"""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any, Final

from aptix_conformance.core.schemas.canonical import canonical
from aptix_conformance.stimuli.generate import text
from aptix_conformance.stimuli.generate.boundaries import boundary_values
from aptix_conformance.stimuli.generate.construct import Constructor
from aptix_conformance.stimuli.generate.formats import SAMPLES
from aptix_conformance.stimuli.generate.reader import Alternative
from aptix_conformance.stimuli.generate.simplest_value import UnconstructibleError

MAX_VALUES: Final = 4_000
"""How many values are made for one pair of schemas."""
MAX_LEVEL: Final = 8
"""How deep differences are followed."""
MAX_LENGTH: Final = 1_000_000
"""Characters of the longest text that is made for a bound."""
MAX_ITEMS: Final = 10_000
"""Items of the longest array that is made for one."""
MAX_ALTERNATIVES: Final = 6
"""How many ways to read a node are tried on the old side, and on the new."""

_PLAIN: Final[Mapping[str, tuple[Any, ...]]] = {
    "string": ("a", "", " ", "A", "0", "-1", "a b", "ab", "é", "_", "text"),
    "integer": (0, 1, -1, 2, 3, 5, 7),
    "number": (0, 1, -1, 0.5, 2, 3, 1.5),
    "boolean": (False, True),
    "null": (None,),
}
_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


class Counterparts:
    """The values for one pair of schemas."""

    def __init__(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        self._old, self._new = Constructor(old), Constructor(new)
        self._left = MAX_VALUES

    def values(self, old: Any, new: Any, level: int = 0) -> Iterator[Any]:
        """Values for a node of the old schema and its counterpart; not judged, and some of them twice."""
        before = self._old.reader.alternatives(old)[:MAX_ALTERNATIVES]
        after = self._new.reader.alternatives(new)[:MAX_ALTERNATIVES] or [Alternative({}, 0)]
        for alternative in before:
            for other in after:
                for value in self._of(alternative, other, level):
                    self._left -= 1
                    if self._left < 0:
                        return
                    yield value

    def _of(self, old: Alternative, new: Alternative, level: int) -> Iterator[Any]:
        if old.values is not None:
            kept = {canonical(value) for value in new.values or ()}
            yield from (value for value in old.values if canonical(value) not in kept)
            yield from (value for value in old.values if canonical(value) in kept)
            return
        if level > MAX_LEVEL:
            return
        for kind in old.types:
            if kind == "object":
                yield from self._objects(old.keywords, new.keywords, level)
            elif kind == "array":
                yield from self._arrays(old.keywords, new.keywords, level)
            else:
                yield from _scalars(kind, old.keywords, new.keywords)
        for _, value in boundary_values(self._old, dict(old.keywords)):
            yield value

    def _objects(  # noqa: C901 - the ways in which objects differ, one after the other
        self, old: Mapping[str, Any], new: Mapping[str, Any], level: int
    ) -> Iterator[Any]:
        base = self._value({**old, "type": "object"})
        if not isinstance(base, dict):
            return
        yield base
        known = old.get("properties", {})
        for name, node in known.items():
            other = new.get("properties", {}).get(name, new.get("additionalProperties", True))
            if name in base and node == other:
                continue
            if node == other:
                yield {**base, name: self._value(node)}
                continue
            for value in self.values(node, other, level + 1):
                yield {**base, name: value}
        extra = old.get("additionalProperties", True)
        if extra is not False:
            names = [name for name in new.get("properties", {}) if name not in known]
            for name in (*names, next(_undeclared(known, new.get("properties", {})))):
                other = new.get("properties", {}).get(name, new.get("additionalProperties", True))
                for value in self.values(extra, other, level + 1):
                    yield {**base, name: value}
        for least in (old.get("minProperties"), new.get("minProperties"), new.get("maxProperties", -1) + 1):
            yield from self._filled(base, known, extra, least)
        full = self._value({**old, "type": "object"}, full=True)
        if isinstance(full, dict):
            yield full
            yield from ({key: value for key, value in full.items() if key != name} for name in full)

    def _filled(
        self, base: dict[str, Any], known: Mapping[str, Any], extra: Any, least: int | None
    ) -> Iterator[Any]:
        """The object with members up to a number of them."""
        made = dict(base)
        for name in known:
            if len(made) >= (least or 0):
                break
            made.setdefault(name, self._value(known[name]))
        if extra is not False:
            missing = min((least or 0) - len(made), 100)
            made |= {
                name: self._value(extra) for _, name in zip(range(missing), _undeclared(made), strict=False)
            }
        yield made

    def _arrays(self, old: Mapping[str, Any], new: Mapping[str, Any], level: int) -> Iterator[Any]:
        base = self._value({**old, "type": "array"})
        if not isinstance(base, list):
            return
        yield base
        items, others = old.get("items", True), new.get("items", True)
        prefix, new_prefix = old.get("prefixItems", []), new.get("prefixItems", [])
        for index in range(max(len(prefix), len(new_prefix), len(base), 1)):
            node = prefix[index] if index < len(prefix) else items
            other = new_prefix[index] if index < len(new_prefix) else others
            start = [
                *base[:index],
                *(self._value(inner) for inner in [*prefix, *[items] * index][len(base) : index]),
            ]
            for value in self.values(node, other, level + 1):
                yield [*start, value, *base[index + 1 :]]
        item = self._value(items)
        bounds = (
            old.get("minItems"),
            old.get("maxItems"),
            new.get("minItems", 0) - 1,
            new.get("maxItems", -2) + 1,
            2,
        )
        for count in bounds:
            if count is not None and 0 <= count <= MAX_ITEMS:
                yield [*base, *[item] * (count - len(base))][: max(count, len(prefix))]
                distinct = list(self._distinct(items, count))
                if len(distinct) == count:
                    yield distinct

    def _distinct(self, node: Any, count: int) -> Iterator[Any]:
        seen: set[str] = set()
        for value in self.values(node, {}, MAX_LEVEL):
            if len(seen) >= count:
                return
            if repr(value) not in seen:
                seen.add(repr(value))
                yield value

    def _value(self, node: Any, *, full: bool = False) -> Any:
        try:
            return self._old.value(node, full=full)
        except UnconstructibleError:
            return None


def _undeclared(*declared: Mapping[str, Any]) -> Iterator[str]:
    """Names that no declaration has: `x`, `x1`, `x2`, and so on."""
    names = itertools.chain(["x"], (f"x{index}" for index in itertools.count(1)))
    return (name for name in names if not any(name in known for known in declared))


def _scalars(kind: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Any]:
    yield from text.fitting({**old, "type": kind}, _PLAIN[kind])
    if kind == "string":
        for schema in (old, new):
            yield from SAMPLES.get(schema.get("format", ""), ())
        lengths = [
            schema[key] + step
            for schema in (old, new)
            for key in ("minLength", "maxLength")
            if key in schema
            for step in (-1, 0, 1)
        ]
        for length in lengths:
            if 0 <= length <= MAX_LENGTH:
                yield from ("a" * length, "0" * length)
    elif kind in ("integer", "number"):
        bounds = [schema[key] for schema in (old, new) for key in _BOUNDS if key in schema]
        steps = (-1, 0, 1) if kind == "integer" else (-1, -0.5, 0, 0.5, 1)
        for bound in bounds:
            yield from (bound + step for step in steps)
        step, low = old.get("multipleOf"), old.get("minimum", 0)
        if step:
            first = -(-low // step)
            yield from ((first + index) * step for index in range(-3, 8))
