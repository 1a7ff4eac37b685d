"""Arguments that a result shows under their own names, and the ways in which one is damaged on its way.

A tool may normalise what it was sent: trim it, clamp it, convert it. So a value that only differs shows nothing. Each kind of
damage here ties the value that is shown to the one that was sent: its nearest double, the integer that is left of it in 32
or 64 bits, its bytes read in another encoding, its time of day with another offset.
"""

import datetime
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from aptix_conformance.core.model import Call
from aptix_conformance.core.schemas.shapes import leaves
from aptix_conformance.rules.lib.documents import (
    arguments_of,
    has_readable_payload,
    is_number,
    payload_of,
    plain,
)
from aptix_conformance.rules.lib.scope import proper

EXACT: Final = 2**53
"""A double holds each integer up to this one."""
ROUNDED: Final = "its nearest double"
_WRAPPED: Final = "what is left of it in {} bits"
_MISREAD: Final = "its bytes in another encoding"
_LOST: Final = "it with characters lost"
MOVED: Final = "its time of day with another offset"

_LONGEST: Final = 10_000
"""Characters of a text that is looked for."""
_BITS: Final = (32, 64)
_ENCODINGS: Final = ("latin-1", "cp1252")
_REPLACEMENT: Final = "\ufffd"
_MOMENT: Final = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)", re.ASCII
)
_ELEMENT: Final = re.compile(r"(?:\[\d+\])+$")


def has_telling_echo(call: Call) -> bool:
    """Whether the result of a call shows, under its name, an argument that careless code damages."""
    return is_plain(call) and any(True for _ in telling_echoes(call))


def is_plain(call: Call) -> bool:
    """Whether a model may make the call, nothing disturbed it, and its payload can be read."""
    return proper(call) and call.plan.disturbance is None and has_readable_payload(call)


def telling_echoes(call: Call) -> Iterator[tuple[str, Any, Any]]:
    """The name, the value sent and the value shown of each argument that careless code damages."""
    sent = [(name, value) for name, value in _named(arguments_of(call)) if _is_telling(value)]
    if sent:
        yield from _shown(call, sent)


def is_kept(call: Call, name: str) -> bool:
    """Whether the call sent an odd integer of that name that a double holds, and no other one came back.

    What rounds to even numbers, or to multiples, changes odd ones.
    """
    sent = [(n, v) for n, v in _named(arguments_of(call)) if plain(n) == name and _is_small_and_odd(v)]
    return bool(sent) and any(same(value, shown) for _, value, shown in _shown(call, sent))


def is_changed(call: Call, name: str) -> bool:
    """Whether an integer of that name came back as another one, though a double holds it."""
    sent = [(n, v) for n, v in _named(arguments_of(call)) if plain(n) == name and _is_small(v)]
    return any(is_number(shown) and not same(value, shown) for _, value, shown in _shown(call, sent))


def damage(sent: Any, shown: Any) -> str:
    """What is shown in place of a value, as a phrase; empty where it is shown as it is, or as what may be meant."""
    if isinstance(sent, int):
        return _damaged_integer(sent, shown) if is_number(shown) else ""
    if isinstance(sent, str) and isinstance(shown, str) and sent != shown:
        return _moved(sent, shown) or _damaged_text(sent, shown)
    return ""


def same(sent: int, shown: Any) -> bool:
    """Whether a number in a payload is the integer that was sent: the text 1e30 stands for the integer 10^30."""
    return is_number(shown) and _decimal(shown) == sent


def _named(value: Any) -> Iterator[tuple[str, Any]]:
    """Each scalar of a document with the name of the member that it is, or is an element of."""
    for place, scalar in leaves(value):
        yield _ELEMENT.sub("", place).rpartition(".")[2], scalar


def _shown(call: Call, sent: list[tuple[str, Any]]) -> Iterator[tuple[str, Any, Any]]:
    """The values that a payload has under the names of some arguments, each with the one that was sent alone of that name."""
    by_name: dict[str, list[tuple[str, Any]]] = {}
    for name, value in sent:
        by_name.setdefault(plain(name), []).append((name, value))
    for name, shown in _named(payload_of(call).value):
        values = by_name.get(plain(name), ())
        if len(values) == 1:
            yield (*values[0], shown)


def _is_telling(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONGEST and (not value.isascii() or bool(_MOMENT.fullmatch(value)))
    return _is_integer(value) and abs(value) >= 2**31


def _is_small(value: Any) -> bool:
    return _is_integer(value) and abs(value) <= EXACT


def _is_small_and_odd(value: Any) -> bool:
    return _is_small(value) and value % 2 == 1 and abs(value) > 1


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _decimal(number: float) -> Decimal:
    """A number as its text says; of a float the shortest text that means it, as all writers of JSON give it."""
    return Decimal(repr(number)) if isinstance(number, float) else Decimal(number)


def _damaged_integer(sent: int, shown: float) -> str:
    if same(sent, shown):
        return ""
    if abs(sent) > EXACT and _decimal(shown) in _doubles(sent) and not _may_be_a_bound(sent, shown):
        return ROUNDED
    for bits in _BITS:
        left = (sent + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)
        # Of the other sign, and large: neither a bound, nor a value that stands for none.
        if same(left, shown) and (left < 0) != (sent < 0) and abs(left) >= 2**31 - 1:
            return _WRAPPED.format(bits)
    return ""


def _may_be_a_bound(sent: int, shown: float) -> bool:
    """Whether a value may be moved to a bound: it got smaller, to a power of two."""
    size = int(abs(shown))
    return size < abs(sent) and size & (size - 1) == 0


def _doubles(sent: int) -> tuple[Decimal, ...]:
    """What the nearest double of an integer is written as: with all its digits, or with as many as tell it from others."""
    try:
        double = float(sent)
    except OverflowError:
        return ()
    return (Decimal(double), _decimal(double))


def _damaged_text(sent: str, shown: str) -> str:
    try:
        encoded = sent.encode()
    except UnicodeEncodeError:  # half of a character: what replaces it is no damage
        return ""
    if sent.isascii():
        return ""
    for encoding in _ENCODINGS:
        if encoded.decode(encoding, "replace") == shown:
            return _MISREAD
    is_lost = _REPLACEMENT in shown and _REPLACEMENT not in sent
    return _LOST if is_lost and _ascii(sent) == _ascii(shown) else ""


def _ascii(text: str) -> str:
    return "".join(filter(str.isascii, text))


def _moved(sent: str, shown: str) -> str:
    """A moment that keeps its time of day, and has another offset: it is another moment."""
    if not (_MOMENT.fullmatch(sent) and _MOMENT.fullmatch(shown)):
        return ""
    try:
        one, other = (datetime.datetime.fromisoformat(text.upper()) for text in (sent, shown))
    except ValueError:
        return ""
    is_moved = one.utcoffset() != other.utcoffset() and _to_seconds(one) == _to_seconds(other)
    return MOVED if is_moved else ""


def _to_seconds(moment: datetime.datetime) -> datetime.datetime:
    return moment.replace(tzinfo=None, microsecond=0)
