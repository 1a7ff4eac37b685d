"""Containment by jsonschema-rs's canonical algebra, which says yes only where it has proved it."""

from collections.abc import Mapping
from typing import Any, Final

import jsonschema_rs
from jsonschema_rs.canonical import CanonicalizationError, Containment

from aptix_conformance.core.schemas.diff.normal_form import Node

MAX_WEIGHT: Final = 4_000
"""Nodes in one schema beyond which the algebra is not asked."""
MAX_BRANCHES: Final = 48
"""Alternatives in one schema beyond which the algebra is not asked: its time grows with their product."""

# The library's own errors are ValueErrors.
_FAILURES: Final = (ValueError, CanonicalizationError)


def contains(new: Node | Mapping[str, Any], old: Node | Mapping[str, Any]) -> bool | None:
    """Whether `new` allows every value that `old` does; None where the algebra cannot tell."""
    if not (_is_small(old) and _is_small(new)):
        return None
    try:
        answer = _canonical(new).covers(_canonical(old))
    except _FAILURES:
        return None
    return {Containment.YES.value: True, Containment.NO.value: False}.get(answer.value)


def lost(old: Node, new: Node) -> Mapping[str, Any] | None:
    """A schema for the values that `old` allows and `new` does not; None where the algebra has none."""
    if not (_is_small(old) and _is_small(new)):
        return None
    try:
        schema = _canonical(old).subtract(_canonical(new)).to_json_schema()
    except _FAILURES:
        return None
    return schema if isinstance(schema, dict) else None


def _canonical(schema: Node | Mapping[str, Any]) -> jsonschema_rs.CanonicalSchema:
    document = schema if isinstance(schema, bool) else dict(schema)
    return jsonschema_rs.canonicalize(
        document, draft=jsonschema_rs.Draft202012, validate_formats=True, offline=True
    )


def _is_small(schema: Node | Mapping[str, Any]) -> bool:
    nodes = branches = 0
    waiting: list[Any] = [schema]
    while waiting:
        item = waiting.pop()
        nodes += 1
        if isinstance(item, Mapping):
            for keyword in ("anyOf", "oneOf"):
                listed = item.get(keyword)
                branches += len(listed) if isinstance(listed, list) else 0
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
        if nodes > MAX_WEIGHT or branches > MAX_BRANCHES:
            return False
    return True
