"""Checks whether a value is a valid JSON Schema, and whether a schema allows a value."""

from typing import Any

import jsonschema_rs

from aptix_conformance.core.text import has_surrogate


def schema_fault(schema: Any) -> str | None:
    """Why a value is no self-contained JSON Schema of draft 2020-12; None where it is one.

    Raises:
        ValueError: the validator cannot read it: a number or a text is beyond its types.
    """
    if not isinstance(schema, (dict, bool)):
        return "it is neither an object nor true or false"
    try:
        jsonschema_rs.Draft202012Validator(schema, offline=True)
    except jsonschema_rs.ValidationError as error:
        return " ".join(str(error).split())
    return None


def is_valid(validator: jsonschema_rs.Draft202012Validator, value: object) -> bool:
    """Whether a schema allows a value; False where the validator cannot tell, as of a lone surrogate or of deep nesting."""
    try:
        return validator.is_valid(value)
    except ValueError:
        return False


def surrogate_place(schema: Any) -> tuple[str, ...] | None:
    """Where a name or a text has half of a character (a lone surrogate), which no validator reads; None where none has."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), schema)]
    while waiting:
        place, value = waiting.pop()
        members: list[tuple[str, Any]] = []
        if isinstance(value, str):
            if has_surrogate(value):
                return place
        elif isinstance(value, dict):
            if any(map(has_surrogate, value)):
                return place
            members = list(value.items())
        elif isinstance(value, list):
            members = [(str(index), item) for index, item in enumerate(value)]
        waiting += [((*place, name), item) for name, item in reversed(members)]
    return None
