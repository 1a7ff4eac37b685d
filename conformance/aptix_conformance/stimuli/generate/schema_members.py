"""The members that a schema declares, by path: `/filters/city`, `/items/*/sku`.

A path is a JSON pointer (RFC 6901) with `*` for any element of an array. An object is open if the schema allows
members that it does not name: no member of an open object counts as undeclared.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from aptix_conformance.stimuli.generate.reader import Alternative, SchemaReader

ELEMENT: Final = "*"
MOST: Final = 300
"""The maximum number of members that are listed."""

_DEEPEST: Final = 5
_OPENING: Final = ("patternProperties", "unevaluatedProperties", "additionalProperties", "propertyNames")


class Members:
    """The members of the argument objects that a schema allows."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._reader = SchemaReader(schema)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths of the first members that are declared, outer ones before those inside of them."""
        found: dict[str, None] = {}
        level = [""]
        for _ in range(_DEEPEST):
            members = [
                join(path, name)
                for path in level
                for name in sorted(self.properties(path))
                if len(found) < MOST and not found.setdefault(join(path, name))
            ]
            level = [below for path in members for below in (path, join(path, ELEMENT))]
        return tuple(found)

    def declared(self, path: str) -> frozenset[str] | None:
        """The names that the object at a path may have; None where it may have any, or where the path leads to no object."""
        shapes = self.objects(path)
        if not shapes or any(_is_open(shape, root=not path) for shape in shapes):
            return None
        return frozenset(self.properties(path))

    def shapes(self, path: str) -> list[Alternative]:
        """What the schema allows at a path, flat; empty where there is no such member."""
        shapes = self._reader.alternatives(self._reader.root)
        for part in parts(path):
            nodes = [(node, shape.depth) for shape in shapes for node in _below(shape, part)]
            shapes = [inner for node, depth in nodes for inner in self._reader.alternatives(node, depth)]
        return shapes

    def objects(self, path: str) -> list[Alternative]:
        """Those of the shapes at a path that allow objects."""
        return [shape for shape in self.shapes(path) if "object" in shape.types]

    def properties(self, path: str) -> dict[str, Any]:
        """The members that are declared of the object at a path, each with the first of its schemas."""
        found: dict[str, Any] = {}
        for shape in self.objects(path):
            for name, node in shape.keywords.get("properties", {}).items():
                found.setdefault(name, node)
        return found

    def values(self, path: str) -> list[Any]:
        """The values that a member can only have: what is listed for it, or true and false."""
        found: list[Any] = []
        for shape in self.shapes(path):
            listed = shape.values
            if listed is None and "boolean" in shape.types and len(shape.types) == 1:
                listed = [True, False]
            found += listed or []
        return found


def parts(path: str) -> list[str]:
    """The names on a path, `*` for an element."""
    return [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]


def join(path: str, name: str) -> str:
    """The path of a member."""
    return f"{path}/{name.replace('~', '~0').replace('/', '~1')}"


def spoken(path: str) -> str:
    """A path for a person: `filters.city`, `items[].sku`."""
    return ".".join(parts(path)).replace(f".{ELEMENT}", "[]")


def found_at(document: Any, path: str) -> list[Any]:
    """The values that stand at a path in a document; none, one, or those of all elements on the way."""
    values = [document]
    for part in parts(path):
        values = [
            inner
            for value in values
            for inner in (
                value
                if part == ELEMENT and isinstance(value, list)
                else [value[part]]
                if isinstance(value, dict) and part in value
                else []
            )
        ]
    return values


def placed(document: Any, path: str, value: Any) -> Any:
    """The document with another value at a path (`*` is the first element); unchanged if the path does not exist."""
    if not path:
        return value
    head, _, rest = path[1:].partition("/")
    (name,) = parts(f"/{head}")
    below = f"/{rest}" if rest else ""
    if isinstance(document, dict) and (name in document or not below):
        return {**document, name: placed(document.get(name), below, value)}
    if isinstance(document, list) and document and name == ELEMENT:
        return [placed(document[0], below, value), *document[1:]]
    return document


def _below(shape: Alternative, part: str) -> Iterator[Any]:
    if part == ELEMENT and "array" in shape.types:
        yield from shape.keywords.get("prefixItems", ())
        yield shape.keywords.get("items", True)
    properties = shape.keywords.get("properties", {})
    if part in properties:
        yield properties[part]


def _is_open(shape: Alternative, *, root: bool) -> bool:
    if any(shape.keywords.get(keyword, False) is not False for keyword in _OPENING):
        return True
    return (
        not root
        and "properties" not in shape.keywords
        and shape.keywords.get("additionalProperties") is not False
    )
