"""What the configuration takes away of a tool: the arguments to which it lets the suite send fewer values."""

import math
from collections.abc import Mapping
from typing import Any, Final

import jsonschema_rs

from aptix_conformance.app.certificates.statement import NarrowedPart, canonical

_WIDE: Final = frozenset({"type", "description", "title", "default", "examples"})
"""The keywords that leave a value as free as its type."""
_FROM: Final = 8
"""The length from which on the number of texts is taken for unlimited."""
_OF_TYPE: Final = {"null": 1, "boolean": 2}
"""How many values a type has; other types have more than can be counted."""


def narrowed(arguments: Mapping[str, Any]) -> tuple[NarrowedPart, ...]:
    """The arguments that a configuration narrows, each with the number of values that it leaves, sorted by name."""
    return tuple(NarrowedPart(name, values_of(arguments[name])) for name in sorted(arguments))


def values_of(schema: Any) -> int | None:
    """How many different values a schema allows at least; None where no number limits them.

    The number of what a pattern, a format or a combination of schemas allows is not known. It counts as one.
    """
    if not isinstance(schema, Mapping):
        return None if schema is True else 0
    if "enum" in schema or "const" in schema:
        return _listed(schema)
    keywords = schema.keys() - _WIDE
    if not keywords:
        return _of_types(schema)
    if keywords <= {"minimum", "maximum"}:
        return _in_range(schema)
    if keywords <= {"minLength", "maxLength"}:
        return _of_length(schema.get("minLength", 0), schema.get("maxLength", math.inf))
    return 1


def _listed(schema: Mapping[str, Any]) -> int:
    """How many of the listed values the whole schema allows; 1 and 1.0 are one value."""
    values = schema["enum"] if "enum" in schema else [schema["const"]]
    try:
        validator = jsonschema_rs.validator_for(dict(schema))
        allowed = [value for value in values if validator.is_valid(value)]
    except (ValueError, TypeError):
        return 1
    return len({canonical(_as_integer(value)) for value in allowed})


def _as_integer(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _of_types(schema: Mapping[str, Any]) -> int | None:
    types = schema.get("type")
    counts = [_OF_TYPE.get(one) for one in ([types] if isinstance(types, str) else types or ["any"])]
    return None if None in counts else sum(count or 0 for count in counts)


def _in_range(schema: Mapping[str, Any]) -> int | None:
    least, most = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    if least > most:
        return 0
    if math.isinf(most - least):
        return None
    return math.floor(most) - math.ceil(least) + 1 if schema.get("type") == "integer" else 1


def _of_length(least: float, most: float) -> int | None:
    if least > most:
        return 0
    return None if most >= _FROM else 1
