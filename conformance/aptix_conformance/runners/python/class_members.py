"""Reads methods and properties of a class."""

import functools
import inspect
import math
from collections.abc import Iterable
from types import FunctionType
from typing import Any, Final

from .foreign import attempt, cut_text, is_a, mro_of, namespace_of, stored, type_name
from .signatures import parameters_of, record_parameter

_LONGEST_NUMBER: Final = 63  # bits; as text a whole number could be of any length


def read_member(cls: type, name: str) -> dict[str, Any]:
    """The members of a `Member`, without an instance."""
    value, holder = stored(cls, name)
    kind, function, skip = "attribute", None, 0
    if holder is None:
        kind = "missing"
    elif is_a(value, staticmethod):
        kind, function = "static_method", value.__func__
    elif is_a(value, classmethod):
        kind, function, skip = "class_method", value.__func__, 1
    elif is_a(value, FunctionType):
        kind, function, skip = "method", value, 1
    elif is_a(value, property) or is_a(value, functools.cached_property):
        kind = "property"
    parameters = list(parameters_of(function))[skip:] if function is not None else []
    return {
        "name": name,
        "kind": kind,
        "is_async": function is not None and is_async(function),
        "parameters": [record_parameter(p) for p in parameters],
        "value": None,
        "value_type": "",
        "error": None,
    }


def read_property(cls: type, instance: object, name: str, fault: str | None) -> dict[str, Any]:
    """As `read_member`, with the value on an instance. `fault` says why there is no instance."""
    member = read_member(cls, name)
    if fault is not None:
        return member | {"error": f"no instance could be made: {fault}"}
    if member["kind"] == "missing":
        if attempt(lambda: object.__getattribute__(instance, name))[1] is not None or is_in_protocol(
            cls, name
        ):
            return member
        member["kind"] = "attribute"
    value, error = attempt(lambda: getattr(instance, name))
    if error is not None:
        return member | {"error": error}
    return member | {"value": _as_json(value), "value_type": type_name(value)}


def _as_json(value: Any) -> Any:
    """A text, a boolean or a number that JSON can hold; None for anything else."""
    if is_a(value, str):
        return cut_text(value)
    if type(value) is int:
        return value if not abs(value) >> _LONGEST_NUMBER else None
    return value if type(value) is bool or (type(value) is float and math.isfinite(value)) else None


def is_async(function: Any) -> bool:
    """Whether a function, or the one that it wraps, is a coroutine function."""
    inner, _ = attempt(lambda: inspect.unwrap(function))
    return any(attempt(lambda f=f: inspect.iscoroutinefunction(f))[0] is True for f in (function, inner))  # type: ignore[misc]


def is_in_protocol(cls: type, name: str) -> bool:
    """Whether any base has the name, also the contract's protocol."""
    return any(name in namespace_of(base) for base in mro_of(cls))


def annotations_of(cls: type) -> Iterable[str]:
    """The names that a class's own body annotates."""
    annotations = namespace_of(cls).get("__annotations__", ())
    return annotations if type(annotations) is dict else ()
