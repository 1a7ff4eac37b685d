"""Calls that partition the values of each argument: one call for each listed value, or for each boundary.

A tool with an argument `action` runs different code for each value. The simplest call does not run the code for an
optional argument or a large number. Only calls that were made and succeeded are selected.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import Any, Final

from aptix_conformance.model import Call, Kind
from aptix_conformance.probes.planning import argument_label
from aptix_conformance.probes.probe import Subject

_MOST_EDGES: Final = 2
"""The most calls for one argument whose values are not listed."""
_ALL: Final = 10_000
_FAR_EDGES: Final = ("maximum", "maxLength", "maxItems")
"""Boundaries where a tool has the most to do; the simplest call is at the other end."""
_TRUTHS: Final = (True, False)

_Pair = tuple[str, str]
"""An argument's name, and its value as JSON text, because 1 and true are equal in Python."""
_Given = tuple[Call, dict[str, str]]
"""A call with its arguments."""


def select_value_partitions(
    subject: Subject, seen: Sequence[Call], chosen: Iterable[str], most: int, *, edges: bool = True
) -> list[str]:
    """The argument texts of at most `most` successful calls that are not in `chosen`; deterministic for equal `seen`.

    One call for each value that the schema lists (enum, const, boolean), and one or two at the boundaries of any other
    argument, unless `edges` is false. Each argument gets one call before any argument gets a second.
    """
    made = subject.arguments
    if made is None:
        return []
    known = list(chosen)
    calls: list[_Given] = [
        (call, _members(call.plan.arguments))
        for call in seen
        if call.plan.probe == "valid" and call.succeeded and call.plan.arguments is not None
    ]
    covered = {pair for text in known for pair in _members(text).items()}
    columns = []
    for name, node in made.properties.items():
        values = _listed(subject, node)
        if values:
            columns.append(list(_of_listed(name, values, calls, covered)))
        elif edges:
            columns.append(list(_of_edges(name, calls, covered)))
    turns = chain.from_iterable(zip_longest(*columns))
    found = dict.fromkeys(call.plan.arguments or "" for call in turns if call is not None)
    return [text for text in found if text not in known][:most]


def unselected(
    subject: Subject, seen: Sequence[Call], chosen: Sequence[str], most: int, *, edges: bool = True
) -> int:
    """How many calls `select_value_partitions` leaves out because there are more than `most`."""
    return max(len(select_value_partitions(subject, seen, chosen, _ALL, edges=edges)) - most, 0)


def _listed(subject: Subject, node: Any) -> list[str]:
    """The values that a schema lists, as JSON text."""
    found: list[Any] = []
    for alternative in subject.arguments.alternatives(node) if subject.arguments else ():
        if alternative.values is not None:
            found += alternative.values
        elif alternative.types == ("boolean",):
            found += _TRUTHS
    return [_text(value) for value in found]


def _of_listed(
    name: str, values: Sequence[str], calls: Sequence[_Given], covered: set[_Pair]
) -> Iterator[Call]:
    """For each value that is not covered yet, the first call that has it."""
    first: dict[str, Call] = {}
    for call, given in calls:
        if name in given:
            first.setdefault(given[name], call)
    yield from (first[value] for value in values if value in first and (name, value) not in covered)


def _of_edges(name: str, calls: Sequence[_Given], covered: set[_Pair]) -> Iterator[Call]:
    """Calls with one argument at a boundary, far ones first; without any, the first call with the argument."""
    having = [call for call, given in calls if name in given and (name, given[name]) not in covered]
    edges = [
        c for c in having if c.plan.kind is Kind.BOUNDARY and c.plan.change.argument == argument_label(name)
    ]
    edges.sort(key=lambda call: call.plan.change.detail not in _FAR_EDGES)
    yield from (edges or having[:1])[:_MOST_EDGES]


def _members(text: str) -> dict[str, str]:
    """The members of an object by name, with values as JSON text; empty for any other document."""
    value = json.loads(text)
    return {name: _text(item) for name, item in value.items()} if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
