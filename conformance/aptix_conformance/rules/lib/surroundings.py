"""Whether the time zone or the locale of a process changes what a call answers there.

Each comparison needs values that were equal whenever the same call was made under the same conditions. A value that another clock
changes tells the present, and a result that says its zone is understood wherever it is read: neither shows anything.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from aptix_conformance.core.model import Call, Kind, OtherConditions
from aptix_conformance.core.schemas.shapes import leaves
from aptix_conformance.rules.lib.documents import arguments_of, has_readable_payload, is_number
from aptix_conformance.rules.lib.identifiers import without_identifiers
from aptix_conformance.rules.lib.neighbours import same, steady
from aptix_conformance.stimuli.probes.other_conditions import EAST, GERMAN, LATER, WEST, WORDS

_TWICE: Final = 2
_DIGITS: Final = re.compile(r"\d+")
_IN_WEST: Final = re.compile(r"Marquesas|[-\u2212]0?9:?30\b")
_IN_EAST: Final = re.compile(r"Tokyo|Japan|\bJST\b|\+0?9:?00\b|\+0?9\b")
_WEST_OFFSETS: Final = (9.5, 570, 34_200, 34_200_000)
_EAST_OFFSETS: Final = (9, 540, 32_400, 32_400_000)
"""What stands for the offsets of the two zones, in hours to milliseconds, with either sign."""
_FORMATTED: Final = re.compile(r"\d+(?:[.,/'\u2019\u00a0\u202f-]\d+)+")

Values = Mapping[str, Any]
"""The scalars of payloads by place."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A place of a payload with two values under two conditions, and the first call with the second one."""

    place: str
    one: Any
    other: Any
    call: Call


def under(call: Call, conditions: OtherConditions | None = None) -> bool:
    """Whether a call was made, with a readable result, under such conditions; under any others if none are given."""
    own = call.plan.disturbance
    if not isinstance(own, OtherConditions) or call.left_out or not has_readable_payload(call):
        return False
    return conditions is None or own == conditions


def moved_by_zone(calls: Sequence[Call]) -> Difference | None:
    """The first value that is another in each of two time zones; None without one."""
    west, east, later = ([call for call in calls if under(call, zone)] for zone in (WEST, EAST, LATER))
    if len(west) < _TWICE or len(east) < _TWICE or not later:
        return None
    one, other = _steady([*west, *later]), _steady(east)
    usual = _steady(_usual(calls, west[0]))
    if _says_zone(west[0], east[0]) or _is_offset(one, other):
        return None
    return next(
        (
            Difference(place, one[place], other[place], east[0])
            for place in sorted(one.keys() & other.keys() & usual.keys())
            if not same(one[place], other[place]) and _may_be_time(one[place], other[place])
        ),
        None,
    )


def formatted_by_locale(calls: Sequence[Call]) -> Difference | None:
    """The first value that is written in another way with another locale; None without one."""
    german = [call for call in calls if under(call, GERMAN)]
    if len(german) < _TWICE:
        return None
    usual, other = _steady(_usual(calls, german[0])), _steady(german)
    return next(
        (
            Difference(place, usual[place], other[place], german[0])
            for place in sorted(usual.keys() & other.keys())
            if _is_same_otherwise_written(usual[place], other[place])
        ),
        None,
    )


def _usual(calls: Sequence[Call], like: Call) -> Iterator[Call]:
    """The equal calls that were made before under the usual conditions, one after another."""
    arguments = arguments_of(like)
    return (
        call
        for call in calls
        if call.plan.probe in ("valid", "repeat")
        and call.plan.disturbance is None
        and call.plan.kind is not Kind.TOGETHER
        and has_readable_payload(call)
        and arguments_of(call) == arguments
    )


def _steady(calls: Iterable[Call]) -> Values:
    """The values that are equal in all of some calls, two at least."""
    return steady([dict(leaves(without_identifiers(call))) for call in calls])


def _says_zone(west: Call, east: Call) -> bool:
    texts = [(call.result and call.result.payload) or "" for call in (west, east)]
    return any(
        pattern.search(texts[number]) and not pattern.search(texts[1 - number])
        for number, pattern in enumerate((_IN_WEST, _IN_EAST))
    )


def _is_offset(one: Values, other: Values) -> bool:
    """Whether some number is the offset of each of the two zones."""
    numbers = ((one[place], other[place]) for place in one.keys() & other.keys())
    return any(
        is_number(west)
        and is_number(east)
        and abs(west) in _WEST_OFFSETS
        and _EAST_OFFSETS[_WEST_OFFSETS.index(abs(west))] == abs(east)
        for west, east in numbers
    )


def _may_be_time(one: Any, other: Any) -> bool:
    """Whether two values may be a moment, or what follows from one: numbers, or texts with a number or the name of a day."""
    if is_number(one) and is_number(other):
        return True
    if not (isinstance(one, str) and isinstance(other, str)):
        return False
    return all(_DIGITS.search(text) or WORDS.search(text) for text in (one, other))


def _is_same_otherwise_written(one: Any, other: Any) -> bool:
    """Whether a text shows the same number or date with other marks, or in another order or language, or a number is the same with its point elsewhere."""
    if is_number(one) and is_number(other):
        return not same(one, other) and _significant(one) == _significant(other)
    if not (isinstance(one, str) and isinstance(other, str)) or one == other:
        return False
    pairs = zip(_FORMATTED.findall(one), _FORMATTED.findall(other), strict=False)
    if any(before != after and _digits(before) == _digits(after) for before, after in pairs):
        return True
    is_translated = WORDS.search(one) and not WORDS.search(other)
    return bool(is_translated and _digits(one) == _digits(other) != [])


def _digits(text: str) -> list[int]:
    """The numbers in a text, in any order."""
    return sorted(int(digits[:20]) for digits in _DIGITS.findall(text))


def _significant(number: float) -> str:
    """A number without the place of its point: what stands before the exponent, to twelve digits."""
    return f"{Decimal(str(number)):.11e}".partition("e")[0]
