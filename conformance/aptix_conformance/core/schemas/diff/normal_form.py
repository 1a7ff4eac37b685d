"""The normal form of a schema: equivalent schemas get equal forms.

Annotations are removed, references are followed, `allOf` is merged into its parent, alternatives of different types
become one list of types, keywords without effect are left out, lists that are sets are sorted. A recursive definition
stays a reference to a definition that is numbered in the order of first use.

The normal form describes what a schema *promises*: the calls that use declared arguments. An object with `properties`
and without `additionalProperties` counts as closed; an explicit `additionalProperties` counts as written. Under `not`
and `if`, closing would have the opposite effect, so a schema there is read literally.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.schemas.canonical import canonical
from aptix_conformance.core.schemas.diff.alternatives import are_disjoint, union
from aptix_conformance.core.schemas.diff.merging import merged, without_repeats
from aptix_conformance.core.schemas.diff.references import References
from aptix_conformance.core.schemas.diff.spelling import tidied
from aptix_conformance.core.schemas.keywords import (
    BRANCHING,
    IN_LIST,
    IN_NAMED,
    IN_ONE,
    KNOWN,
    all_in,
    looked_at,
)
from aptix_conformance.core.schemas.nodes import applied, type_of, types_of

Node = dict[str, Any] | bool

MAX_NODES: Final = 20_000
"""Nodes of one schema with its references followed; more are not compared."""

_OWN: Final = KNOWN - {"allOf", "$ref", "const"}
_REST: Final = ("items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "propertyNames")
"""Keywords that have no effect where their schema allows every value."""


def promised(schema: Any) -> Node:
    """The normal form of what a parameters schema promises.

    Raises:
        RecordError: a reference leads nowhere, or the schema is too large or too deep.
    """
    reader = _Normal(schema)
    try:
        node = reader.root(schema)
    except RecursionError:
        raise RecordError("the schema nests too deeply to be compared; flatten it") from None
    if isinstance(node, dict) and reader.definitions:
        node["$defs"] = reader.definitions
    return node


class _Normal:
    def __init__(self, root: Any) -> None:
        self._references = References(root)
        self._names: dict[tuple[str, bool, bool], str] = {}
        self._nodes = 0
        self.definitions: dict[str, Node] = {}

    def root(self, raw: Any) -> Node:
        """The normal form of the root: arguments are an object even if the schema does not say so."""
        return self._normal(_joined(self._flat(raw), {"type": ["object"]}), closing=True, literal=False)

    def position(self, raw: Any, *, closing: bool, literal: bool) -> Node:
        """The normal form of a node that describes a nested value."""
        return self._normal(self._flat(raw), closing=closing and not literal, literal=literal)

    # ---- one node, flat

    def _flat(self, raw: Any) -> Node:
        """The node's keywords with its references and `allOf` merged in; nested nodes stay unchanged."""
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise RecordError(
                f"the schema has more than {MAX_NODES:,} nodes, references followed; make it smaller"
            )
        if isinstance(raw, bool):
            return raw
        if not isinstance(raw, Mapping):
            raise RecordError("a schema is neither an object nor true or false; fix it")
        if "$dynamicRef" in raw:
            raise RecordError("$dynamicRef is not compared; write $ref")
        node: Node = tidied({key: raw[key] for key in raw if key in _OWN})
        if "const" in raw:
            node = _joined(node, {"enum": [raw["const"]]})
        if "$ref" in raw:
            recursive = self._references.is_recursive(raw["$ref"])
            target = {"$ref": raw["$ref"]} if recursive else self._flat(self._references.target(raw["$ref"]))
            node = _joined(node, target)
        for branch in raw.get("allOf", ()):
            node = _joined(node, self._flat(branch))
        return node

    # ---- its normal form

    def _normal(self, flat: Node, *, closing: bool, literal: bool) -> Node:
        if isinstance(flat, bool):
            return flat
        node = self._alternatives(flat)
        if isinstance(node, bool):
            return node
        types = types_of(node)
        if "enum" in node:
            node["enum"] = [value for value in node["enum"] if self._has_type(value, node)]
            node.pop("type", None)
            types = types_of(node)
        if not types:
            return False
        result = {key: value for key, value in node.items() if looked_at(key, types)}
        branches_close = self._close(result) if closing else False
        if "maxContains" in result:
            result["contains"] = self.position(result["contains"], closing=False, literal=True)
        to_the_letter = [] if literal else self._exclusive(result)
        for keyword in [key for key in result if key != "contains" or "maxContains" not in result]:
            result[keyword] = self._below(
                keyword, result[keyword], branches_close=branches_close, literal=literal
            )
        if to_the_letter and to_the_letter != result["oneOf"]:
            result["allOf"] = without_repeats([*result.get("allOf", []), {"oneOf": to_the_letter}])
        return _simplified(result)

    def _exclusive(self, node: Mapping[str, Any]) -> list[Node]:
        """The branches of `oneOf`, read literally.

        A closed branch matches fewer values, so another branch may become the only match. A `oneOf` therefore promises
        what both readings allow.
        """
        branches = (self.position(branch, closing=False, literal=True) for branch in node.get("oneOf", ()))
        return sorted(branches, key=canonical)

    def _has_type(self, value: Any, node: Mapping[str, Any]) -> bool:
        return "type" not in node or all_in(frozenset({type_of(value)}), frozenset(node["type"]))

    def _below(self, keyword: str, value: Any, *, branches_close: bool, literal: bool) -> Any:
        """The normal form of a keyword's value."""
        if keyword in ("not", "if"):
            return self.position(value, closing=False, literal=True)
        closing = branches_close if keyword in BRANCHING else True
        if keyword == "$ref":
            return self._reference(value, closing=closing, literal=literal)
        normal = partial(self.position, closing=closing, literal=literal)
        if keyword in IN_LIST and isinstance(value, list):
            branches = list(map(normal, value))
            if keyword in ("allOf", "anyOf"):
                return without_repeats(branches)
            # A branch that occurs twice in oneOf must not match.
            return sorted(branches, key=canonical) if keyword == "oneOf" else branches
        if keyword in IN_NAMED:
            return {name: normal(inner) for name, inner in value.items()}
        return normal(value) if keyword in IN_ONE else value

    def _reference(self, reference: str, *, closing: bool, literal: bool) -> str:
        key = (reference, closing, literal)
        if key not in self._names:
            name = self._names[key] = f"r{len(self._names)}"
            self.definitions[name] = True
            target = self._references.target(reference)
            self.definitions[name] = self.position(target, closing=closing, literal=literal)
        return f"#/$defs/{self._names[key]}"

    # ---- the promise

    def _close(self, node: dict[str, Any]) -> bool:
        """Close an object that does not say whether it is open; return whether its branches must be closed instead.

        Required members count as declared; otherwise the schema would promise no call at all.
        """
        if "additionalProperties" in node or "unevaluatedProperties" in node:
            return False
        declaring = [keyword for keyword in _branching(node) if self._declares(keyword, node[keyword])]
        if not declaring:
            if "properties" in node:
                node["additionalProperties"] = False
                if "patternProperties" not in node:
                    node["properties"] = {
                        **dict.fromkeys(node.get("required", ()), True),
                        **node["properties"],
                    }
            return False
        if "properties" in node or len(declaring) > 1 or declaring[0] not in ("anyOf", "oneOf", "$ref"):
            node["unevaluatedProperties"] = False
            return False
        return True

    def _declares(self, keyword: str, value: Any) -> bool:
        """Whether the value of a keyword that branches declares properties."""
        schemas = applied({keyword: value}, BRANCHING, self._references.target)
        return any("properties" in schema for schema in schemas)

    # ---- alternatives

    def _alternatives(self, node: dict[str, Any]) -> Node:
        """The node with its alternatives merged, if they have different types or all list their values."""
        result = dict(node)
        for keyword in ("anyOf", "oneOf"):
            if keyword not in result:
                continue
            branches = [self._flat(branch) for branch in result[keyword]]
            branches = [branch for branch in branches if branch is not False]
            if not branches:
                return False
            rest = {key: value for key, value in result.items() if key != keyword}
            if keyword == "anyOf" and any(branch is True or not branch for branch in branches):
                result = rest
                continue
            single = branches[0] if len(branches) == 1 else union(branches)
            joined = None if single is None else _merged_or_none(rest, single)
            if joined is not None:
                return self._alternatives(joined) if isinstance(joined, dict) else joined
            if keyword == "oneOf" and "anyOf" not in result and are_disjoint(branches):
                result = {**rest, "anyOf": result[keyword]}
        return result


