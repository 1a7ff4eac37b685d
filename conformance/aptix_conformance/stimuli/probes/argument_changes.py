"""Changes of arguments that the schema forbids, each with a demand.

The demand is `refused` only if no lenient interpretation exists: an object instead of a number, a word instead of a
boolean, a value out of bounds. Values that some parsers convert ("5" to 5, 1 to true) are labelled `coercible`; a tool
may accept or refuse them. Where a system forbids every conversion that loses something (`SystemTraits.grades_conversions`), only
those without loss may be accepted; these then carry a value that the schema allows, so that nothing else is wrong with it. Null that the
schema forbids is no such conversion, unless it is the default. Nested objects and the first item of arrays are changed in the same way. A nested change is the
whole argument with that one place changed.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from aptix_conformance.core.model import Change, Kind
from aptix_conformance.stimuli.generate import Arguments
from aptix_conformance.stimuli.generate.arguments import has_default, has_null_default
from aptix_conformance.stimuli.generate.reader import Alternative, type_of
from aptix_conformance.stimuli.generate.text import fitting
from aptix_conformance.stimuli.probes.limits import beyond_limits
from aptix_conformance.stimuli.probes.planning import Demand, argument_label
from aptix_conformance.stimuli.probes.relations import broken_relations, conditions

REMOVED: Final = object()
"""Marks an argument that is left out."""

_LEVELS: Final = 8
"""The most levels of nested objects that are changed; a node that contains itself is changed once."""

_WORD: Final = "not-a-value"
_UNEXPECTED: Final = "unexpected"

_NAMES: Final = ("key", "x-key", "x_key", "KEY", "1", "key1", "S_key", "en", "en-US", "2026-01-01")
"""Names for a member that a pattern may want."""

_OTHER_TYPES: Final[tuple[tuple[str, Any, frozenset[str]], ...]] = (
    ("object", {"unexpected": True}, frozenset({"object"})),
    ("array", ["unexpected"], frozenset({"array"})),
    ("empty-array", [], frozenset({"array", "object", "string", "boolean"})),
    ("string", _WORD, frozenset({"string"})),
    ("number", 12345, frozenset({"integer", "number", "string", "boolean"})),
    ("boolean", True, frozenset({"integer", "number", "string", "boolean"})),
)
"""A name for a value, the value, and the types that it has, that some parser converts it to, or that another value here tells of.

JavaScript's `Number([])` is 0.
"""

_COERCIBLE: Final[tuple[tuple[str, Any, frozenset[str]], ...]] = (
    ("numeric-string", "5", frozenset({"integer", "number", "boolean"})),
    ("empty-string", "", frozenset({"integer", "number", "boolean", "array", "object"})),
    ("true-string", "true", frozenset({"boolean"})),
    ("integer", 5, frozenset({"string"})),
    ("fraction", 1.5, frozenset({"integer"})),
    ("zero", 0, frozenset({"boolean"})),
    ("one", 1, frozenset({"boolean"})),
    ("true", True, frozenset({"integer", "number", "string"})),
    ("false", False, frozenset({"integer", "number", "string"})),
    ("single-item", _WORD, frozenset({"array"})),
    ("json-text", '["a"]', frozenset({"array"})),
    ("json-text", '{"a": 1}', frozenset({"object"})),
)
"""A name for a value, the value, and the types that some parsers convert it to."""

_WORDS: Final = (("word", "yes", frozenset({"boolean"})),)
"""The same, sent only where conversions are graded."""

_LOSSLESS: Final[Mapping[str, frozenset[str]]] = {
    "numeric-string": frozenset({"integer", "number"}),
    "true-string": frozenset({"boolean"}),
    "word": frozenset({"boolean"}),
    "integer": frozenset({"string"}),
    "zero": frozenset({"boolean"}),
    "one": frozenset({"boolean"}),
    "true": frozenset({"integer", "number", "string"}),
    "false": frozenset({"integer", "number", "string"}),
    "json-text": frozenset({"array", "object"}),
}
"""The types that a value can be converted to without loss, by its name in `_COERCIBLE`; a name that is missing has none."""


_HALVES_BELOW: Final = 2**52
"""Below it, a float has a half between two integers."""


@dataclass(frozen=True, slots=True)
class ArgumentChange:
    """Arguments, mostly one, that get another value or are left out; `change` names the place."""

    change: Change
    demand: Demand
    members: Mapping[str, Any]
    """The new value of each changed argument; `REMOVED` leaves it out."""

    @property
    def names(self) -> frozenset[str]:
        """The arguments that are changed."""
        return frozenset(self.members)

    def applied_to(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments after the change."""
        rest = {name: value for name, value in arguments.items() if name not in self.members}
        return rest | {name: value for name, value in self.members.items() if value is not REMOVED}


