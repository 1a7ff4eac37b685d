"""Reads the schema of an Amplifier tool's input."""

import inspect
from collections.abc import Mapping
from typing import Any, Final

from ..codec import dumps
from ..foreign import attempt
from ..schema_reading import schema_reading

_OTHER_NAMES: Final = (
    "inputSchema",
    "get_input_schema",
    "schema",
    "parameters",
    "parameters_schema",
    "args_schema",
)
"""Names under which other frameworks have the schema of a tool's input."""


def read_input_schema(tool: Any, name: str) -> dict[str, Any]:
    """The members of a `SchemaReading` of the tool's `input_schema` or `get_schema`, by `name`."""
    if tool is None or attempt(lambda: hasattr(tool, name)) == (False, None):
        return schema_reading("not_callable", error=f"there is no {name}{_instead(tool, name)}")
    value, error = attempt(lambda: getattr(tool, name))
    if error is None and name == "get_schema":
        value, error = attempt(value) if callable(value) else (value, None)
    if error is not None:
        return schema_reading("raised", error=error)
    if inspect.isawaitable(value):
        awaitable: Any = value
        attempt(lambda: awaitable.close())  # noqa: PLW0108 - reading the attribute is guarded too
        return schema_reading("not_callable", error=f"{name} is async")
    text, error = attempt(lambda: dumps(value, ensure_ascii=True, allow_nan=False))
    if error is not None:
        return schema_reading("not_json", error=error)
    return schema_reading("returned", text=text)


def _instead(tool: Any, name: str) -> str:
    names = ("get_schema", *_OTHER_NAMES) if name == "input_schema" and tool is not None else ()
    other_name = next((other for other in names if _has(tool, other)), None)
    return f"; there is {other_name}, which an orchestrator does not read" if other_name else ""


def _has(tool: Any, name: str) -> bool:
    return attempt(lambda: hasattr(tool, name)) == (True, None)


def function_schema(
    name: Mapping[str, Any],
    description: Mapping[str, Any],
    own: Mapping[str, Any],
    other: Mapping[str, Any],
) -> dict[str, Any]:
    """The function as an orchestrator offers it to a model, from the tool's members and its two schema readings.

    Where `input_schema` gives no schema, that of `get_schema` is used.
    """
    schema = own if own["outcome"] == "returned" or other["outcome"] != "returned" else other
    if schema["outcome"] != "returned":
        return dict(schema)
    parts = {"type": "function", "name": name["value"], "description": description["value"]}
    text = f'{dumps(parts)[:-1]}, "parameters": {schema["text"]}}}'
    return schema_reading("returned", text=text)
