"""The structural rules: old and new schema side by side, keyword by keyword, each difference named and classed.

The rules are sound one way: where every change found between two normal forms is `compatible`, the new schema allows
all that the old one did, since a schema is the conjunction of its keywords and each new one is implied by its old
counterpart. `breaking` here means that a keyword allows less than it did, which is nearly always, and not always, a
call less. What no rule can tell is `unknown`; the algebra and the search for a witness come after.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from aptix_conformance.core.schemas.canonical import canonical
from aptix_conformance.core.schemas.diff import scalars
from aptix_conformance.core.schemas.diff.algebra import contains
from aptix_conformance.core.schemas.diff.change_paths import Path
from aptix_conformance.core.schemas.diff.member_changes import compare_members
from aptix_conformance.core.schemas.diff.normal_form import Node
from aptix_conformance.core.schemas.diff.schema_changes import Change, ChangeClass, argument_change, worst
from aptix_conformance.core.schemas.keywords import IN_PLACE, common, looked_at
from aptix_conformance.core.schemas.nodes import same, types_of

_UNEVALUATED = ("unevaluatedProperties", "unevaluatedItems")
_CONDITIONS = (
    *("not", "if", "then", "else", "dependentSchemas", "contains", "minContains", "maxContains"),
    *_UNEVALUATED,
)
_OF_A_LOST_BRANCH: Final = {
    "allOf": ChangeClass.COMPATIBLE,
    "anyOf": ChangeClass.BREAKING,
    "oneOf": ChangeClass.UNKNOWN,
}
"""A branch less of allOf demands less; a branch less of the others allows less."""
_OF_A_NEW_BRANCH: Final = {
    "allOf": ChangeClass.UNKNOWN,
    "anyOf": ChangeClass.COMPATIBLE,
    "oneOf": ChangeClass.UNKNOWN,
}


class Walk:
    """Compares the nodes of two normal forms."""

    def __init__(self, old: Node, new: Node) -> None:
        self._roots = (old, new)
        self._definitions = [root.get("$defs", {}) if isinstance(root, dict) else {} for root in (old, new)]
        self._same_definitions = same(*self._definitions)
        self._met: set[tuple[bytes, bytes]] = set()

    def changes(self, start: Path) -> list[Change]:
        """All changes, those of one node in a fixed order."""
        return list(self.node(*self._roots, start))

    def node(self, old: Node, new: Node, path: Path) -> Iterator[Change]:
        """The changes from one node to another."""
        if self._equal(old, new):
            return
        if old is False:
            yield argument_change("value-allowed", path, "allows a value, and allowed none")
            return
        if new is False:
            yield argument_change("value-forbidden", path, "allows no value any more")
            return
        unrolled = self._unrolled(old, new)
        if unrolled is not None:
            if self._is_new(old, new):
                yield from self.node(*unrolled, path)
            return
        changes = list(self._keywords(_body(old), _body(new), path))
        if worst(changes) is ChangeClass.UNKNOWN and self._is_contained(old, new):
            # The rules cannot tell and the algebra can: no call is lost here.
            changes = [
                replace(change, change_class=min(change.change_class, ChangeClass.COMPATIBLE))
                for change in changes
            ]
        yield from changes

    def _keywords(self, old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Change]:
        # A reference is followed, and the keywords beside it count too.
        yield from self._references(old, new, path)
        yield from scalars.compare_types(old, new, path)
        types = common(types_of(old), types_of(new))
        if types or ("enum" in old and "enum" in new):
            yield from scalars.compare_enums(old, new, path)
        if not types:
            return
        if "enum" not in old:
            yield from scalars.compare_bounds(old, new, path, types)
        elif any(
            keyword not in ("enum", "type") and not same(old.get(keyword), value)
            for keyword, value in new.items()
            if looked_at(keyword, types)
        ):
            yield from self._values(old, new, path)
            return
        if "object" in types:
            yield from compare_members(self.node, self._equal, old, new, path)
        if "array" in types:
            yield from self._items(old, new, path)
        yield from self._branches(old, new, path)
        yield from self._conditions(old, new, path)

    def _values(self, old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Change]:
        """Old values are listed, and the new schema says more than a list."""
        if not self._is_contained(old, new):
            yield argument_change("condition-changed", path, "holds its listed values to more than before")

    def _references(self, old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Change]:
        before, after = old.get("$ref"), new.get("$ref")
        if before is None and after is None:
            return
        if before is None or after is None:
            how = (
                "refers to a recursive definition now"
                if before is None
                else "refers to no recursive definition now"
            )
            yield argument_change("reference-changed", path, how)
        elif self._is_new(old, new):
            yield from self.node(self._definition(0, old), self._definition(1, new), path)

    def _unrolled(self, old: Node, new: Node) -> tuple[Node, Node] | None:
        """The two nodes with the definition in the place of a reference that only one of them is; None for any others."""
        sides = (old, new)
        alone = [isinstance(node, dict) and node.keys() == {"$ref"} for node in sides]
        if alone[0] == alone[1]:
            return None
        which = alone.index(True)
        inner = self._definition(which, sides[which])
        if isinstance(inner, dict) and any(keyword in inner for keyword in IN_PLACE):
            return None  # it may lead back to itself without a step into the value
        return (inner, new) if which == 0 else (old, inner)

    def _definition(self, side: int, node: Any) -> Node:
        """The definition that a node's recursive reference names."""
        definition: Node = self._definitions[side][node["$ref"].rpartition("/")[2]]
        return definition

    def _is_new(self, old: Any, new: Any) -> bool:
        """Whether two nodes are compared for the first time; if not, nothing new is found by going round."""
        pair = (canonical(old), canonical(new))
        is_new = pair not in self._met
        self._met.add(pair)
        return is_new

    def _items(self, old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Change]:
        prefixes = (old.get("prefixItems", []), new.get("prefixItems", []))
        rest = (old.get("items", True), new.get("items", True))
        for index in range(max(map(len, prefixes))):
            pair = [
                prefix[index] if index < len(prefix) else after
                for prefix, after in zip(prefixes, rest, strict=True)
            ]
            yield from self.node(pair[0], pair[1], (*path, "prefixItems", str(index)))
        yield from self.node(rest[0], rest[1], (*path, "items"))

    def _branches(self, old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Change]:
        for keyword in ("allOf", "anyOf", "oneOf"):
            before, after = old.get(keyword), new.get(keyword)
            here = (*path, keyword)
            if before is None and after is None:
                continue
            if after is None:
                yield argument_change("alternatives-dropped", here, f"is not held to {keyword} any more")
            elif before is None:
                yield argument_change("alternatives-added", here, f"is held to {keyword} now")
            else:
                yield from self._leftovers(keyword, before, after, here)

    def _unmatched(self, before: list[Node], after: list[Node]) -> tuple[list[Node], list[Node]]:
        """The branches of each side that have no equal on the other."""
        removed, added = [], list(after)
        for node in before:
            match = next((index for index, other in enumerate(added) if self._equal(node, other)), None)
            if match is None:
                removed.append(node)
            else:
                del added[match]
        return removed, added

    def _leftovers(self, keyword: str, before: list[Node], after: list[Node], path: Path) -> Iterator[Change]:
        removed, added = self._unmatched(before, after)
        if len(removed) == len(added) == 1:
            for change in self.node(removed[0], added[0], path):
                is_sure = keyword != "oneOf" or change.change_class is not ChangeClass.COMPATIBLE
                yield change if is_sure else replace(change, change_class=ChangeClass.UNKNOWN)
        elif removed and added:
            yield argument_change("alternatives-changed", path, f"has other branches of {keyword}")
        elif removed:
            message = f"has lost a branch of {keyword}"
            change = argument_change("alternative-removed", path, message)
            yield replace(change, change_class=_OF_A_LOST_BRANCH[keyword])
        elif added:
            change = argument_change("alternative-added", path, f"has a new branch of {keyword}")
            yield replace(change, change_class=_OF_A_NEW_BRANCH[keyword])

    def _conditions(self, old: Mapping[str, Any], new: Mapping[str, Any], path: Path) -> Iterator[Change]:
        changed = [k for k in _CONDITIONS if not self._equal(old.get(k, "-"), new.get(k, "-"))]
        if any(keyword in new for keyword in _UNEVALUATED) and not self._equal(old, new):
            # The evaluated members depend on every keyword beside it.
            yield argument_change("condition-changed", path, "says otherwise which members are left over")
            return
        groups = {"then": "if", "else": "if", "minContains": "contains", "maxContains": "contains"}
        for keyword in dict.fromkeys(groups.get(keyword, keyword) for keyword in changed):
            here = (*path, keyword)
            if keyword not in new:
                yield argument_change("condition-dropped", here, f"is not held to `{keyword}` any more")
            else:
                yield argument_change("condition-changed", here, f"is held to another `{keyword}`")

    def _equal(self, one: Any, other: Any) -> bool:
        """Whether two pieces mean the same: their texts are equal, and so is what they refer to."""
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            one, other = _body(one), _body(other)
        return same(one, other) and (self._same_definitions or not (_refers(one) or _refers(other)))

    def _is_contained(self, old: Any, new: Any) -> bool:
        """Whether it is proved that a node allows all that another did."""
        before, after = (
            {**_body(node), "$defs": known} for node, known in zip((old, new), self._definitions, strict=True)
        )
        return contains(after, before) is True


def _body(node: Node | Mapping[str, Any]) -> Mapping[str, Any]:
    return {} if isinstance(node, bool) else {k: v for k, v in node.items() if k != "$defs"}


def _refers(node: Any) -> bool:
    """Whether a recursive reference is somewhere in a node: equal names may then stand for different definitions."""
    if isinstance(node, Mapping):
        return "$ref" in node or any(_refers(inner) for inner in node.values())
    return isinstance(node, list) and any(_refers(inner) for inner in node)
