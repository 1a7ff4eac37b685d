"""Reads a tool's schema once."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

from .class_members import read_member
from .codec import dumps
from .foreign import attempt, type_name
from .signatures import is_required, parameters_of

_isawaitable: Final = inspect.isawaitable


def read_schema(  # noqa: PLR0911 - one for each thing that can be wrong
    cls: type, call: Callable[[Any], Any] = lambda get_schema: get_schema()
) -> dict[str, Any]:
    """The members of a `SchemaReading`; `call(get_schema)` calls the method."""
    if read_member(cls, "get_schema")["kind"] == "missing":
        return schema_reading("not_callable", error="there is no get_schema")
    bound, error = attempt(lambda: cls.get_schema)  # type: ignore[attr-defined]
    if error is not None:
        return schema_reading("raised", error=error)
    if not callable(bound):
        return schema_reading("not_callable", error=f"get_schema is a {type_name(bound)}, not a method")
    needed = [p.name for p in parameters_of(bound) if is_required(p)]
    if needed:
        return schema_reading("not_callable", error=f"get_schema needs {', '.join(needed)}")
    value, error = attempt(lambda: call(bound))
    if error is not None:
        return schema_reading("raised", error=error)
    if attempt(lambda: _isawaitable(value))[0] is True:
        attempt(lambda: value.close())  # noqa: PLW0108 - reading the attribute is guarded too
        return schema_reading("not_callable", error="get_schema is async")
    text, error = attempt(lambda: dumps(value, ensure_ascii=True, allow_nan=False, default=_as_dict))
    if error is not None:
        return schema_reading("not_json", error=error)
    return schema_reading("returned", text=text)


def schema_reading(outcome: str, text: str | None = None, error: str | None = None) -> dict[str, Any]:
    """The members of a `SchemaReading`."""
    return {"outcome": outcome, "text": text, "error": error}


def _as_dict(value: Any) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return {key: value[key] for key in value}
    raise TypeError(f"a {type_name(value)} has no JSON form")
