"""Finds the pattern for which the suite can generate no text, though the schema may allow one."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from aptix_conformance.stimuli.generate import text
from aptix_conformance.stimuli.generate.reader import Alternative, SchemaReader

_DEEPEST: Final = 5
_MOST: Final = 300


def unmade_pattern(schema: Mapping[str, Any]) -> str | None:
    """The first pattern of a required value for which no text can be generated; None if there is none."""
    reader = SchemaReader(schema)
    waiting: list[tuple[Any, int]] = [({"allOf": [schema, {"type": "object"}]}, 0)]
    for _ in range(_MOST):
        if not waiting:
            break
        node, level = waiting.pop(0)
        for shape in reader.alternatives(node):
            pattern = shape.keywords.get("pattern")
            if (
                pattern is not None
                and shape.types[:1] == ("string",)
                and text.strings(shape.keywords) is None
            ):
                return str(pattern)
            if level < _DEEPEST:
                waiting += [(part, level + 1) for part in _needed(shape)]
    return None


def _needed(shape: Alternative) -> Iterator[Any]:
    keywords = shape.keywords
    properties = keywords.get("properties", {})
    yield from (properties[name] for name in keywords.get("required", ()) if name in properties)
    if keywords.get("minItems", 0) > 0:
        yield from (keywords[key] for key in ("items", "contains") if key in keywords)
