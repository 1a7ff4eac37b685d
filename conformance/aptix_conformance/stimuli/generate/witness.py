"""The search for a call that an old schema allows and a new one refuses.

First the values at the edges of where the two differ, then values drawn from what the algebra says is lost, then
values drawn from the old schema. The same pair of schemas has the same witness in every run.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hypothesis.strategies import SearchStrategy

from aptix_conformance.core.schemas.diff import Node, Proves
from aptix_conformance.stimuli.generate.counterparts import Counterparts
from aptix_conformance.stimuli.generate.reproducible_draws import same_draws
from aptix_conformance.stimuli.generate.schema_strategy import SchemaStrategies
from aptix_conformance.stimuli.generate.simplest_value import UnconstructibleError, simplest

DRAWN: Final = 150
"""How many values are drawn from each schema."""


def find_witness(
    old: Node, new: Node, lost: Mapping[str, Any] | None, proves: Proves, *, thorough: bool
) -> Any:
    """A value that proves that the new schema refuses what the old one allows; None where none was found."""
    old_schema, new_schema = _mapping(old), _mapping(new)
    with same_draws():
        return _search(old_schema, new_schema, lost, proves, thorough=thorough)


def _search(
    old_schema: Mapping[str, Any],
    new_schema: Mapping[str, Any],
    lost: Mapping[str, Any] | None,
    proves: Proves,
    *,
    thorough: bool,
) -> Any:
    for value in _edges(old_schema, new_schema):
        if proves(value):
            return value
    if not thorough:
        return None
    for schema in (lost, old_schema):
        strategy = None if schema is None else _strategy(schema)
        found = None if strategy is None else _drawn(strategy, proves)
        if found is not None:
            return found
    return None


def _edges(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Any]:
    """Values at the edges, as far as they can be made."""
    try:
        yield from Counterparts(old, new).values(old, new)
    except (RecursionError, ArithmeticError, MemoryError):
        return  # too large for the edge values: the drawn values remain


def _strategy(schema: Mapping[str, Any]) -> SearchStrategy[Any] | None:
    try:
        return SchemaStrategies(schema).of({**schema, "type": "object"})
    except (RecursionError, OverflowError, TypeError, ValueError):
        return None  # the algebra writes schemas that the strategies were not made for


def _drawn(strategy: SearchStrategy[Any], proves: Proves) -> Any:
    try:
        return simplest(strategy, proves, DRAWN)
    except (UnconstructibleError, RecursionError):
        return None


def _mapping(node: Node) -> Mapping[str, Any]:
    return ({} if node else {"enum": []}) if isinstance(node, bool) else node
