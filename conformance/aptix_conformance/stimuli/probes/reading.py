"""Probe `reading`: calls that work, to observe which arguments the tool reads.

Successful calls are repeated, up to a number of different ones. The fullest one is also made with each listed value
of an argument, because a tool may read one argument only for some value of another. An `extra` call has a member that the
tool looked up and its schema does not declare; its `control` call has a member that no tool can know. An `other` call has
an impossible value for a member that no call was observed to read: a tool that refuses it has read it unobserved.
`runners/python/disturb/arguments` documents how reads are observed.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from aptix_conformance.core.model import (
    Call,
    Change,
    Kind,
    Missed,
    Reading,
    Shortfall,
    Stimulus,
    WatchedArguments,
)
from aptix_conformance.stimuli.generate import write
from aptix_conformance.stimuli.generate.schema_members import Members, found_at, join, parts, placed, spoken
from aptix_conformance.stimuli.probes.planning import argument_label, plan
from aptix_conformance.stimuli.probes.probe import Probe, Subject
from aptix_conformance.stimuli.probes.value_variants import differing, evenly, fullest, turned

KIND: Final = "arguments"
"""The kind of disturbance."""

MARK: Final = "{       "
"""The white space that marks the document for the host."""

OTHER: Final = "cnry-unread-5d1e07"
"""Part of the impossible value: if it comes back in a result, the argument was read."""

NOBODY: Final = "aptix_nobody_knows_this"
"""The name of a member that no tool can know."""

VALUES: Final[tuple[Any, ...]] = ("aptix", 1, True, [], {})
"""Values for an argument whose name alone is known."""

_MOST_AGAIN: Final = 20
_MOST_TURNS: Final = 200
"""The most listed values with which the fullest call is made."""
_MOST_MEMBERS: Final = 10


class ReadingProbe(Probe):
    """Plans watched repetitions of calls that worked."""

    name = "reading"

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The repeated calls, then calls about single members; later plans depend on earlier calls."""
        if KIND not in subject.disturbances or subject.schema is None:
            return
        members = Members(subject.schema)
        yield from self._repetitions(subject, members, calls)
        yield from self._about_members(subject, members, calls)

    def shortfall(self, subject: Subject, calls: Sequence[Call]) -> Shortfall | None:
        """The host cannot observe reads, the tool fails while it is watched, or has too many listed values."""
        if KIND not in subject.disturbances:
            reason = "this host cannot see which arguments are read"
            return Shortfall(self.name, reason, reduced_coverage=True, expected=True)
        repeated = [call for call in reading(calls) if call.plan.kind is Kind.AGAIN]
        if repeated and not any(call.succeeded for call in repeated):
            reason = "calls that work do not when their arguments are watched, so that was not examined"
            return Shortfall(self.name, reason, reduced_coverage=True)
        turned_calls = sum(call.plan.kind is Kind.TURN for call in reading(calls))
        if turned_calls < _MOST_TURNS:
            return None
        base = fullest(differing(calls))
        count = sum(1 for _ in self._turns(subject, Members(subject.schema or {}), base))
        reason = f"of {count} listed values of arguments {turned_calls} were watched"
        return Shortfall(self.name, reason, reduced_coverage=True) if turned_calls < count else None

    def _repetitions(self, subject: Subject, members: Members, calls: Sequence[Call]) -> Iterator[Stimulus]:
        documents = differing(calls)
        for number, document in enumerate(documents[:_MOST_AGAIN], start=1):
            yield self._plan(subject, Change(Kind.AGAIN, number=number), document)
        if documents:
            yield from islice(self._turns(subject, members, fullest(documents)), _MOST_TURNS)

    def _about_members(self, subject: Subject, members: Members, calls: Sequence[Call]) -> Iterator[Stimulus]:
        for missed, document in undeclared(members, calls):
            yield from self._extra(subject, missed, document, calls)
        for path in list(unasked(members, calls))[:_MOST_MEMBERS]:
            document = next(d for d in (_arguments(c) for c in watched(calls)) if found_at(d, path))
            changed = placed(document, path, {OTHER: [OTHER]})
            yield self._plan(subject, Change(Kind.OTHER, argument_label(spoken(path))), changed)

    def _plan(self, subject: Subject, change: Change, document: Any) -> Stimulus:
        text = MARK + write(document)[1:]
        return plan(subject, self.name, change, text, disturbance=WatchedArguments())

    def _turns(self, subject: Subject, members: Members, base: Mapping[str, Any]) -> Iterator[Stimulus]:
        for number, (path, value) in enumerate(evenly(members), start=1):
            changed = turned(subject, base, path, value)
            if changed is not None:
                change = Change(Kind.TURN, argument_label(spoken(path)), number=number)
                yield self._plan(subject, change, changed)

    def _extra(
        self, subject: Subject, missed: Missed, document: Any, calls: Sequence[Call]
    ) -> Iterator[Stimulus]:
        path = join(missed.path, missed.names[0])
        values = [*([] if missed.default is None else [json.loads(missed.default)]), *VALUES]
        for number, value in enumerate(values, start=1):
            change = Change(Kind.EXTRA, argument_label(spoken(path)), number=number)
            stimulus = self._plan(subject, change, placed(document, path, value))
            yield stimulus
            if calls and calls[-1].plan == stimulus and calls[-1].succeeded:
                break
        else:
            return
        if missed.by == "class":
            strange = placed(document, join(missed.path, NOBODY), calls[-1].plan.label)
            yield self._plan(subject, Change(Kind.CONTROL, argument_label(spoken(path))), strange)


