"""A call that works, made after calls that differ from it in one argument: what it shows of theirs."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from aptix_conformance.core.model import Call
from aptix_conformance.core.schemas.shapes import leaves
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib.answers import texts_of
from aptix_conformance.rules.lib.documents import (
    arguments_of,
    has_readable_payload,
    is_number,
    member,
    payload_of,
    plain,
    strings_in,
)
from aptix_conformance.rules.lib.earlier_calls import first_of_all
from aptix_conformance.rules.lib.kernel import Finding
from aptix_conformance.stimuli.probes.neighbours import BASE

TELLING: Final = 4
"""Characters of a string that is not in a payload by chance."""


def of_neighbours(call: Call) -> bool:
    """Whether the neighbours probe made the call."""
    return call.plan.probe == "neighbours"


def is_last_of_neighbours(call: Call) -> bool:
    """Whether it is the call that works, made after calls that differ from it in one argument."""
    return of_neighbours(call) and call.plan.change.detail == BASE


def taken_over(calls: Sequence[Call]) -> Iterator[Finding]:
    """A finding where a result shows another call's value of an argument, and showed its own in the first call of all.

    The equal calls that follow it directly must all show one value: one by chance may be that of another call.
    """
    own = [call for call in calls if of_neighbours(call) and has_readable_payload(call)]
    lasts = list(filter(is_last_of_neighbours, own))
    if not lasts:
        return
    last, *after = lasts
    sent = arguments_of(last)
    alone = [call for call in calls if call.plan.probe == "valid" and has_readable_payload(call)]
    first = next((call for call in alone if arguments_of(call) == sent), None)
    before = dict(leaves(payload_of(first).value)) if first else {}
    later = [dict(leaves(payload_of(call).value)) for call in after]
    by_name = {plain(name): value for name, value in sent.items()}
    for place, value in leaves(payload_of(last).value):
        name = plain(place.rpartition(".")[2])
        if (
            name not in by_name
            or "[" in place
            or not same(before.get(place), by_name[name])
            or same(value, by_name[name])
            or any(not same(one.get(place), other.get(place)) for one, other in pairwise(later))
        ):
            continue
        others = [member(arguments_of(call), name) for call in own if call is not last]
        if any(same(value, other) for other in others):
            message = f"{printable(place.removeprefix('$.'), 60)} is {printable(json.dumps(value), 60)}, as for an earlier call with other arguments."
            yield Finding(message, last, cause=("taken over", name))


def leaked_texts(calls: Sequence[Call], last: Sequence[Call]) -> set[str]:
    """The texts that only calls with other arguments sent, and that `last`, equal calls after them, show.

    None where the call that works was not made before them.
    """
    alone = first_of_all(calls, last[0])
    if alone is None:
        return set()
    own = [call for call in calls if of_neighbours(call) and has_readable_payload(call)]
    texts = (text for call in own for text in strings_in(list(arguments_of(call).values())))
    sent = {text for text in texts if len(text) >= TELLING}
    return sent & _steadily_shown(last) - texts_of([alone])


def _steadily_shown(last: Sequence[Call]) -> set[str]:
    """The texts of equal calls in a row, without those that only some of them show that no other call came before."""
    first, *later = (texts_of([call]) for call in last)
    return first.union(*later) - (set().union(*later) - set[str].intersection(*later) if later else set())


def grown_by_others(calls: Sequence[Call], last: Sequence[Call]) -> tuple[str, list[Any]] | None:
    """The first array that holds what it held alone and, besides, numbers that only calls with other arguments sent.

    With these numbers, as the first two of `last` show them, equal calls after the others; None without such an array. What was
    added consists of arguments alone, its own or the others'.
    """
    alone = first_of_all(calls, last[0])
    if alone is None or any(call.files for call in last):
        return None
    others = [call for call in calls if of_neighbours(call) and not is_last_of_neighbours(call)]
    own, known = _numbers_in(arguments_of(last[0])), _numbers_in(payload_of(alone).value)
    foreign = {number for call in others for number in _numbers_in(arguments_of(call))}
    foreign -= own | known | _COMMON
    before = dict(_arrays(payload_of(alone).value))
    after = [
        dict(_arrays(payload_of(call).value)) for call in last[:_TWICE]
    ]  # a list may keep the latest only
    for place, held in before.items():
        rows = [_added(held, each[place]) for each in after if place in each]
        if len(rows) < _TWICE:
            continue
        shown = set[Any].intersection(*(foreign & _numbers_in(row) for row in rows))
        if shown and all(_numbers_in(item) <= foreign | own for row in rows for item in row):
            return place, sorted(shown)
    return None


_TWICE: Final = 2
_COMMON: Final = frozenset({-1, 0, 1})
"""Numbers that an array may hold by chance."""


def _added(held: Sequence[Any], later: Sequence[Any]) -> list[Any]:
    """What an array holds besides what it held before; nothing where it lost something."""
    rest = list(later)
    for item in held:
        if item not in rest:
            return []
        rest.remove(item)
    return rest


def _arrays(value: Any, place: str = "$") -> Iterator[tuple[str, list[Any]]]:
    """The arrays of a document by their places, outside of other arrays."""
    if isinstance(value, list):
        yield place, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _arrays(inner, f"{place}.{name}")


def _numbers_in(value: Any) -> set[Any]:
    return {scalar for _, scalar in leaves(value) if is_number(scalar)}


def same(one: object, other: object) -> bool:
    """Whether two values of JSON are equal; true is not 1."""
    return one == other and isinstance(one, bool) is isinstance(other, bool)


def steady(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The values by place that are equal in all of some answers, of which there must be two at least."""
    if len(answers) < _TWICE:
        return {}
    first, *others = answers
    return {
        place: value
        for place, value in first.items()
        if all(place in answer and same(answer[place], value) for answer in others)
    }
