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


def is_json_object(text: str) -> bool:
    """Whether the text is JSON with an object at its root; what nests too deeply to be read counts as one."""
    try:
        # Numbers are not converted: their grammar is all that matters, and Python refuses to convert long ones.
        value = json.loads(text, parse_constant=_no_constant, parse_int=len, parse_float=len)
    except RecursionError:
        return True
    except ValueError:
        return False
    return isinstance(value, dict)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
