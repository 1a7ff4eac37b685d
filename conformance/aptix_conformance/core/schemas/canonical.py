r"""The canonical form of JSON, and the fingerprint of a schema.

RFC 8785, with two exceptions where it would lose information or refuse the input:

- Integers stay exact. RFC 8785 puts every number through a double, and so gives 2^63-1 and 2^63 one form. Here
  an integer has that form only if it parses back to the same integer; otherwise it is written with all its digits.
- A lone surrogate is written as its escape (`\ud800`), as JavaScript's `JSON.stringify` writes it. RFC 8785 makes
  it an error, but a schema may hold one and must still have a fingerprint.
"""

import hashlib
import json
import math
import re
from decimal import Decimal
from typing import TypeAlias

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.model.codec import Json
from aptix_conformance.core.text import printable

# The path to a value, innermost step last. It is a linked list, because a text built at each level would make the
# work quadratic in the depth of a hostile schema.
_Where: TypeAlias = "tuple[_Where, str | int] | None"

_SURROGATE = re.compile("[\ud800-\udfff]")
_EXACT_IN_A_DOUBLE = 2**53
_PLAIN_DIGITS = 21
_LEADING_ZEROS = -6


def fingerprint(schema: Json) -> str:
    """`sha256:` and the hexadecimal SHA-256 of the canonical form.

    Raises:
        RecordError: as `canonical`.
    """
    return f"sha256:{hashlib.sha256(canonical(schema)).hexdigest()}"


def fingerprint_of_text(text: str | None) -> str | None:
    """The fingerprint of a schema as emitted; None where there is none, or it has no canonical form."""
    if text is None:
        return None
    try:
        return fingerprint(parse_schema(text))
    except RecordError:
        return None


def parse_schema(text: str) -> Json:
    """Parse a schema as a tool emitted it.

    Raises:
        RecordError: it is no JSON, or more than the parser can take.
    """
    try:
        parsed: Json = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(
            f"the schema is not JSON that can be read ({error}); emit a smaller, valid one"
        ) from None
    return parsed


def canonical(value: Json) -> bytes:
    """The canonical form, as UTF-8.

    Raises:
        RecordError: a number that JSON does not have, a value that is no JSON, or nesting past Python's stack.
    """
    pieces: list[str] = []
    try:
        _write(value, pieces, None)
    except RecursionError:
        raise RecordError("schema: nested too deeply for a canonical form; flatten it") from None
    return "".join(pieces).encode()


def _write(value: Json, out: list[str], where: _Where) -> None:
    if isinstance(value, dict):
        separator = "{"
        for key in sorted(value, key=lambda key: _utf16(key, where)):
            out.append(f"{separator}{_string(key)}:")
            _write(value[key], out, (where, key))
            separator = ","
        out.append("}" if value else "{}")
    elif isinstance(value, (list, tuple)):
        separator = "["
        for index, item in enumerate(value):
            out.append(separator)
            _write(item, out, (where, index))
            separator = ","
        out.append("]" if value else "[]")
    else:
        out.append(_scalar(value, where))


def _scalar(value: Json, where: _Where) -> str:
    if isinstance(value, str):
        return _string(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise RecordError(f"{_place(where)}: {value} is not a JSON number; write a finite one")
        return _double(value)
    raise RecordError(f"{_place(where)}: {type(value).__name__} has no JSON form")


def _place(where: _Where) -> str:
    steps: list[str] = []
    while where is not None:
        where, step = where
        steps.append(f"[{step}]" if isinstance(step, int) else f".{printable(step, 40)}")
    return "schema" + "".join(reversed(steps))


def _utf16(key: object, where: _Where) -> bytes:
    """The sort key of RFC 8785; big-endian bytes sort like UTF-16 code units."""
    if not isinstance(key, str):
        raise RecordError(f"{_place(where)}: the key {key!r} is not a string")
    return key.encode("utf-16-be", "surrogatepass")


def _string(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _integer(value: int) -> str:
    if abs(value) <= _EXACT_IN_A_DOUBLE:
        return str(value)
    # Decimal, because str() refuses an int of more than 4,300 digits.
    exact = Decimal(value)
    try:
        rounded = _double(float(value))
    except OverflowError:
        return f"{exact:f}"
    return rounded if Decimal(rounded) == exact else f"{exact:f}"


def _double(value: float) -> str:
    """A finite double as ECMAScript writes it (Number::toString); Python finds the same shortest digits."""
    if value == 0:
        return "0"
    sign, numerals, exponent = Decimal(repr(value)).as_tuple()
    digits = "".join(map(str, numerals)).rstrip("0")
    point = len(numerals) + int(exponent)
    if point > _PLAIN_DIGITS or point <= _LEADING_ZEROS:
        power = f"e{point - 1:+d}"
        text = f"{digits[0]}.{digits[1:]}{power}" if len(digits) > 1 else f"{digits}{power}"
    elif point <= 0:
        text = f"0.{'0' * -point}{digits}"
    elif len(digits) <= point:
        text = digits.ljust(point, "0")
    else:
        text = f"{digits[:point]}.{digits[point:]}"
    return f"-{text}" if sign else text
