"""Probe `neighbours`: a call that works, made after calls that differ from it in one argument.

A cache that is keyed by some of the arguments, or a list that is kept in a default argument, gives the call something of
an earlier one. The `valid` probe made the call before any other; here it comes last, in a fresh process.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from aptix_conformance.core.model import Call, Change, Kind, Shortfall, Stimulus, kept_files
from aptix_conformance.stimuli.generate import write
from aptix_conformance.stimuli.generate.schema_members import Members, join
from aptix_conformance.stimuli.probes.contexts import without_own_identifiers
from aptix_conformance.stimuli.probes.planning import plan
from aptix_conformance.stimuli.probes.probe import Probe, Subject

BASE: Final = kept_files.BASE
"""The detail of the call that all others differ from."""
TEXT: Final = "neighbouring text"
"""The value that is sent for a text in addition to those that worked: no result has it by chance."""
_TIMES: Final = 2
"""How often the call that works is made at the end."""
_TIMES_IF_DIFFERENT: Final = 10
"""The same where it is answered differently: a value may change by turns, or by chance."""
_NEIGHBOUR: Final = "neighbour"
_MOST_VALUES: Final = 2
"""Other values of one argument whose values the schema does not list; of the others, each that worked is sent."""
_MOST: Final = 24
"""The most calls that differ from the one that works."""


class NeighboursProbe(Probe):
    """Plans calls that differ from one that works in one argument, then that one, twice or, where it is answered differently, ten times."""

    name = kept_files.NEIGHBOURS
    in_sequence = True
    in_fresh_process = True

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The calls in their order; the last ones are equal."""
        base = base_of_neighbours(calls)
        others = [] if base is None else _neighbours(subject, calls, json.loads(base.plan.arguments or "{}"))
        if base is None or not others:
            return
        for number, arguments in enumerate(others[-_MOST:], start=1):
            yield plan(
                subject, self.name, Change(Kind.SAME, detail=_NEIGHBOUR, number=number), write(arguments)
            )
        kind = Kind.IDEMPOTENT if subject.settings.idempotent else Kind.SAME
        for number in range(1, _TIMES_IF_DIFFERENT + 1):
            if number > _TIMES and not _differ([base, *calls[1 - number :]]):
                break
            change = Change(kind, detail=BASE, number=number)
            yield plan(subject, self.name, change, write(json.loads(base.plan.arguments or "{}")))

    def shortfall(self, subject: Subject, calls: Sequence[Call]) -> Shortfall | None:
        """No call has a neighbour, or has more neighbours than are made."""
        base = base_of_neighbours(calls)
        own = [number for number, call in enumerate(calls) if call.plan.probe == self.name]
        if base is not None and own:
            sent = sum(calls[number].plan.change.detail == _NEIGHBOUR for number in own)
            count = len(_neighbours(subject, calls[: own[0]], json.loads(base.plan.arguments or "{}")))
            reason = f"{count - sent} of {count} calls that differ from one that works in one argument were left out"
            return Shortfall(self.name, reason, reduced_coverage=True) if count > sent else None
        reason = (
            "no call succeeded that could be made after others"
            if base is None
            else "its calls have no others beside them"
        )
        return Shortfall(self.name, reason, reduced_coverage=True, expected=base is not None)


def _differ(calls: Sequence[Call]) -> bool:
    """Whether some calls have different payloads, their identifiers aside."""
    texts = [(call.result and call.result.payload) or "" for call in calls]
    return len({without_own_identifiers(text) for text in texts}) > 1


def base_of_neighbours(calls: Sequence[Call]) -> Call | None:
    """The first valid call that succeeded."""
    return next((call for call in calls if call.plan.probe == "valid" and call.succeeded), None)


def _neighbours(subject: Subject, calls: Sequence[Call], base: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The base call with another value of one argument: a value that a call had that succeeded.

    Each value that is recognised comes once more at the end, all in one call: the base call follows it.
    """
    arguments = subject.arguments
    worked = [json.loads(c.plan.arguments or "{}") for c in calls if c.plan.probe == "valid" and c.succeeded]
    variants, recognisable = [], dict[str, Any]()
    members = Members(arguments.schema) if arguments else None
    for name in arguments.properties if arguments else ():
        known_values = [document[name] for document in (base, *worked) if name in document]
        recognised = _recognisable(known_values)
        values = {write({name: value}): value for value in (*recognised, *known_values)}
        values.pop(write({name: base[name]}) if name in base else "", None)
        candidates = ({**base, name: value} for value in values.values())
        allowed = [document for document in candidates if arguments and arguments.judge.admits(document)]
        if not (members and members.values(join("", name))):
            allowed = allowed[:_MOST_VALUES]
        variants += allowed
        if recognised and allowed and allowed[0][name] == recognised[0]:
            recognisable[name] = recognised[0]
    last = {**base, **recognisable}
    is_new = recognisable and last != variants[-1] and arguments and arguments.judge.admits(last)
    return [*variants, last] if is_new else variants


def _recognisable(values: Sequence[Any]) -> list[Any]:
    """A value of the form of the first one that is recognised wherever it occurs; none for what is no text."""
    first = values[0] if values else None
    if isinstance(first, str):
        return [TEXT]
    return [[TEXT]] if isinstance(first, list) and first and isinstance(first[0], str) else []
