"""The probes `keeping`, `in-turn`, `in-reverse` and `at-once`: whether calls at the same time lose what calls one after another keep.

A tool that reads what it keeps, changes it and writes it back without a lock loses what other calls wrote meanwhile. Only a
tool that keeps something is asked: one that changed its files in the probe `neighbours`, showed a text of an earlier call there, or a number that grew from call to call.
All others cost no call.

`keeping` finds an argument whose value is kept: it gives each argument a word of its own, in one call each. Then `COUNT`
calls, each with another word in this argument, and a last one, the closing call, are made three times, each time in a fresh
process with the author's files: in their order (`in-turn`), in the other order (`in-reverse`), and at the same time
(`at-once`), where only the closing call waits for the others.

What decides. Calls at the same time may end in any order, so only what both orders agree on is demanded: that every word is
in the files or in the closing result, or that a number grew with every call to the same sum. Where one word is missing in one
order, as in a tool that keeps the last three, nothing is. The closing call's own word has to be in the files, too: where it
is not, the tool writes later, and a look at its files shows nothing. Neither dates nor the order of entries are compared.

Which calls overlap is up to the tool and its system. All calls of a group are started before one of them is awaited. A tool
of the same event loop that suspends between reading and writing then has all calls read before one writes: it loses the same
each time, however slow the machine is. One that does not suspend runs them one after another, and loses nothing here or in
production. In threads of a Python tool, the host has each call wait before it opens a file to write (`slow_writes.py`): all
have read by then, or a lock keeps them from it. Threads of a server in another process overlap as it lets them: a finding
counts only where a fresh process shows it again, and is else inconclusive. Whether such a loss is seen at all may then be chance; it
is one that its window decides, as a few microseconds between two operations on a file, and a pass says that none was seen.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from aptix_conformance.core.model import Call, Change, Kind, Stimulus
from aptix_conformance.core.model.kept_files import (
    AT_ONCE,
    BASE,
    CLOSING,
    IN_REVERSE,
    IN_TURN,
    KEEPING,
    NEIGHBOURS,
    is_closing,
)
from aptix_conformance.core.schemas.shapes import leaves
from aptix_conformance.stimuli.generate import write
from aptix_conformance.stimuli.probes.neighbours import TEXT, base_of_neighbours
from aptix_conformance.stimuli.probes.planning import payload_text, plan
from aptix_conformance.stimuli.probes.probe import Probe, Subject

COUNT: Final = 4
"""Calls that are made at the same time."""
WORDS: Final = ("kestrel", "plover", "dunlin", "avocet", "wigeon")
"""The words of these calls, and of the closing one: none is part of another, and no author's file has them all."""
_UPDATES: Final = "updates"
_MOST_PLACES: Final = 4
"""Arguments that are tried."""

Place = tuple[str | int, ...]
"""The names and indices that lead to a value in the arguments."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a closing call shows: the texts of the changed files with their paths, and the payload; lower case."""

    files: str
    payload: str

    def in_files(self, words: Sequence[str]) -> bool:
        """Whether the files hold every word."""
        return all(word in self.files for word in words)

    def in_payload(self, words: Sequence[str]) -> bool:
        """Whether the payload holds every word."""
        return all(word in self.payload for word in words)


def kept_at(call: Call) -> Kept:
    """What a closing call shows."""
    files = "\n".join(f"{path}\n{text}" for path, text in call.files or ())
    return Kept(files.lower(), payload_text(call).lower())


def row_of(calls: Sequence[Call], probe: str) -> list[Call]:
    """The calls of one probe, the closing one last; empty where one of them did not succeed, or is missing."""
    row = [call for call in calls if call.plan.probe == probe][-COUNT - 1 :]
    if len(row) != COUNT + 1 or not is_closing(row[-1].plan) or not all(call.succeeded for call in row):
        return []
    return row


class KeepingProbe(Probe):
    """Plans a call for each of a few arguments, with a word of its own, and the call that works as the closing one."""

    name = KEEPING
    in_sequence = True
    in_fresh_process = True

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The calls in their order; none of a tool that keeps nothing."""
        base = base_of_neighbours(calls)
        if base is None or not _keeps_something(calls) or "together" not in subject.disturbances:
            return
        documents = _documents(subject, base)
        for number, variants in enumerate(documents, start=1):
            change = Change(Kind.SAME, detail=_UPDATES, number=number)
            yield plan(subject, self.name, change, variants[number - 1])
        if documents:
            arguments = write(json.loads(base.plan.arguments or "{}"))
            yield plan(subject, self.name, Change(Kind.SAME, detail=CLOSING), arguments)


class InTurnProbe(Probe):
    """Plans calls with other values of the argument that is kept, and a closing one, until one does not succeed."""

    name = IN_TURN
    in_sequence = True
    in_fresh_process = True

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The calls in their order."""
        chosen = _chosen(subject, calls)
        yield from _until_one_fails(subject, self.name, chosen, calls)