def _branching(node: Mapping[str, Any]) -> list[str]:
    """The keywords of a node that hold the same value to further schemas, and may declare its members."""
    return [keyword for keyword in BRANCHING if keyword in node]


def _merged_or_none(outer: dict[str, Any], inner: Node) -> Node | None:
    if isinstance(inner, bool):
        return outer if inner else False
    return merged(outer, inner)


def _joined(outer: Node, inner: Node) -> Node:
    """The conjunction of two schemas: merged, or with the inner one as a branch of `allOf`."""
    if isinstance(outer, bool) or isinstance(inner, bool):
        if outer is False or inner is False:
            return False
        return outer if inner is True else inner
    both = merged(outer, inner)
    return both if both is not None else {**outer, "allOf": [*outer.get("allOf", ()), inner]}


def _drop_empty(node: dict[str, Any]) -> None:
    """Remove the keywords that allow every value."""
    for keyword in _REST:
        if node.get(keyword) is True:
            del node[keyword]
    if not node.get("properties", True):
        del node["properties"]
    if "prefixItems" not in node and node.get("maxItems") == 0:
        node.pop("items", None)


def _simplified(node: dict[str, Any]) -> Node:
    """The node without keywords that have no effect; its nested nodes are in normal form already."""
    _drop_empty(node)
    if len(node.get("anyOf", ())) == 1:
        rest = {key: value for key, value in node.items() if key != "anyOf"}
        both = _merged_or_none(rest, node["anyOf"][0])
        if isinstance(both, bool):
            return both
        node = node if both is None else both
    if node.get("type") == []:
        return False
    if "enum" in node:
        node["enum"] = without_repeats(node["enum"])
        if not node["enum"]:
            return False
    if "type" in node and set(node["type"]) == {"string", "number", "boolean", "null", "array", "object"}:
        del node["type"]
    if node.get("not") is False:
        del node["not"]
    if "unevaluatedProperties" in node and not _branching(node):
        rest = node.pop("unevaluatedProperties")
        node.setdefault("additionalProperties", rest)
    return node
