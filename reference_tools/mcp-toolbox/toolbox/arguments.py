"""Holds the arguments of a call to the tool's inputSchema, by the keywords that the schemas here use.

A library such as `jsonschema` does the same for every keyword.
"""

import re
from typing import Any, Final

_TYPES: Final[dict[str, Any]] = {
    "string": str,
    "integer": int,
    "number": int | float,
    "object": dict,
}


def fault_of(schema: dict[str, Any], value: Any, name: str = "The arguments") -> str | None:
    """What is wrong with a value, as a sentence that tells a model what to change; None if it fits."""
    kind = schema["type"]
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)  # for JSON Schema, 5.0 is an integer
    if not isinstance(value, _TYPES[kind]) or isinstance(value, bool):  # for Python, True is an int
        return f"{name} must be of the type {kind}."
    if "enum" in schema and value not in schema["enum"]:
        return f"{name} must be one of {', '.join(schema['enum'])}."
    if isinstance(value, dict):
        return _fault_of_members(schema, value)
    return (
        _fault_of_text(schema, value, name)
        if isinstance(value, str)
        else _fault_of_number(schema, value, name)
    )


def _fault_of_members(schema: dict[str, Any], value: dict[str, Any]) -> str | None:
    known = schema["properties"]
    for name in schema["required"]:
        if name not in value:
            return f"The argument {name} is missing."
    if not value.keys() <= known.keys():
        return f"There is an unknown argument; known are {', '.join(known)}."
    faults = (fault_of(known[name], inner, f"The argument {name}") for name, inner in value.items())
    return next((fault for fault in faults if fault), None)


def _fault_of_number(schema: dict[str, Any], value: float, name: str) -> str | None:
    least, most = schema["minimum"], schema["maximum"]
    return None if least <= value <= most else f"{name} must be from {least} to {most}."


def _fault_of_text(schema: dict[str, Any], value: str, name: str) -> str | None:
    least, most = schema.get("minLength", 0), schema.get("maxLength", len(value))
    if not least <= len(value) <= most:
        return f"{name} must have from {least} to {most} characters."
    if "pattern" in schema and not re.fullmatch(schema["pattern"], value):
        return f"{name} must match {schema['pattern']}."
    return None
