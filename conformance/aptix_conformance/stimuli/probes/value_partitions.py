"""Calls that partition the values of each argument: one call for each listed value, or for each boundary.

A tool with an argument `action` runs different code for each value, and so does one whose `job.kind` is listed. The
simplest call does not run the code for an optional argument or a large number. Only calls that were made and succeeded
are selected.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, Final

from aptix_conformance.core.model import Call, Kind, Shortfall
from aptix_conformance.stimuli.generate.schema_members import Members, found_at, join, parts
from aptix_conformance.stimuli.probes.planning import argument_label
from aptix_conformance.stimuli.probes.probe import Probe, Subject
from aptix_conformance.stimuli.probes.value_variants import sent_values

_MOST_EDGES: Final = 2
"""The most calls for one argument whose values are not listed."""
_ALL: Final = 10_000
_FAR_EDGES: Final = ("maximum", "maxLength", "maxItems")
"""Boundaries where a tool has the most to do; the simplest call is at the other end."""

_Pair = tuple[str, str]
"""A member's path, and its value as JSON text, because 1 and true are equal in Python."""
_Valued = tuple[Call, Mapping[str, Sequence[str]]]
"""A call with its values at each path of interest, as JSON text."""


def select_value_partitions(
    subject: Subject, calls: Sequence[Call], chosen: Iterable[str], *, edges: int = 0
) -> list[str]:
    """The argument texts of successful calls that are not in `chosen`; deterministic for equal `calls`.

    One call for each value that the schema lists for a member (enum, const, boolean), as many as are sent each by itself;
    and at most `edges` calls at the boundaries of arguments whose values are not listed, one or two for each. Each
    member gets one call before any member gets a second.
    """
    generator = subject.arguments
    if generator is None:
        return []
    known = list(chosen)
    members = Members(generator.schema)
    arguments = {join("", name): name for name in generator.properties}
    inner = [path for path in members.paths if len(parts(path)) > 1 and members.values(path)]
    listed = {path: [_text(value) for value in sent_values(members, path)] for path in (*arguments, *inner)}
    valued: list[_Valued] = [
        (call, _values(call.plan.arguments, listed))
        for call in calls
        if call.plan.probe == "valid" and call.succeeded and call.plan.arguments is not None
    ]
    covered = {pair for text in known for pair in _pairs(_values(text, listed))}
    first: dict[_Pair, Call] = {}
    for call, by_path in valued:
        for pair in _pairs(by_path):
            first.setdefault(pair, call)
    new = {pair: call for pair, call in first.items() if pair not in covered}
    columns = {path: [new[path, value] for value in listed[path] if (path, value) in new] for path in listed}
    bounded = {
        path: list(_of_edges(path, name, valued, covered))
        for path, name in arguments.items()
        if edges and not listed[path]
    }
    allowed = set(_in_turn(list(bounded.values()), known)[:edges])
    columns |= {
        path: [call for call in column if call.plan.arguments in allowed] for path, column in bounded.items()
    }
    return _in_turn(list(columns.values()), known)


def unselected_edges(subject: Subject, calls: Sequence[Call], chosen: Sequence[str], edges: int) -> int:
    """How many calls `select_value_partitions` leaves out because there are more than `edges` at boundaries."""
    every = select_value_partitions(subject, calls, chosen, edges=_ALL)
    return len(every) - len(select_value_partitions(subject, calls, chosen, edges=edges))


def values_without_a_base(probe: Probe, subject: Subject, calls: Sequence[Call]) -> Shortfall | None:
    """The values that a probe with a few bases leaves out; None if the bases have each listed value that worked."""
    bases = probe.bases(subject, calls)
    uncovered = len(select_value_partitions(subject, calls, bases)) if bases else 0
    if not uncovered:
        return None
    reason = f"calls with {uncovered} other listed values were not taken as its base"
    return Shortfall(probe.name, reason, reduced_coverage=True, expected=True)


def _in_turn(columns: Sequence[Sequence[Call]], known: Sequence[str]) -> list[str]:
    """The first call of each member, then the second of each, without those in `known`."""
    turns = chain.from_iterable(zip_longest(*columns))
    texts = dict.fromkeys(call.plan.arguments or "" for call in turns if call is not None)
    return [text for text in texts if text not in known]


def _of_edges(path: str, name: str, calls: Sequence[_Valued], covered: set[_Pair]) -> Iterator[Call]:
    """Calls with one argument at a boundary, far ones first; without any, the first call with the argument."""
    having = [
        call for call, values in calls if any((path, value) not in covered for value in values.get(path, ()))
    ]
    edges = [
        c for c in having if c.plan.kind is Kind.BOUNDARY and c.plan.change.argument == argument_label(name)
    ]
    edges.sort(key=lambda call: call.plan.change.detail not in _FAR_EDGES)
    yield from (edges or having[:1])[:_MOST_EDGES]


def _values(text: str, paths: Iterable[str]) -> dict[str, list[str]]:
    """The values at some paths of a document, as JSON text; a path that it does not have is left out."""
    document = json.loads(text)
    by_path = {path: found_at(document, path) for path in paths}
    return {path: [_text(value) for value in values] for path, values in by_path.items() if values}


def _pairs(by_path: Mapping[str, Sequence[str]]) -> Iterator[_Pair]:
    return ((path, value) for path, values in by_path.items() for value in values)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
