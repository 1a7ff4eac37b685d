"""Variants of a call that works: the fullest call, and that call with each listed value of an argument.

Some code of a tool may run only if an optional argument is present or has a certain value.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, Final

from aptix_conformance.core.model import Call, Kind
from aptix_conformance.stimuli.generate.boundaries import MAX_VALUES
from aptix_conformance.stimuli.generate.schema_members import Members, placed
from aptix_conformance.stimuli.probes.probe import Subject

_MOST_OF_A_KIND: Final = 6
_KINDS: Final = (Kind.FULL, Kind.EXAMPLE, Kind.MINIMAL, Kind.BOUNDARY, Kind.GENERATED)


def differing(calls: Sequence[Call]) -> list[dict[str, Any]]:
    """The distinct arguments of successful valid calls; within each kind, those with the most members first."""
    documents: dict[str, dict[str, Any]] = {}
    worked = [c for c in calls if c.plan.probe == "valid" and c.succeeded and c.plan.arguments is not None]
    for kind in _KINDS:
        of_kind = [json.loads(call.plan.arguments or "{}") for call in worked if call.plan.kind is kind]
        for document in sorted(of_kind, key=len, reverse=True)[:_MOST_OF_A_KIND]:
            documents.setdefault(json.dumps(document, sort_keys=True), document)
    return list(documents.values())


def fullest(documents: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The first document with the most members.

    Raises:
        ValueError: there is no document.
    """
    return max(documents, key=len)


def sent_values(members: Members, path: str) -> list[Any]:
    """The listed values of a member that are sent each by itself; booleans have true and false."""
    return members.values(path)[:MAX_VALUES]


def evenly(members: Members) -> list[tuple[str, Any]]:
    """(path, value) for each of these values of each member.

    The first value of every path comes before any second one, so that every path gets its turn.
    """
    columns = [[(path, value) for value in sent_values(members, path)] for path in members.paths]
    return [turn for turn in chain.from_iterable(zip_longest(*columns)) if turn is not None]


def turned(subject: Subject, base: Mapping[str, Any], path: str, value: Any) -> Any:
    """The arguments with another value at a path; None if the schema or its narrowing does not allow them."""
    changed = placed(base, path, value)
    return changed if subject.arguments and subject.arguments.judge.admits(changed) else None