def reading(calls: Sequence[Call]) -> Iterator[Call]:
    """The calls of this probe."""
    return (call for call in calls if call.plan.probe == ReadingProbe.name)


def reading_of(call: Call) -> Reading | None:
    """The members that a call read; None if it was not observed."""
    return call.disturbed.reading if call.disturbed and call.disturbed.reached else None


def watched(calls: Sequence[Call]) -> list[Call]:
    """The repeated calls that succeeded and whose reads were observed."""
    return [
        c for c in reading(calls) if c.plan.kind in (Kind.AGAIN, Kind.TURN) and c.succeeded and reading_of(c)
    ]


def undeclared(members: Members, calls: Sequence[Call]) -> list[tuple[Missed, Any]]:
    """(member, arguments of the call) for each undeclared member that a call looked up, without spellings of declared names."""
    missed_members: dict[str, tuple[Missed, Any]] = {}
    for call in watched(calls):
        members_read = reading_of(call)
        for missed in members_read.missed if members_read else ():
            declared = members.declared(missed.path)
            known = {_spelled(name) for name in declared or ()}
            if declared is not None and not any(_spelled(name) in known for name in missed.names):
                missed_members.setdefault(join(missed.path, missed.names[0]), (missed, _arguments(call)))
    return list(missed_members.values())[:_MOST_MEMBERS]


def unasked(members: Members, calls: Sequence[Call]) -> Iterator[str]:
    """Paths of declared members that were sent at least twice, that no call read, and that the tool's code does not name."""
    readings = [(record, _arguments(call)) for call in watched(calls) if (record := reading_of(call))]
    read_paths = {path for record, _ in readings for path in (*record.read, *record.looked_for)}
    whole = {path for record, _ in readings for path in record.whole}
    named = {name for record, _ in readings for name in record.named}
    for path in members.paths:
        parent = path.rpartition("/")[0]
        opened = not parent or any(other.rpartition("/")[0] == parent for other in read_paths)
        if path in read_paths or parent in whole or not opened or parts(path)[-1] in named:
            continue
        if sum(bool(found_at(document, path)) for _, document in readings) > 1:
            yield path


def _arguments(call: Call) -> Any:
    return json.loads(call.plan.arguments or "{}")


def _spelled(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()