class InReverseProbe(Probe):
    """Plans the same calls in the other order, and the same closing one."""

    name = IN_REVERSE
    in_sequence = True
    in_fresh_process = True

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The calls in their order; none where the other order did not work, or kept not all."""
        row = row_of(calls, IN_TURN)
        if not row or not (_keeps_all(row[-1]) or _counts(calls)):
            return
        *texts, closing = (call.plan.arguments or "" for call in row)
        yield from _until_one_fails(subject, self.name, [*texts[::-1], closing], calls)


class AtOnceProbe(Probe):
    """Plans the same calls at the same time, and the same closing one after them."""

    name = AT_ONCE
    in_sequence = True
    in_fresh_process = True

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:  # noqa: ARG002 - the interface's
        """None: its process is made fresh for the group."""
        return iter(())

    def together(self, subject: Subject, calls: Sequence[Call]) -> Iterator[tuple[Stimulus, ...]]:
        """One group; none where one of the orders did not work."""
        if not row_of(calls, IN_REVERSE):
            return
        *row, closing = (call.plan.arguments for call in row_of(calls, IN_TURN))
        yield (
            *(
                plan(
                    subject,
                    self.name,
                    Change(Kind.TOGETHER, detail=_UPDATES, number=number, count=COUNT),
                    text,
                )
                for number, text in enumerate(row, start=1)
            ),
            plan(subject, self.name, Change(Kind.SAME, detail=CLOSING), closing),
        )


def _until_one_fails(
    subject: Subject, probe: str, texts: Sequence[str], calls: Sequence[Call]
) -> Iterator[Stimulus]:
    for number, text in enumerate(texts, start=1):
        is_last = number == len(texts)
        change = (
            Change(Kind.SAME, detail=CLOSING)
            if is_last
            else Change(Kind.SAME, detail=_UPDATES, number=number)
        )
        yield plan(subject, probe, change, text)
        if calls and calls[-1].plan.probe == probe and not calls[-1].succeeded:
            return


def _keeps_all(closing: Call) -> bool:
    """Whether a closing call shows the words of all calls before it."""
    shown = kept_at(closing)
    return shown.in_files(WORDS) or shown.in_payload(WORDS[:-1])


def _keeps_something(calls: Sequence[Call]) -> bool:
    """Whether calls with other arguments changed files, or the call that works after them shows a text of theirs or counts calls."""
    return any(call.files or TEXT in payload_text(call) for call in _last_neighbours(calls)) or _counts(calls)


def _counts(calls: Sequence[Call]) -> bool:
    """Whether a number grows from one call that works to the next equal one."""
    rows = [_whole_numbers(call) for call in _last_neighbours(calls)[:2]]
    return len(rows) > 1 and any(place in rows[1] and one < rows[1][place] for place, one in rows[0].items())


def _last_neighbours(calls: Sequence[Call]) -> list[Call]:
    return [call for call in calls if call.plan.probe == NEIGHBOURS and call.plan.change.detail == BASE]


def _whole_numbers(call: Call) -> dict[str, int]:
    """The whole numbers in a payload by their places; none where it is no JSON."""
    try:
        found = json.loads(payload_text(call))
    except (ValueError, RecursionError):
        return {}
    return {place: value for place, value in leaves(found) if type(value) is int}


def _chosen(subject: Subject, calls: Sequence[Call]) -> Sequence[str]:
    """The arguments of the calls with other values of the first argument whose word is kept; none where none is.

    An argument whose word is in a file comes first. Where no word is, calls may be counted, or a number added up.
    """
    row = [call for call in calls if call.plan.probe == KEEPING]
    base = base_of_neighbours(calls)
    if base is None or not row or not is_closing(row[-1].plan):
        return []
    documents, shown = _documents(subject, base), kept_at(row[-1])
    worked = [
        (texts, number)
        for number, (texts, call) in enumerate(zip(documents, row, strict=False))
        if call.succeeded
    ]
    for seen in ("\n".join(text for _, text in row[-1].files or ()).lower(), shown.payload):
        for texts, number in worked:
            if WORDS[number] in texts[number].lower() and WORDS[number] in seen:
                return texts
    if not _counts(calls):
        return []
    numbers = [texts for texts, number in worked if WORDS[number] not in texts[number].lower()]
    return next(iter([*numbers, *(texts for texts, _ in worked)]), [])


def _documents(subject: Subject, base: Call) -> list[list[str]]:
    """For each of a few values in the arguments of a call: these arguments with other values there, which the schema allows."""
    arguments = json.loads(base.plan.arguments or "{}")
    texts, numbers = list[list[str]](), list[list[str]]()
    for place, value in _leaves(arguments):
        if isinstance(value, str):
            texts += _allowed(subject, arguments, place, [WORDS, [word.title() for word in WORDS]])
        else:
            numbers += _allowed(subject, arguments, place, [[value + step for step in range(1, COUNT + 2)]])
        if len(texts) == _MOST_PLACES:
            break
    return [*texts, *numbers][:_MOST_PLACES]


def _allowed(
    subject: Subject, arguments: dict[str, Any], place: Place, ways: Sequence[Sequence[Any]]
) -> list[list[str]]:
    """The arguments with other values, in the first way of which the schema allows all; none where there is none."""
    for values in ways:
        documents = [_with(arguments, place, value) for value in values]
        if subject.arguments and all(map(subject.arguments.judge.admits, documents)):
            return [[write(document) for document in documents]]
    return []


def _leaves(arguments: dict[str, Any]) -> Iterator[tuple[Place, Any]]:
    """The texts and numbers in arguments, each with its place; of an array those in its first element."""
    waiting: list[tuple[Place, Any]] = [((), arguments)]
    while waiting:
        place, value = waiting.pop(0)
        if isinstance(value, dict):
            waiting += [((*place, name), inner) for name, inner in value.items()]
        elif isinstance(value, list):
            waiting += [((*place, 0), inner) for inner in value[:1]]
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
            yield place, value


def _with(value: Any, place: Place, new: Any) -> Any:
    """A copy of a JSON value that has another one at a place."""
    if not place:
        return new
    first, *rest = place
    inner = _with(value[first], tuple(rest), new)
    if isinstance(value, dict):
        return {**value, first: inner}
    return [inner, *value[1:]]
