"""Calls of a tool that has refused everything, with values of its author's world.

A city, a unit or a file of the author's cannot be guessed, but it is named somewhere: in the refusal itself ("Known are: Oslo,
Rome"), in the description of the argument or of the tool ("Units: m, km, mi"), in what a tool of the same server lists, or among the
author's `files`. They are tried one argument at a time. Where a value leads to a refusal that is new, it is kept and the next one is looked for.
"""

import re
from collections.abc import Container, Iterator, Sequence
from itertools import chain, islice, zip_longest
from typing import Any, Final

from aptix_conformance.core.model import INCIDENTS, Call, Change, Kind, Stimulus
from aptix_conformance.stimuli.generate import Arguments, write
from aptix_conformance.stimuli.generate.argument_schema import description_of
from aptix_conformance.stimuli.generate.extremes import texts_for
from aptix_conformance.stimuli.generate.listed_words import listed_in
from aptix_conformance.stimuli.generate.listing_answers import values_in
from aptix_conformance.stimuli.generate.named import named_values
from aptix_conformance.stimuli.generate.schema_members import Members, found_at, parts, placed, spoken
from aptix_conformance.stimuli.probes.planning import argument_label, plan
from aptix_conformance.stimuli.probes.probe import Subject

KNOWN: Final = "known"
"""The word for such a value in the label of a call."""
MOST_CALLS: Final = 24
_MOST_PLACES: Final = 6
_MOST_VALUES: Final = 8
"""The most values of one argument between two refusals that differ."""
_LONGEST: Final = 2_000
_VARYING: Final = re.compile(r"['\"`][^'\"`]{0,200}['\"`]|\d+")


def tried(subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
    """The calls, until one succeeds; none where an earlier one did, did not come back or tried the network, or none was made.

    `calls` grows while they are made.
    """
    arguments = subject.arguments
    document = arguments.minimal() if arguments else None
    if arguments is None or document is None or not calls or any(map(_says_enough, calls)):
        return
    members = Members(arguments.schema)
    places = [path for path in members.paths if found_at(document, path) and _takes_any(members, path)]
    known = {call.plan.arguments for call in calls}
    said = _said_by(calls[-1])
    refusals = {_without_values(said)}
    for number in range(1, MOST_CALLS + 1):
        changes = _changes(subject, members, places, said)
        documents = ((path, placed(document, path, value)) for path, value in changes)
        path, changed = next((each for each in documents if _is_new(arguments, each[1], known)), ("", None))
        if changed is None:
            return
        known.add(write(changed))
        change = Change(Kind.BOUNDARY, argument_label(spoken(path)), KNOWN, number=number)
        yield plan(subject, "valid", change, write(changed))
        if calls[-1].succeeded:
            return
        new = _said_by(calls[-1])
        if _without_values(new) not in refusals:
            refusals.add(_without_values(new))
            document, said = changed, new


def _says_enough(call: Call) -> bool:
    """Whether a call worked, or failed for another reason than its arguments."""
    return call.succeeded or call.outcome in INCIDENTS or bool(call.network)


def _is_new(arguments: Arguments, document: dict[str, Any], known: Container[str | None]) -> bool:
    return write(document) not in known and arguments.judge.admits(document)


def _changes(
    subject: Subject, members: Members, places: Sequence[str], said: str
) -> Iterator[tuple[str, Any]]:
    """Paths with values: all of an argument that the refusal names, then each other one's first value before any second one."""
    named = [path for path in places if _is_named(path, said)]
    others = [path for path in places if path not in named]
    rows = [
        [(path, value) for value in islice(_values(subject, members, path, said), _MOST_VALUES)]
        for path in [*named, *others][:_MOST_PLACES]
    ]
    yield from chain.from_iterable(rows[: len(named)])
    yield from (turn for turn in chain.from_iterable(zip_longest(*rows[len(named) :])) if turn is not None)


def _is_named(path: str, said: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(parts(path)[-1])}(?!\w)", said, re.IGNORECASE) is not None


def _takes_any(members: Members, path: str) -> bool:
    return any(
        texts_for(shape) or (shape.values is None and {"integer", "number"} & set(shape.types))
        for shape in members.shapes(path)
    )


def _values(subject: Subject, members: Members, path: str, said: str) -> Iterator[Any]:
    """The values for one argument, the likeliest first."""
    shapes = members.shapes(path)
    described = [str(shape.keywords.get("description", "")) for shape in shapes]
    about = (subject.declaration.usage_text.value or "", description_of(subject.declaration))
    words = chain(listed_in(said), chain.from_iterable(map(listed_in, described)))
    named = chain.from_iterable(named_values(shape.keywords, shape.types) for shape in shapes)
    answered = values_in(subject.listing_answers, parts(path)[-1])
    rest = chain(answered, subject.file_names, chain.from_iterable(map(listed_in, about)))
    is_text = any(map(texts_for, shapes))
    for value in chain(words, named, rest):
        if isinstance(value, str) and not is_text:
            if value.removeprefix("-").isdecimal() and len(value) < len("1000000000000000"):
                yield int(value)
        elif is_text or not isinstance(value, str):
            yield value


def _said_by(call: Call) -> str:
    """What a call that failed said."""
    texts = [call.raised.message] if call.raised else []
    if call.result:
        texts += [call.result.error_message or "", *(error.message or "" for error in call.result.errors)]
    return "\n".join(texts)[:_LONGEST]


def _without_values(said: str) -> str:
    return _VARYING.sub("", said)
