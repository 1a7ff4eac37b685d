"""How much a JSON Schema grows when its references are followed.

A validator does all of that work for each value. Forty definitions that each refer twice to the next make a schema of
one page that no validator finishes. So such a schema is refused before it is used.
"""

from collections.abc import Mapping
from typing import Any, Final

from aptix_conformance.core.schemas.keywords import APPLIED
from aptix_conformance.core.schemas.nodes import beside
from aptix_conformance.stimuli.generate.reader import SchemaReader

MAX_DEPTH: Final = 64
"""Levels of nesting, references followed."""
MAX_WEIGHT: Final = 5_000
"""Schemas that one value has to be held to."""


def overgrown(schema: Mapping[str, Any], deepest: int = MAX_DEPTH) -> str | None:
    """Why a schema is too expensive to validate with, or nests more than `deepest` levels; None if neither holds."""
    try:
        depth, heaviest = _Weights(schema).measure()
    except RecursionError:
        depth, heaviest = deepest + 1, 0
    if depth > deepest:
        return f"parameters nest more than {deepest} levels deep, references followed"
    if heaviest > MAX_WEIGHT:
        return f"a value of the parameters would have to be held to {heaviest:.0e} schemas"
    return None


class _Weights:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._reader = SchemaReader(root)
        self._root = root
        self._known: dict[int, tuple[int, float]] = {}
        self._heaviest: float = 0

    def measure(self) -> tuple[int, float]:
        """The depth of the whole, and the greatest weight of a node in it."""
        depth, _ = self._node(self._root)
        return depth, self._heaviest

    def _node(self, node: Any) -> tuple[int, float]:
        """How deep a node goes, and how many schemas a value of it must meet, itself included."""
        if isinstance(node, list):
            return 1 + max((self._node(item)[0] for item in node), default=0), 0
        if not isinstance(node, Mapping):
            return 0, 1
        if id(node) not in self._known:
            self._known[id(node)] = (0, 1)  # a recursive reference counts once
            others = list(beside(node, APPLIED, self._reader.target))
            weight = 1 + sum(self._node(part)[1] for part in others)
            depth = 1 + max((self._node(part)[0] for part in (*others, *node.values())), default=0)
            self._heaviest = max(self._heaviest, weight)
            self._known[id(node)] = (depth, weight)
        return self._known[id(node)]
