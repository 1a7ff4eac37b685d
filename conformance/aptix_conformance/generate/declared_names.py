"""Which argument names a parameters schema declares, wherever it does, and whether it says that there may be others."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema_rs

from aptix_conformance.generate.reader import SchemaReader

_LISTS = ("allOf", "anyOf", "oneOf")
_SINGLE = ("if", "then", "else", "not")


@dataclass(frozen=True, slots=True)
class DeclaredNames:
    """The names under `properties`, and the patterns that allow more; `is_open` where a schema allows any name."""

    names: frozenset[str]
    patterns: frozenset[str]
    is_open: bool

    def knows(self, name: str) -> bool:
        """Whether the name is declared, or fits a pattern that is."""
        return name in self.names or (bool(self.patterns) and self._fits(name))

    def _fits(self, name: str) -> bool:
        # The validator gives up on a pattern that would never end; Python's own would not.
        fitting = {"patternProperties": dict.fromkeys(self.patterns, True), "additionalProperties": False}
        try:
            return jsonschema_rs.Draft202012Validator(fitting, offline=True).is_valid({name: None})
        except ValueError:
            return False


def declared_names(schema: Mapping[str, Any]) -> DeclaredNames:
    """The names that a schema which `usable.fault` has passed declares for its root, in every alternative of it."""
    names: set[str] = set()
    patterns: set[str] = set()
    is_open = False
    for node in _nodes(schema):
        names.update(_table(node, "properties"))
        patterns.update(_table(node, "patternProperties"))
        # A schema that does not mention other names allows them too, but does not plan for any.
        others = [node.get(key, False) for key in ("additionalProperties", "unevaluatedProperties")]
        is_open = is_open or any(other is not False for other in others)
    return DeclaredNames(frozenset(names), frozenset(patterns), is_open)


def _nodes(root: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Every schema that holds for the root itself: no property's."""
    reader = SchemaReader(root)
    seen: set[int] = set()
    waiting: list[Any] = [root]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Mapping) or id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        references = [node.get(key) for key in ("$ref", "$dynamicRef")]
        waiting += [reader.target(reference) for reference in references if isinstance(reference, str)]
        for key in _LISTS:
            branches = node.get(key)
            waiting += branches if isinstance(branches, list) else []
        waiting += [node.get(key) for key in _SINGLE]
        waiting += _table(node, "dependentSchemas").values()


def _table(node: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = node.get(key)
    return value if isinstance(value, Mapping) else {}
