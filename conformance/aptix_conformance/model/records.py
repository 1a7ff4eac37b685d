"""Frozen dataclasses to JSON and back, strictly.

Observations cross a process boundary written by a party that may lie, and come back from report files that
may be truncated. So the reader trusts nothing: every field is checked against its annotation, and the first
mismatch is a `RecordError` that names its place.
"""

import contextlib
import dataclasses
import enum
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from aptix_conformance.errors import RecordError
from aptix_conformance.text import shown

Json = None | bool | int | float | str | list[Any] | dict[str, Any]

T = TypeVar("T")


def to_json(value: Any) -> Json:
    """The JSON form of a record: dataclasses become objects, tuples arrays, enums their values.

    Raises:
        TypeError: for anything that has no JSON form.
    """
    if isinstance(value, enum.Enum):
        return to_json(value.value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_json(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no JSON form")


def from_json(record: type[T], data: Any, where: str = "") -> T:
    """Read `data`, as `json.loads` gives it, as the dataclass `record`.

    Raises:
        RecordError: a member is missing, unknown, or of another type; `where` prefixes the place named.
    """
    return typing.cast("T", _read(record, data, where or record.__name__))


@cache
def _hints(record: type) -> dict[str, Any]:
    return typing.get_type_hints(record)


def _read(kind: Any, data: Any, where: str) -> Any:
    return _reader_of(kind)(kind, data, where)


@cache
def _reader_of(kind: Any) -> Callable[[Any, Any, str], Any]:
    origin = typing.get_origin(kind) or kind
    return next((read for is_for, read in _READERS if is_for(origin)), _read_scalar)


def _read_scalar(kind: Any, data: Any, where: str) -> Any:
    if kind is float and type(data) is int:
        return float(data)
    if type(data) is not kind:
        raise _mismatch(kind, data, where)
    return data


def _read_union(kind: Any, data: Any, where: str) -> Any:
    options = typing.get_args(kind)
    if data is None and type(None) in options:
        return None
    rest = [option for option in options if option is not type(None)]
    if len(rest) == 1:
        return _read(rest[0], data, where)
    for option in rest:
        with contextlib.suppress(RecordError):
            return _read(option, data, where)
    raise _mismatch(kind, data, where)


def _read_literal(kind: Any, data: Any, where: str) -> Any:
    if data not in typing.get_args(kind):
        raise _mismatch(kind, data, where)
    return data


def _read_enum(kind: Any, data: Any, where: str) -> Any:
    try:
        return kind(data)
    except ValueError:
        raise _mismatch(kind, data, where) from None


def _read_mapping(kind: Any, data: Any, where: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise _mismatch(kind, data, where)
    _, item = typing.get_args(kind)
    return {key: _read(item, value, f"{where}.{key}") for key, value in data.items()}


def _read_tuple(kind: Any, data: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(data, list):
        raise _mismatch(kind, data, where)
    items = typing.get_args(kind)
    if items[-1] is Ellipsis:
        return tuple(_read(items[0], item, f"{where}[{index}]") for index, item in enumerate(data))
    if len(items) != len(data):
        raise RecordError(f"{where}: an array of {len(items)} was expected, not of {len(data)}")
    pairs = zip(items, data, strict=True)
    return tuple(_read(kind, item, f"{where}[{index}]") for index, (kind, item) in enumerate(pairs))


def _read_dataclass(kind: Any, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise _mismatch(kind, data, where)
    hints = _hints(kind)
    fields = {field.name: field for field in dataclasses.fields(kind)}
    unknown = sorted(set(data) - set(fields))
    if unknown:
        raise RecordError(f"{where}: unknown member {unknown[0]!r}")
    values = {}
    for name, field in fields.items():
        if name in data:
            values[name] = _read(hints[name], data[name], f"{where}.{name}")
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise RecordError(f"{where}: the member {name!r} is missing")
    return kind(**values)


def _mismatch(kind: Any, data: Any, where: str) -> RecordError:
    name = kind.__name__ if isinstance(kind, type) else str(kind)
    return RecordError(f"{where}: {name} was expected, not {shown(repr(data), 60)}")


def _is_a(base: type) -> Callable[[Any], bool]:
    return lambda origin: isinstance(origin, type) and issubclass(origin, base)


_READERS: tuple[tuple[Callable[[Any], bool], Callable[[Any, Any, str], Any]], ...] = (
    (lambda origin: origin is Any, lambda _kind, data, _where: data),
    (lambda origin: origin in {typing.Union, types.UnionType}, _read_union),
    (lambda origin: origin is typing.Literal, _read_literal),
    (lambda origin: origin is tuple, _read_tuple),
    (_is_a(enum.Enum), _read_enum),
    (_is_a(Mapping), _read_mapping),
    (dataclasses.is_dataclass, _read_dataclass),
)
