"""Argument values made without drawing: what a sensible caller would send, and the values at the bounds.

Deterministic, so that the calls that always run are the same calls in every run.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from hypothesis.strategies import SearchStrategy

from aptix_conformance.core.schemas.nodes import integer_bounds
from aptix_conformance.stimuli.generate import numbers, text
from aptix_conformance.stimuli.generate.formats import SAMPLES
from aptix_conformance.stimuli.generate.reader import MAX_NODES, Alternative, SchemaReader
from aptix_conformance.stimuli.generate.simplest_value import UnconstructibleError, simplest

MAX_DEPTH: Final = 12
"""Levels of optional members beyond which only required ones are filled in."""


class Constructor:
    """Makes plausible values for the nodes of one schema document."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.reader = SchemaReader(root)
        self._nodes = 0

    def value(self, node: Any, *, full: bool = False, depth: int = 0, level: int = 0) -> Any:
        """The most natural value that a node allows; `full` fills in optional members too.

        Raises:
            UnconstructibleError: there is none, or none was found.
        """
        self._nodes = self._nodes + 1 if level else 0
        for alternative in self.reader.alternatives(node, depth) if self._nodes < MAX_NODES else ():
            for kind in alternative.types:
                try:
                    return self._of(alternative, kind, full=full, level=level)
                except UnconstructibleError:
                    continue
        raise UnconstructibleError(f"nothing that {_json_excerpt(node)} allows could be made")

    def _of(self, alternative: Alternative, kind: str, *, full: bool, level: int) -> Any:
        keywords = alternative.keywords
        for value in text.fitting(keywords, _offered(alternative)):
            return value
        if alternative.values is not None:
            raise UnconstructibleError("no value of the enumeration is allowed")
        if kind == "array":
            return self._array(alternative, full=full, level=level)
        if kind == "object":
            return self._object(alternative, full=full, level=level)
        return _SCALARS[kind](keywords)

    def _array(self, alternative: Alternative, *, full: bool, level: int) -> list[Any]:
        keywords, depth = alternative.keywords, alternative.depth
        wanted = int(keywords.get("minItems", 0))
        full = full and level < MAX_DEPTH
        if full and keywords.get("maxItems", 1) > 0:
            wanted = max(wanted, 1)
        prefix = keywords.get("prefixItems", ())
        nodes = [*prefix, *[keywords.get("items", True)] * (min(wanted, 1000) - len(prefix))][:wanted]
        try:
            items = [self.value(node, full=full, depth=depth, level=level + 1) for node in nodes]
        except UnconstructibleError:
            if keywords.get("minItems", 0) > 0:
                raise
            return []
        if "contains" in keywords:
            items.append(self.value(keywords["contains"], depth=depth, level=level + 1))
        return items

    def _object(self, alternative: Alternative, *, full: bool, level: int) -> dict[str, Any]:
        keywords, depth = alternative.keywords, alternative.depth
        required = keywords.get("required", ())
        properties = keywords.get("properties", {})
        made = {}
        for name in dict.fromkeys([*properties, *required]):
            if name not in required and not (full and level < MAX_DEPTH):
                continue
            node = properties.get(name, keywords.get("additionalProperties", True))
            try:
                made[name] = self.value(node, full=full, depth=depth, level=level + 1)
            except UnconstructibleError:
                if name in required:
                    raise
        return made


def _offered(alternative: Alternative) -> Iterator[Any]:
    """Values that the schema itself names, the author's own examples first."""
    if alternative.values is not None:
        yield from alternative.values
        return
    if alternative.keywords.keys() & {"properties", "items", "prefixItems"}:
        return  # an offered object or array could break what its parts say: make it from them
    examples = alternative.keywords.get("examples")
    yield from examples if isinstance(examples, list) else ()
    if alternative.keywords.get("default") is not None:
        yield alternative.keywords["default"]


def _string(keywords: Mapping[str, Any]) -> str:
    low = int(keywords.get("minLength", 0))
    high = int(keywords.get("maxLength", text.MAX_LENGTH))
    if "pattern" in keywords:
        return text.simplest_string(keywords)
    if keywords.get("format") in SAMPLES:
        samples = [sample for sample in SAMPLES[keywords["format"]] if low <= len(sample) <= high]
        if samples:
            return samples[0]
    if low > min(high, text.MAX_LENGTH):
        raise UnconstructibleError("minLength is out of reach")
    return ("text " * (low // 5 + 1))[: max(low, 4)].rstrip(" ").ljust(low, "x")[:high]


def _number(keywords: Mapping[str, Any], strategy: SearchStrategy[Any] | None) -> Any:
    low, high = integer_bounds(keywords)
    values = (value for value in (1, 0, low, high) if value is not None)
    for value in text.fitting({**keywords, "type": "number"}, values):
        return value
    return _simplest(strategy)


_SCALARS: Final[Mapping[str, Callable[[Mapping[str, Any]], Any]]] = {
    "string": _string,
    "integer": lambda keywords: _number(keywords, numbers.integers(keywords)),
    "number": lambda keywords: _number(keywords, numbers.numbers(keywords)),
    "boolean": lambda _: True,
    "null": lambda _: None,
}


def _simplest(strategy: SearchStrategy[Any] | None) -> Any:
    if strategy is None:
        raise UnconstructibleError("no value is within the bounds")
    return simplest(strategy)


def _json_excerpt(node: Any) -> str:
    shown = json.dumps(node, default=str)
    return shown if len(shown) <= 80 else shown[:77] + "..."  # noqa: PLR2004 - a line's length
