"""The one codec: typed records to JSON and back, strictly.

A record is a frozen struct whose annotations are its format: the Python type, the JSON and the JSON Schema have one
definition. A hostile process may have written a record, and a report file may be truncated. So parsing is strict: no
member may be unknown, missing or of another type.

`json` writes and parses the text, since msgspec's own JSON codec refuses lone surrogates and writes NaN as null.
"""

import dataclasses
import inspect
import json
import math
import re
from typing import Any, Final, NoReturn, TypeVar, cast

import msgspec

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.text import printable

Json = None | bool | int | float | str | list[Any] | dict[str, Any]
JsonSchema = dict[str, Any]

T = TypeVar("T")

MOST_VALUES: Final = 200_000
"""Limit of JSON values in one text of a stranger. A small value takes about ten times its text in memory."""


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of all records that have a JSON form. Subclasses say `frozen=True` too, for type checkers."""


def to_json(value: Any) -> Any:
    """The JSON form of a record: structs become objects, enums their values, tuples stay.

    Raises:
        TypeError: for anything that has no JSON form.
    """
    return msgspec.to_builtins(value)


def read_json(text: str | bytes, *, most: int | None = None, **hooks: Any) -> Any:
    """The value of a JSON text of a stranger, which `to_text` could write: without NaN, and without numbers beyond floats.

    Args:
        text: the text.
        most: the greatest number of values in a text of bytes; None where there is no limit.
        hooks: further arguments of `json.loads`.

    Raises:
        ValueError: it is no such text, or has too many values.
        RecursionError: it is nested too deep.
    """
    if most is not None and isinstance(text, bytes) and most_values(text) > most:
        raise ValueError(f"it has more than {most:,} values")
    return json.loads(text, parse_constant=_no_constant, parse_float=_finite, **hooks)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{printable(text, 40)} is too large")
    return number


def from_json(record: type[T], data: Any, where: str = "") -> T:
    """Convert `data`, as `json.loads` returns it, to `record`. An integer may stand for a float; nothing else is converted.

    Raises:
        RecordError: a member is missing, unknown, or of another type; `where` is the prefix of its place in the message.
    """
    try:
        return msgspec.convert(data, record, strict=True)
    except (msgspec.ValidationError, ValueError, RecursionError) as error:
        raise RecordError(_described(error, where or record.__name__)) from None


def to_text(value: Any, *, indent: int | None = None) -> str:
    """The JSON text of a record, in ASCII, so that lone surrogates survive and terminals are safe.

    Raises:
        TypeError: it has no JSON form.
        ValueError: it holds NaN or an infinity.
    """
    return json.dumps(to_json(value), indent=indent, ensure_ascii=True, allow_nan=False)


def replace(record: T, **changes: Any) -> T:
    """A copy of a record, or of any dataclass, with some members changed.

    Raises:
        TypeError: there is no such member.
    """
    if isinstance(record, msgspec.Struct):
        return msgspec.structs.replace(record, **changes)
    return cast("T", dataclasses.replace(cast("Any", record), **changes))


def most_values(text: bytes) -> int:
    """An upper bound of the JSON values in a text, in time and memory proportional to its length."""
    bare = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    quotes = bare.count(b'"')
    if quotes > 2 * MOST_VALUES:
        return quotes // 2
    outside = b"".join(bare.split(b'"')[::2])
    return outside.count(b",") + outside.count(b"[") + outside.count(b"{")


def schemas_of(*records: type) -> dict[str, JsonSchema]:
    """The JSON Schemas of the records and of all nested records, by name, for `$defs` of one document."""
    _, schemas = msgspec.json.schema_components(records, ref_template="#/$defs/{name}")
    for schema in schemas.values():
        if "description" in schema:  # a docstring: Python keeps its indentation up to 3.12
            schema["description"] = inspect.cleandoc(schema["description"])
    return schemas


_PLACE: Final = re.compile(r" - at `(?:key in )?\$(.*)`$", re.DOTALL)
_WORDS: Final = (
    (re.compile(r"^Object missing required field `(.*)`$", re.DOTALL), "the member '{}' is missing"),
    (re.compile(r"^Object contains unknown field `(.*)`$", re.DOTALL), "unknown member '{}'"),
    (re.compile(r"^Expected (`.*`), got `(.*)`$"), "{} was expected, not {}"),
    (re.compile(r"^Expected `array` of length (\d+), got (\d+)$"), "an array of {} was expected, not of {}"),
)


def _described(error: Exception, where: str) -> str:
    """The fault and its place. Names in it come from a hostile process and are cut."""
    if not isinstance(error, msgspec.ValidationError):
        return f"{where}: {printable(str(error), 60)}"
    text = str(error)
    place = _PLACE.search(text)
    if place:
        where, text = f"{where}{place[1]}", text[: place.start()]
    for pattern, words in _WORDS:
        if match := pattern.match(text):
            return f"{where}: {words.format(*(printable(part, 60) for part in match.groups()))}"
    return f"{where}: {printable(text, 100)}"
