"""Checks whether a value is a valid JSON Schema."""

from typing import Any

import jsonschema_rs


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
