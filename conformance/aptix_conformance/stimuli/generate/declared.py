"""Which arguments a parameters schema declares: those of every call, and all names, whatever calls they belong to.

Generators write a model with a base class, or an intersection of two types, as branches of an `allOf` at the root. What
all branches say binds every call, so their properties are the root's own. What is in a branch of `anyOf` or `oneOf`
binds some calls only: `declared_names` alone reads it. The schema may be malformed or refer to itself.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import jsonschema_rs

from aptix_conformance.core.schemas.keywords import APPLIED
from aptix_conformance.core.schemas.nodes import applied, conjuncts, referred


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


def root_schemas(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The schemas that every arguments object has to satisfy, the root first."""
    return conjuncts(schema, lambda reference: referred(schema, reference))


def root_properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schemas of the arguments by name; an argument that several schemas describe has to satisfy all of them."""
    found: dict[str, list[Any]] = {}
    for each in root_schemas(schema):
        for name, node in _table(each, "properties").items():
            known = found.setdefault(name, [])
            if not known or not _same(node, known[0]):
                known.append(node)
    return {name: nodes[0] if len(nodes) == 1 else {"allOf": nodes} for name, nodes in found.items()}


def root_required(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the arguments that every call must have, each once."""
    lists = [each.get("required") for each in root_schemas(schema)]
    names = [name for listed in lists if isinstance(listed, list) for name in listed if isinstance(name, str)]
    return tuple(dict.fromkeys(names))


def declared_names(schema: Mapping[str, Any]) -> DeclaredNames:
    """The names that a schema which `usable.fault` has passed declares for its root, in every alternative of it."""
    names: set[str] = set()
    patterns: set[str] = set()
    is_open = False
    for node in applied(schema, APPLIED, lambda reference: referred(schema, reference)):
        names.update(_table(node, "properties"))
        patterns.update(_table(node, "patternProperties"))
        # A schema that does not mention other names allows them too, but does not plan for any.
        others = [node.get(key, False) for key in ("additionalProperties", "unevaluatedProperties")]
        is_open = is_open or any(other is not False for other in others)
    return DeclaredNames(frozenset(names), frozenset(patterns), is_open)


def _same(one: Any, other: Any) -> bool:
    """Whether two schemas are equal; not known, and so no, where they nest too deeply to be compared."""
    try:
        return bool(one == other)
    except RecursionError:
        return False


def _table(node: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = node.get(key)
    return value if isinstance(value, Mapping) else {}
