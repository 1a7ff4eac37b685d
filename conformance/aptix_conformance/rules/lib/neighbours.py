"""A call that works, made after calls that differ from it in one argument: what it shows of theirs."""

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from aptix_conformance.core.model import Call
from aptix_conformance.core.schemas.shapes import leaves
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib.answers import texts_of
from aptix_conformance.rules.lib.documents import (
    arguments_of,
    has_readable_payload,
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


def same(one: object, other: object) -> bool:
    """Whether two values of JSON are equal; true is not 1."""
    return one == other and isinstance(one, bool) is isinstance(other, bool)
