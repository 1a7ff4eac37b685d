"""Probe `pages`: the pages of a listing, one after the other, to the end.

A tool that takes a cursor gives the next one with each page. The cursor is sent back, as a model would do it, until no
next page is named: the last page, and the one after it, are where careless code fails.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

from aptix_conformance.core.model import Call, Change, Kind, Stimulus
from aptix_conformance.stimuli.generate import Arguments, write
from aptix_conformance.stimuli.probes.planning import argument_label, payload_text, plan
from aptix_conformance.stimuli.probes.probe import Probe, Subject

NEXT_PAGE: Final = "next-page"
"""The detail of these calls."""
MOST_PAGES: Final = 20
"""The most pages of one listing."""
_LONGEST: Final = 1_000_000
"""Characters of a result in which a next page is looked for."""
_DEEPEST: Final = 6
_NAMES: Final = frozenset({
    "cursor", "page", "pagetoken", "pagenumber", "token", "offset", "skip", "start", "startat", "startafter", "after",
    "from", "continuation", "continuationtoken", "marker", "position",
})  # fmt: skip
"""Names of arguments that choose a page, without underscores and in lower case."""
_PLAIN: Final = re.compile(r"[\W_]+")


class PagesProbe(Probe):
    """Plans, for a call that named a next page, the calls of all pages that follow."""

    name = "pages"
    in_sequence = True
    """A cursor may stand for something that the tool keeps in its files."""

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The pages in their order: each plan holds what the call before it returned."""
        arguments = subject.arguments
        names = [name for name in arguments.properties if plain_name(name) in _NAMES] if arguments else []
        if arguments is None or not names:
            return
        for document, call in _listings(calls, names):
            yield from self._following(subject, arguments, names, document, call, calls)

    def _following(
        self,
        subject: Subject,
        arguments: Arguments,
        names: Sequence[str],
        document: Mapping[str, Any],
        last: Call,
        calls: Sequence[Call],
    ) -> Iterator[Stimulus]:
        known = {write(document)}
        for number in range(1, MOST_PAGES + 1):
            next_page = next(_next_pages(arguments, names, document, last), None)
            if next_page is None or write(next_page[1]) in known:
                return
            name, document = next_page
            known.add(write(document))
            change = Change(Kind.VARIED, argument_label(name), NEXT_PAGE, number=number)
            yield plan(subject, self.name, change, write(document))
            last = calls[-1]


def _listings(calls: Sequence[Call], names: Sequence[str]) -> list[tuple[dict[str, Any], Call]]:
    """The valid calls that named a next page, each with its arguments, the first, and the one with the shortest page."""
    listings: dict[str, tuple[dict[str, Any], Call]] = {}
    for call in calls:
        if call.plan.probe == "valid" and call.succeeded and call.plan.arguments is not None:
            document = json.loads(call.plan.arguments)
            if any(_named(call, name) is not None for name in names):
                listings.setdefault(write(document), (document, call))
    first = next(iter(listings.values()), None)
    if first is None:
        return []
    shortest = min(listings.values(), key=lambda listing: len(payload_text(listing[1])))
    return [first] if shortest is first else [first, shortest]


def _next_pages(
    arguments: Arguments, names: Sequence[str], document: Mapping[str, Any], call: Call
) -> Iterator[tuple[str, dict[str, Any]]]:
    """(argument, the document with the page that the call named in it), where the schema allows that."""
    for name in names:
        value = _named(call, name)
        if value is not None:
            changed = {**document, name: value}
            if arguments.judge.admits(changed):
                yield name, changed


def _named(call: Call, argument: str) -> str | int | None:
    """The next value of an argument that a result names; None if it names none."""
    if not call.succeeded or len(payload_text(call)) > _LONGEST:
        return None
    try:
        document = json.loads(payload_text(call))
    except (ValueError, RecursionError):
        return None
    own = plain_name(argument)
    names = {f"next{own}", f"{own}next", "next", "nextcursor", "nextpagetoken", *_ENDS.get(own, ())}
    return value_named(document, names)


def value_named(document: Any, names: AbstractSet[str]) -> str | int | None:
    """The first text or integer of a document, outside of arrays, under one of some names, which are plain; None if there is none."""
    named = (value for name, value in members_of(document) if plain_name(name) in names)
    return next((v for v in named if isinstance(v, (str, int)) and not isinstance(v, bool) and v != ""), None)


_ENDS: Final[Mapping[str, tuple[str, ...]]] = {
    "after": ("endcursor",),
    "continuation": ("continuationtoken",),
    "continuationtoken": ("continuationtoken",),
}
"""Other names, by that of the argument."""


def members_of(value: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The members of objects in a document, outside of arrays."""
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        yield from value.items()
        for inner in value.values():
            yield from members_of(inner, depth + 1)


def plain_name(name: str) -> str:
    """A name in lower case, with its letters and digits only."""
    return _PLAIN.sub("", name).lower()
