"""A JSON Schema node as the flat alternatives that it allows.

References, `allOf`, `anyOf`, `oneOf` and `if` are resolved by merging, so that a strategy or a constructor
only ever meets keywords that describe one value. Merging is allowed to be too generous: whatever is made is
judged by a validator before it is sent (`not`, `dependentRequired`, `oneOf`'s exclusion and the like are left
to that). A reference that leads back to itself is followed a few times and then allows nothing, which drops
the optional members and array items that would need it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final

from aptix_conformance.core.schemas import nodes
from aptix_conformance.core.schemas.keywords import REFERENCES
from aptix_conformance.core.schemas.nodes import leads_back, referred
from aptix_conformance.stimuli.generate.merge import merge

MAX_RECURSION: Final = 3
"""How often a reference may lead back to itself on one path."""
MAX_ALTERNATIVES: Final = 24
"""How many alternatives of one node are kept."""
MAX_NODES: Final = 3_000
"""How many nodes one value or strategy is made from, a node once for each way to it; the rest allow nothing."""

ALL_TYPES: Final = ("string", "integer", "number", "boolean", "null", "array", "object")

_APPLICATORS: Final = frozenset(
    {"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "not", "$defs", "definitions"}
)
_ANNOTATIONS: Final = frozenset({"title", "description", "default", "examples", "$comment", "deprecated"})
_IMPLIED_TYPES: Final = {
    "object": ("properties", "required", "additionalProperties", "patternProperties", "minProperties"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"),
    "string": ("minLength", "maxLength", "pattern", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}


@dataclass(frozen=True, slots=True)
class Alternative:
    """Keywords that hold together, none of them an applicator; `depth` counts recursive references so far."""

    keywords: Mapping[str, Any]
    depth: int

    @property
    def types(self) -> tuple[str, ...]:
        """The JSON types allowed, the first the most natural one."""
        declared = self.keywords.get("type")
        if isinstance(declared, str):
            return (declared,)
        if isinstance(declared, list):
            return tuple(sorted(declared, key=lambda name: name == "null"))
        values = self.values
        if values is not None:
            one_of_each = dict(zip(map(type, values), values, strict=True))  # an enum may list many thousands
            return tuple(dict.fromkeys(map(type_of, one_of_each.values())))
        implied = [name for name, keys in _IMPLIED_TYPES.items() if any(key in self.keywords for key in keys)]
        return tuple(implied) or ALL_TYPES

    @property
    def values(self) -> list[Any] | None:
        """The values that `const` and `enum` leave; None where neither is there."""
        if "const" in self.keywords:
            return [self.keywords["const"]]
        values = self.keywords.get("enum")
        return list(values) if isinstance(values, list) else None


class SchemaReader:
    """Reads the nodes of one schema document."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.target = partial(referred, root)
        self._leads_back = cache(partial(leads_back, target=self.target, keywords=REFERENCES))
        self._known: dict[tuple[str, int], list[Alternative]] = {}

    def alternatives(self, node: Any, depth: int = 0) -> list[Alternative]:
        """What a node allows, in the order of the document; empty where it allows nothing."""
        if node is True:
            return [Alternative({}, depth)]
        if not isinstance(node, Mapping):
            return []
        found = [Alternative({k: v for k, v in node.items() if k not in _APPLICATORS}, depth)]
        for keyword in REFERENCES:
            if isinstance(node.get(keyword), str):
                found = _both(found, self._referred(node[keyword], depth))
        for branch in node.get("allOf", ()):
            found = _both(found, self.alternatives(branch, depth))
        for keyword in ("anyOf", "oneOf"):
            if keyword in node:
                found = _both(
                    found, [a for branch in node[keyword] for a in self.alternatives(branch, depth)]
                )
        if "if" in node:
            then = _both(
                self.alternatives(node["if"], depth), self.alternatives(node.get("then", True), depth)
            )
            found = _both(found, [*then, *self.alternatives(node.get("else", True), depth)])
        return found[:MAX_ALTERNATIVES]

    def conjuncts(self, node: Any) -> Iterator[Mapping[str, Any]]:
        """The keywords that bind whatever a node allows: its own, those it refers to, and those of its `allOf`."""
        return nodes.conjuncts(node, self.target)

    def reference(self, node: Any) -> str | None:
        """The reference that a node consists of, remarks aside: equal references allow equal values."""
        if isinstance(node, Mapping) and node.keys() - _ANNOTATIONS == {"$ref"}:
            return str(node["$ref"])
        return None

    def _referred(self, reference: str, depth: int) -> list[Alternative]:
        if self._leads_back(reference):
            depth += 1
        if depth > MAX_RECURSION:
            return []
        known = self._known.get((reference, depth))
        if known is None:
            known = self.alternatives(self.target(reference), depth)
            self._known[reference, depth] = known
        return known


def type_of(value: Any) -> str:
    """The JSON type of a value as it is written: `1.0` is a `number`."""
    return "number" if isinstance(value, float) else nodes.type_of(value)


def _both(left: Iterable[Alternative], right: list[Alternative]) -> list[Alternative]:
    pairs = [
        (merge(one.keywords, other.keywords), max(one.depth, other.depth)) for one in left for other in right
    ]
    return [Alternative(merged, depth) for merged, depth in pairs if merged is not None][:MAX_ALTERNATIVES]
