"""Functions that every reader of JSON Schemas needs: types, equality, and what a reference names.

The readers differ in how they treat a reference that names nothing: `generate` takes it for a schema that allows
nothing, `schemas.diff` refuses the document. So a lookup here gives None, which is no schema.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import count
from typing import Any, Final
from urllib.parse import unquote

from aptix_conformance.core.schemas.keywords import ALL_TYPES, IN_LIST, IN_NAMED, IN_ONE, REFERENCES

_MOST_REFERENCES: Final = 200
"""The most references that `conjuncts` follows: each may take a walk through the document."""


def type_of(value: Any) -> str:
    """The JSON type of a value as `json.loads` gives it; `integer` for any number without a fraction."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "integer" if isinstance(value, int) or value.is_integer() else "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def types_of(schema: Mapping[str, Any]) -> frozenset[str]:
    """The types that a normal schema's `type` and `enum` leave; `integer` only where `number` is not allowed."""
    if "enum" in schema:
        return frozenset(type_of(value) for value in schema["enum"])
    declared = schema.get("type")
    return ALL_TYPES if declared is None else frozenset(declared)


def integer_bounds(keywords: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """The least and the greatest integer allowed, None where there is no such bound."""
    lows = [math.ceil(keywords["minimum"])] if "minimum" in keywords else []
    if "exclusiveMinimum" in keywords:
        lows.append(math.floor(keywords["exclusiveMinimum"]) + 1)
    highs = [math.floor(keywords["maximum"])] if "maximum" in keywords else []
    if "exclusiveMaximum" in keywords:
        highs.append(math.ceil(keywords["exclusiveMaximum"]) - 1)
    return max(lows, default=None), min(highs, default=None)


def same(one: Any, other: Any) -> bool:
    """Whether two pieces of JSON are equal, however written: 1 is 1.0 and is not true."""
    if one is other:
        return True
    if isinstance(one, Mapping):
        return (
            isinstance(other, Mapping)
            and one.keys() == other.keys()
            and all(same(value, other[key]) for key, value in one.items())
        )
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def objects(node: Any) -> Iterator[Mapping[str, Any]]:
    """Every object in a node, itself included."""
    waiting = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            yield item
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)


def subschemas(schema: Any) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Every schema in a schema that is an object, itself included, each with the keywords and names that lead to it."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), schema)]
    while waiting:
        place, node = waiting.pop()
        if isinstance(node, dict):
            yield place, node
            waiting += ((place + step, inner) for key in node for step, inner in parts(key, node[key]))


def parts(keyword: str, value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The schemas under a keyword, each with the steps that lead to it."""
    if keyword in IN_LIST and isinstance(value, list):
        yield from (((keyword, str(index)), inner) for index, inner in enumerate(value))
    elif keyword in IN_NAMED and isinstance(value, Mapping):
        yield from (((keyword, name), inner) for name, inner in value.items())
    elif keyword in IN_ONE:
        yield (keyword,), value


def beside(node: Mapping[str, Any], keywords: Iterable[str], target: Callable[[str], Any]) -> Iterator[Any]:
    """The schemas to which a node holds its own value under some of the keywords `APPLIED`; `target` gives the node that a reference names."""
    for keyword in keywords:
        value = node.get(keyword)
        if keyword in REFERENCES and isinstance(value, str):
            yield target(value)
        elif keyword in node:
            yield from (inner for _, inner in parts(keyword, value))


def applied(
    node: Any, keywords: Collection[str], target: Callable[[str], Any]
) -> Iterator[Mapping[str, Any]]:
    """A node and the schemas that it holds its own value to under some of the keywords `APPLIED`, at any depth, each once.

    `target` gives the node that a reference names. What is no schema is left out.
    """
    target = cache(target)
    waiting = [node]
    visited: set[int] = set()
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping) and id(item) not in visited:
            visited.add(id(item))
            yield item
            waiting += reversed(list(beside(item, keywords, target)))


def conjuncts(node: Any, target: Callable[[str], Any] = lambda _: None) -> Iterator[Mapping[str, Any]]:
    """The schemas that all bind one value: a node, what it refers to, and those of its `allOf`, as `applied` gives them.

    Without a `target` no reference is followed.
    """
    followed = count()
    return applied(
        node,
        (*REFERENCES, "allOf"),
        lambda reference: target(reference) if next(followed) < _MOST_REFERENCES else None,
    )


def named(root: Any, name: str, keywords: Collection[str]) -> Mapping[str, Any] | None:
    """The first object in a document that has a name under one of some keywords."""
    return next((item for item in objects(root) if any(item.get(key) == name for key in keywords)), None)


def at_fragment(root: Any, fragment: str, anchors: Collection[str]) -> Any:
    """The node that the fragment of a reference names: a JSON pointer, or a name under one of the keywords `anchors`."""
    pointer = unquote(fragment)
    if pointer and not pointer.startswith("/"):
        return named(root, pointer, anchors)
    node = root
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(node, Mapping) and key in node:
            node = node[key]
        elif isinstance(node, list) and key.isascii() and key.isdigit() and int(key) < len(node):
            node = node[int(key)]
        else:
            return None
    return node


def referred(root: Any, reference: str) -> Any:
    """The node that a reference names in a document or in a resource in it with an `$id`; None where it names nothing."""
    base, _, fragment = reference.partition("#")
    own = root.get("$id") if isinstance(root, Mapping) else None
    resource = root if base in ("", own) else named(root, base, ("$id",))
    return at_fragment(resource, fragment, ("$anchor", "$dynamicAnchor"))


def leads_back(reference: str, target: Callable[[str], Any], keywords: Collection[str]) -> bool:
    """Whether what a reference names holds, at any depth, a reference back to it under one of the keywords."""
    reached: set[str] = set()
    waiting = [reference]
    while waiting:
        schemas = objects(target(waiting.pop()))
        references = {item[key] for item in schemas for key in keywords if isinstance(item.get(key), str)}
        waiting.extend(references - reached)
        reached |= references
    return reference in reached
