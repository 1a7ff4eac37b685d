"""The call of a tool that an author would write down as an example: one that was seen to work."""

from collections.abc import Iterable
from typing import Final

from aptix_conformance.core.model import Call, Kind
from aptix_conformance.examine.needed_probes import BASE
from aptix_conformance.stimuli.probes.authors_world import KNOWN

_LIKELIEST: Final = (Kind.EXAMPLE, Kind.DECLARED, Kind.MINIMAL, Kind.FULL)
"""Kinds of calls, the most telling first: what the author wrote, then what the suite made of the schema."""


def working_call(calls: Iterable[Call]) -> str | None:
    """The arguments of the most telling call that succeeded each time, as JSON; None where there is none.

    A call that needed a network does not count: it worked by chance, or did nothing.
    """
    made: dict[str, list[Call]] = {}
    for call in calls:
        if call.plan.probe == BASE and call.plan.arguments is not None:
            made.setdefault(call.plan.arguments, []).append(call)
    worked = {
        text: min(map(_rank, same))
        for text, same in made.items()
        if all(call.succeeded and not call.network for call in same)
    }
    usable = {text: rank for text, rank in worked.items() if rank < len(_LIKELIEST)}
    return min(usable, key=usable.__getitem__, default=None)


def _rank(call: Call) -> int:
    change = call.plan.change.original
    if change.detail == KNOWN:
        return _LIKELIEST.index(Kind.DECLARED)  # a value that the tool itself names
    return _LIKELIEST.index(change.kind) if change.kind in _LIKELIEST else len(_LIKELIEST)
