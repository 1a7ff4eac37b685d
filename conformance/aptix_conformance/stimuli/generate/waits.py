"""Arguments that ask a call to wait: a tool that waits for as long as it is asked to does not hang."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

_NAME: Final = re.compile(
    r"(?:.*_)?(?:delay|wait|sleep|pause)(?:_(?:for|time|duration))?(?P<unit>_(?:s|secs?|seconds?|ms|millis|milliseconds))?"
)
_UNIT: Final = re.compile(r"(?:duration|time|for)?(?P<unit>_?(?:s|secs?|seconds?|ms|millis|milliseconds))?")
"""The name of an argument that asks for one where its description says so."""
_DESCRIBED: Final = re.compile(r"\b(?:wait|sleep|delay|pause)s?\b", re.IGNORECASE)
_MILLISECONDS: Final = frozenset({"ms", "millis", "milliseconds"})
_WORDS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def bounded_waits(
    schema: Mapping[str, Any], examples: Sequence[Mapping[str, Any]] = ()
) -> dict[str, dict[str, float]]:
    """By argument that is a number and asks for a wait, a schema of the longest that calls ask for: a second.

    It is longer where an example asks for more. There is none where the schema has a bound as low, or wants more.
    """
    return {name: {"maximum": most} for name, most in _bounds(schema, examples)}


def _bounds(schema: Mapping[str, Any], examples: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, float]]:
    properties = schema.get("properties")
    for name, node in properties.items() if isinstance(properties, Mapping) else ():
        if not isinstance(node, Mapping) or node.get("type") not in ("integer", "number"):
            continue
        plain = _WORDS.sub("_", name).lower()
        is_described = _DESCRIBED.search(str(node.get("description", "")))
        found = _NAME.fullmatch(plain) or (_UNIT.fullmatch(plain) if is_described else None)
        if found is None:
            continue
        second = 1000 if (found["unit"] or "").lstrip("_") in _MILLISECONDS else 1
        most = max([second, *(each[name] for each in examples if _is_number(each.get(name)))])
        least = [node[key] for key in ("minimum", "exclusiveMinimum") if _is_number(node.get(key))]
        greatest = [node[key] for key in ("maximum", "exclusiveMaximum") if _is_number(node.get(key))]
        if (
            max(least, default=most - 1) < most < min(greatest, default=most + 1)
            and not {"enum", "const", "multipleOf"} & node.keys()
        ):
            yield name, most


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
