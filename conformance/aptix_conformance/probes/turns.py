"""What a probe goes through besides one call that works: the fullest call, and each listed value of an argument.

A tool may come to some of its lines only where an optional argument is there, or has one of its values.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, Final

from aptix_conformance.generate.members import Members, placed
from aptix_conformance.model import Call, Kind
from aptix_conformance.probes.probe import Subject

_MOST_OF_A_KIND: Final = 6
_KINDS: Final = (Kind.FULL, Kind.EXAMPLE, Kind.MINIMAL, Kind.BOUNDARY, Kind.GENERATED)


def differing(seen: Sequence[Call]) -> list[dict[str, Any]]:
    """The arguments of valid calls that succeeded and differ, those with most members first within each kind."""
    found: dict[str, dict[str, Any]] = {}
    worked = [c for c in seen if c.plan.probe == "valid" and c.succeeded and c.plan.arguments is not None]
    for kind in _KINDS:
        made = [json.loads(call.plan.arguments or "{}") for call in worked if call.plan.kind is kind]
        for document in sorted(made, key=len, reverse=True)[:_MOST_OF_A_KIND]:
            found.setdefault(json.dumps(document, sort_keys=True), document)
    return list(found.values())


def fullest(documents: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The first of those with most members; a ValueError where there are none."""
    return max(documents, key=len)


def listed(members: Members) -> list[tuple[str, Any]]:
    """Each path with each value that is listed for it, or with true and false."""
    return [(path, value) for path in members.paths for value in members.values(path)]


def evenly(members: Members) -> list[tuple[str, Any]]:
    """The same, the first value of every path before the second of any: a long list hides no other argument."""
    columns = [[(path, value) for value in members.values(path)] for path in members.paths]
    return [turn for turn in chain.from_iterable(zip_longest(*columns)) if turn is not None]


def turned(subject: Subject, base: Mapping[str, Any], path: str, value: Any) -> Any:
    """Arguments with another value at a path; None where the schema or its narrowing does not admit them."""
    changed = placed(base, path, value)
    return changed if subject.arguments and subject.arguments.judge.admits(changed) else None