def changes(
    arguments: Arguments, base: Mapping[str, Any], narrowed: frozenset[str], *, graded: bool = False
) -> Iterator[ArgumentChange]:
    """Every change of one argument of a valid object, then of what binds several; not yet judged.

    An argument that the configuration narrows never gets another value of its own type: the author limits what may be
    sent. `graded`: a value that is only converted with loss has to be refused.
    """
    for name, node in arguments.properties.items():
        if name in arguments.required:
            demand: Demand = "either" if has_default(node) else "refused"
            yield ArgumentChange(Change(Kind.MISSING, argument_label(name)), demand, {name: REMOVED})
            yield ArgumentChange(Change(Kind.NULL, argument_label(name)), demand, {name: None})
        current = base[name] if base.get(name) is not None else arguments.value(node)
        walk = _Walk(arguments, same_type=name not in narrowed, graded=graded)
        for change, demand, value in walk.values(node, current, argument_label(name), _LEVELS):
            yield ArgumentChange(change, demand, {name: value})
    if names := _one_of_several(arguments):
        change = Change(Kind.MISSING, argument_label(" or ".join(names)))
        defaults = any(has_default(arguments.properties.get(name)) for name in names)
        yield ArgumentChange(change, "either" if defaults else "refused", dict.fromkeys(names, REMOVED))
    if any(map(_is_closed, arguments.alternatives(arguments.schema))):
        yield ArgumentChange(Change(Kind.ADDITIONAL, _UNEXPECTED), "either", {_UNEXPECTED: "value"})
    for change, demand, value in _Walk(arguments, same_type=True, graded=graded).together(
        arguments.schema, dict(base), ""
    ):
        members = _difference(base, value)
        if members and not members.keys() & narrowed:
            yield ArgumentChange(change, demand, members)


def _one_of_several(arguments: Arguments) -> list[str]:
    """The arguments that some alternative requires and others do not, if each alternative requires one of them."""
    lists = [
        [name for name in alternative.keywords.get("required", ()) if name not in arguments.required]
        for alternative in arguments.alternatives(arguments.schema)
    ]
    return list(dict.fromkeys(name for listed in lists for name in listed)) if all(lists) else []


