"""What a parameters schema says of the arguments object as a whole: at its root, and there through `allOf` and `$ref`.

Generators write a model with a base class, or an intersection of two types, as branches of an `allOf` at the root. What
all branches say binds every call, so their properties are the root's own. What is in a branch of `anyOf` or `oneOf`
binds some calls only and is not read here. The schema may be malformed or refer to itself.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from aptix_conformance.schemas.nodes import conjuncts, referred


def root_schemas(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The schemas that every arguments object has to satisfy, the root first."""
    return conjuncts(schema, lambda reference: referred(schema, reference))


def root_properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schemas of the arguments by name; an argument that several schemas describe has to satisfy all of them."""
    found: dict[str, list[Any]] = {}
    for each in root_schemas(schema):
        inner = each.get("properties")
        for name, node in inner.items() if isinstance(inner, Mapping) else ():
            known = found.setdefault(name, [])
            if not known or not _same(node, known[0]):
                known.append(node)
    return {name: nodes[0] if len(nodes) == 1 else {"allOf": nodes} for name, nodes in found.items()}


def root_required(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the arguments that every call must have, each once."""
    lists = [each.get("required") for each in root_schemas(schema)]
    names = [name for listed in lists if isinstance(listed, list) for name in listed if isinstance(name, str)]
    return tuple(dict.fromkeys(names))


def _same(one: Any, other: Any) -> bool:
    """Whether two schemas are equal; not known, and so no, where they nest too deeply to be compared."""
    try:
        return bool(one == other)
    except RecursionError:
        return False
