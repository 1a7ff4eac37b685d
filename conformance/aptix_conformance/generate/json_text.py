"""JSON text as callers write it, and the strict reading that tells what is JSON at all (RFC 8259)."""

import json
from collections.abc import Mapping
from typing import Any, Final, Literal, NoReturn

Style = Literal["plain", "compact", "escaped", "indented"]

STYLES: Final[tuple[Style, ...]] = ("plain", "compact", "escaped", "indented")


def write(arguments: Mapping[str, Any], style: Style = "plain") -> str:
    """An object as strict JSON; the styles differ in white space and in escapes, never in meaning.

    Raises:
        ValueError: the object holds NaN, an infinity, or an integer of more than 4,300 digits.
    """
    if style == "compact":
        return json.dumps(arguments, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if style == "indented":
        return "\r\n" + json.dumps(arguments, ensure_ascii=False, allow_nan=False, indent="\t") + " \n"
    return json.dumps(arguments, ensure_ascii=style == "escaped", allow_nan=False)


def is_json(text: str) -> bool:
    """Whether RFC 8259's grammar allows the text; what nests too deeply to be read counts as allowed."""
    return _read(text) is not _NOT_JSON


def is_json_object(text: str) -> bool:
    """Whether the text is JSON with an object at its root; what nests too deeply to be read counts as one."""
    value = _read(text)
    return value is _TOO_DEEP or isinstance(value, dict)


_NOT_JSON: Final = object()
_TOO_DEEP: Final = object()


def _read(text: str) -> object:
    # Numbers are not converted: their grammar is all that matters, and Python refuses to convert long ones.
    try:
        return json.loads(text, parse_constant=_no_constant, parse_int=len, parse_float=len)
    except RecursionError:
        return _TOO_DEEP
    except ValueError:
        return _NOT_JSON


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