def _difference(base: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """The members that differ between two objects, removed ones too; nothing where the other is no object."""
    if not isinstance(value, dict):
        return {}
    changed = {name: item for name, item in value.items() if name not in base or base[name] is not item}
    return changed | {name: REMOVED for name in base if name not in value}


_Value = tuple[Change, Demand, Any]
"""A change, the demand, and the changed value."""


@dataclass(frozen=True, slots=True)
class _Walk:
    arguments: Arguments
    same_type: bool
    graded: bool
    above: frozenset[str] = frozenset()
    """The nodes that contain this one, as text."""

    def values(self, node: Any, current: Any, path: str, levels: int) -> Iterator[_Value]:
        """Forbidden values for a node that now has the value `current`."""
        types = self.arguments.types(node)
        yield from _wrong_types(types, path)
        alternatives = self.arguments.alternatives(node)
        if self.same_type:
            is_kept = self.graded or path in self.arguments.bounded_waits
            yield from _coercible(types, path, current, graded=self.graded, is_kept=is_kept)
            for alternative in alternatives:
                for kind, detail, sure, value in beyond_limits(alternative, current):
                    # If the node allows a second type, the value may be valid for that.
                    demand: Demand = "refused" if sure and _is_single_type(types) else "either"
                    yield Change(kind, path, detail), demand, value
        written = json.dumps(node, default=repr)
        if levels > 1 and written not in self.above:
            inner = replace(self, above=self.above | {written})
            for alternative in alternatives:
                within = self._within(alternative, current)
                yield from inner._inside(alternative, within, path, levels - 1)  # noqa: SLF001 - its own class
            if self.same_type:
                yield from inner.together(node, current, path, levels - 1, alone=_is_single_type(types))

    def together(
        self, node: Any, current: Any, path: str, levels: int = _LEVELS, *, alone: bool = True
    ) -> Iterator[_Value]:
        """Values that break the keywords of a node on several of its parts."""
        for keyword, demand, value in broken_relations(self.arguments, node, current):
            yield Change(Kind.RELATION, path or None, keyword), demand if alone else "either", value
        for schema, value in conditions(self.arguments, node, current):
            for alternative in self.arguments.alternatives(schema):
                yield from _without_required(alternative, value, path)
                yield from self._inside(alternative, value, path, levels)

    def _within(self, alternative: Alternative, current: Any) -> Any:
        """The current value if it has the alternative's type, otherwise an object or array that it allows."""
        kinds = set(alternative.types)
        if type_of(current) in kinds or not kinds & {"object", "array"}:
            return current
        return self.arguments.value(dict(alternative.keywords))

    def _inside(self, alternative: Alternative, current: Any, path: str, levels: int) -> Iterator[_Value]:
        if isinstance(current, dict):
            yield from self._members(alternative, current, path, levels)
        if isinstance(current, list):
            for index, node in self._items(alternative.keywords, current):
                item = current[index] if index < len(current) else self.arguments.value(node)
                for change, demand, value in self.values(node, item, f"{path}[{index}]", levels):
                    yield change, demand, [*current[:index], value, *current[index + 1 :]]

    def _members(
        self, alternative: Alternative, current: dict[str, Any], path: str, levels: int
    ) -> Iterator[_Value]:
        keywords = alternative.keywords
        properties = keywords.get("properties", {})
        for name, node in properties.items():
            where = _member(path, name)
            if name in keywords.get("required", ()):
                demand: Demand = "either" if has_default(node) else "refused"
                without = {key: value for key, value in current.items() if key != name}
                yield Change(Kind.MISSING, where), demand, without
                yield Change(Kind.NULL, where), demand, {**current, name: None}
            elif self.graded and not has_null_default(node):
                yield Change(Kind.NULL_OPTIONAL, where), "refused", {**current, name: None}
            child = current[name] if current.get(name) is not None else self.arguments.value(node)
            for change, demand, value in self.values(node, child, where, levels):
                yield change, demand, {**current, name: value}
        for pattern, node in keywords.get("patternProperties", {}).items():
            yield from self._matching(pattern, node, current, path, levels)
        others = keywords.get("additionalProperties")
        if isinstance(others, Mapping):
            name = next((key for key in current if key not in properties), "key")
            child = current[name] if name in current else self.arguments.value(others)
            for change, demand, value in self.values(others, child, _member(path, name), levels):
                yield change, demand, {**current, name: value}
        if _is_closed(alternative):
            change = Change(Kind.ADDITIONAL, _member(path, _UNEXPECTED))
            yield change, "either", {**current, _UNEXPECTED: "value"}

    def _matching(
        self, pattern: str, node: Any, current: dict[str, Any], path: str, levels: int
    ) -> Iterator[_Value]:
        """Changes of the first member whose name matches a pattern, or of one that is added."""
        names = list(fitting({"pattern": pattern}, [*current, *_NAMES]))
        if names:
            child = current[names[0]] if names[0] in current else self.arguments.value(node)
            for change, demand, value in self.values(node, child, _member(path, names[0]), levels):
                yield change, demand, {**current, names[0]: value}

    def _items(self, keywords: Mapping[str, Any], current: list[Any]) -> Iterator[tuple[int, Any]]:
        """The items to change, each with its node: each that has a node of its own, and the first of the others."""
        prefix = keywords.get("prefixItems", ())
        yield from list(enumerate(prefix))[: len(current)]
        if "items" in keywords and (not prefix or len(current) > len(prefix)):
            yield len(prefix), keywords["items"]


def _without_required(alternative: Alternative, current: Any, path: str) -> Iterator[_Value]:
    """The value without each member that a condition requires and the schema describes elsewhere."""
    for name in alternative.keywords.get("required", ()) if isinstance(current, dict) else ():
        if name not in alternative.keywords.get("properties", {}):
            without = {key: value for key, value in current.items() if key != name}
            yield Change(Kind.MISSING, _member(path, name)), "refused", without


def _member(path: str, name: str) -> str:
    label = argument_label(name)
    return f"{path}.{label}" if path else label


def _is_closed(alternative: Alternative) -> bool:
    return alternative.keywords.get("additionalProperties") is False


def _wrong_types(types: frozenset[str], path: str) -> Iterator[_Value]:
    for name, value, taken_for in _OTHER_TYPES:
        if not types & taken_for:
            yield Change(Kind.TYPE, path, name), "refused", value


def _coercible(
    types: frozenset[str], path: str, current: Any, *, graded: bool, is_kept: bool
) -> Iterator[_Value]:
    """Values of another type; with `is_kept`, those that become the current value, so that a wait is no longer."""
    for name, value, taken_for in (*_COERCIBLE, *(_WORDS if graded else ())):
        if types & taken_for:
            is_lossy = graded and not types & taken_for & _LOSSLESS.get(name, frozenset())
            sent = _converting_to(name, current, value) if is_kept else value
            yield Change(Kind.COERCIBLE, path, name), "refused" if is_lossy else "either", sent


def _converting_to(name: str, current: Any, value: Any) -> Any:
    """A value of the same name that becomes the current one where it is converted; `value` where there is none."""
    is_number = isinstance(current, int | float) and not isinstance(current, bool)
    if name == "numeric-string" and is_number:
        return json.dumps(current)
    if name == "fraction" and isinstance(current, int) and is_number and abs(current) < _HALVES_BELOW:
        return current + 0.5 if current >= 0 else current - 0.5
    if name == "json-text" and isinstance(current, list if value.startswith("[") else dict):
        return json.dumps(current)
    return value


def _is_single_type(types: frozenset[str]) -> bool:
    return len(types - {"null"} - ({"integer"} if "number" in types else set())) == 1
