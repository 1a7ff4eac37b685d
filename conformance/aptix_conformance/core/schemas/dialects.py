"""Schemas of older drafts of JSON Schema, written as draft 2020-12, which everything else here reads.

`$schema` names the draft of a schema; without it, the caller does. Keywords that a declared older draft does not know
are removed, since they have no effect there. `dependencies` is rewritten in every schema: 2020-12 no longer has it, but
validators still apply it. Keywords beside a `$ref` stay: older drafts ignore them, but Ajv does not.
"""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias
from urllib.parse import unquote

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.model import Draft
from aptix_conformance.core.schemas.joins import JOINS, both
from aptix_conformance.core.schemas.keywords import IN_LIST, IN_NAMED, IN_ONE

_DECLARED: Final = re.compile(r"https?://json-schema\.org/(draft-0[467])/schema#?")
_ANCHOR: Final = re.compile(r"#([A-Za-z_][A-Za-z0-9._-]*)")

_SINCE_2019: Final = frozenset(
    {"prefixItems", "dependentRequired", "dependentSchemas", "minContains", "maxContains"}
) | {"unevaluatedItems", "unevaluatedProperties", "$dynamicRef", "$dynamicAnchor"}
_SINCE_07: Final = _SINCE_2019 | {"if", "then", "else"}
_UNKNOWN: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "draft-04": _SINCE_07 | {"const", "contains", "propertyNames"},
        "draft-06": _SINCE_07,
        "draft-07": _SINCE_2019,
    }
)
"""The keywords of 2020-12 that a draft does not know."""

_DEEPEST: Final = 300
"""Objects and arrays within each other beyond which a schema is not read. Python's own limit comes later, and differs between versions."""

_Place: TypeAlias = tuple[str, ...]


def as_2020_12(schema: Any, undeclared: Draft | None = None) -> Any:
    """A schema with the same meaning in draft 2020-12; an invalid schema stays unchanged for the validator to refuse.

    Args:
        schema: as its author wrote it; it is not changed.
        undeclared: the draft of a schema that has no `$schema`; None for 2020-12.

    Raises:
        RecordError: it nests too deeply.
    """
    if not isinstance(schema, dict):
        return schema
    declared = schema.get("$schema")
    match = _DECLARED.fullmatch(declared) if isinstance(declared, str) else None
    draft = match[1] if match else undeclared if declared is None else None
    unknown = _UNKNOWN[match[1]] if match else frozenset()
    if _nests_beyond(schema, _DEEPEST):
        raise RecordError("the schema nests too deeply to be read; flatten it")
    return _Writer(draft, unknown).whole(schema)


def _nests_beyond(value: Any, most: int) -> bool:
    level = [value]
    for _ in range(most):
        members = (each.values() if isinstance(each, dict) else each for each in level)
        level = [one for each in members for one in each if isinstance(one, dict | list)]
        if not level:
            return False
    return True


class _Writer:
    def __init__(self, draft: str | None, unknown: frozenset[str]) -> None:
        self._draft = draft
        self._unknown = unknown
        self._moved: dict[_Place, str] = {}
        self._referring: list[dict[str, Any]] = []

    def whole(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The whole schema, with its references pointing to the new places."""
        written: dict[str, Any] = self._node(schema, ())
        if self._draft is not None:
            written.pop("$schema", None)
        address = written.get("$id")
        own = address.partition("#")[0] if isinstance(address, str) else ""
        for node in self._referring:
            node["$ref"] = self._redirected(node["$ref"], own)
        return written

    def _node(self, raw: Any, place: _Place) -> Any:
        if not isinstance(raw, dict):
            return raw
        node = {
            key: self._below(key, value, (*place, key))
            for key, value in raw.items()
            if key not in self._unknown
        }
        if self._draft is not None:
            self._items(node, place)
            _named_by_id(node, self._draft)
        if self._draft == "draft-04":
            _bounds(node)
        self._dependencies(node, place)
        if isinstance(node.get("$ref"), str):
            self._referring.append(node)
        return node

    def _below(self, keyword: str, value: Any, place: _Place) -> Any:
        if keyword in IN_LIST and isinstance(value, list):
            return [self._node(inner, (*place, str(index))) for index, inner in enumerate(value)]
        if keyword in IN_NAMED and isinstance(value, dict):
            return {name: self._node(inner, (*place, name)) for name, inner in value.items()}
        return self._node(value, place) if keyword in IN_ONE else value

    def _items(self, node: dict[str, Any], place: _Place) -> None:
        """A list under `items` is `prefixItems`, and `additionalItems`, which counts beside it only, is `items`."""
        if node.get("items") == []:  # it is no schema in any draft
            return
        rest = node.pop("additionalItems", None)
        if not isinstance(node.get("items"), list):
            return
        node["prefixItems"] = node.pop("items")
        self._moved[*place, "items"] = "prefixItems"
        if rest is not None:
            node["items"] = rest
            self._moved[*place, "additionalItems"] = "items"

    def _dependencies(self, node: dict[str, Any], place: _Place) -> None:
        dependencies = node.get("dependencies")
        if not isinstance(dependencies, dict) or not all(map(_is_dependency, dependencies.values())):
            return
        del node["dependencies"]
        self._moved[*place, "dependencies"] = "dependentSchemas"
        names = {name: value for name, value in dependencies.items() if isinstance(value, list)}
        schemas = {name: value for name, value in dependencies.items() if not isinstance(value, list)}
        for keyword, fresh, join in (
            ("dependentRequired", names, JOINS["required"]),
            ("dependentSchemas", schemas, both),
        ):
            there = node.get(keyword, {})
            if fresh and isinstance(there, dict):
                joined = {
                    name: join(there[name], value)
                    for name, value in fresh.items()
                    if _is_dependency(there.get(name))
                    and isinstance(there[name], list) == isinstance(value, list)
                }
                node[keyword] = {**fresh, **there, **joined}

    def _redirected(self, reference: str, own: str) -> str:
        """A pointer into this document with the new names of its steps."""
        base, _, fragment = reference.partition("#")
        if (base and base != own) or not fragment.startswith("/"):
            return reference
        return f"{base}#{''.join(f'/{step}' for step in self._steps(fragment.split('/')[1:]))}"

    def _steps(self, written: list[str]) -> Iterator[str]:
        names = tuple(unquote(step).replace("~1", "/").replace("~0", "~") for step in written)
        for index, step in enumerate(written):
            yield self._moved.get(names[: index + 1], step)


def _is_dependency(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(name, str) for name in value)
    return isinstance(value, (dict, bool))


def _named_by_id(node: dict[str, Any], draft: str) -> None:
    """Draft 04 writes `id` for `$id`; a fragment alone is what 2020-12 calls an anchor."""
    if draft == "draft-04" and isinstance(node.get("id"), str):
        node["$id"] = node.pop("id")
    match = _ANCHOR.fullmatch(node["$id"]) if isinstance(node.get("$id"), str) else None
    if match:
        del node["$id"]
        node["$anchor"] = match[1]


def _bounds(node: dict[str, Any]) -> None:
    """Draft 04 says by true or false whether `minimum` and `maximum` are themselves allowed."""
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(node.get(exclusive), bool) and node.pop(exclusive) and bound in node:
            node[exclusive] = node.pop(bound)
