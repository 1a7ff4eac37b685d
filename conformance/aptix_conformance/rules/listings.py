"""RES020: the pages of a tool's listing, which the probe `pages` has followed from one to the next.

A stream that waits for more, such as a log, gives the same place again at its end, with nothing in the page. So what is found
is a page that holds something, and leads back: who follows it reads the same for ever.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from aptix_conformance.core.model import Call, Exploration
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib.documents import arguments_of, has_readable_payload, payload_of
from aptix_conformance.rules.lib.earlier_calls import refused_at_times
from aptix_conformance.rules.lib.identifiers import without_identifiers
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.rules.lib.leaks import error_texts
from aptix_conformance.rules.lib.scope import any_call
from aptix_conformance.stimuli.probes.pages import MOST_PAGES, PagesProbe, members_of, plain_name, value_named
from aptix_conformance.stimuli.probes.planning import argument_label

_OF_PAGES: Final = frozenset(
    {"cursor", "page", "pagetoken", "pagenumber", "offset", "skip", "continuationtoken"}
)
"""Names of arguments that choose a page and nothing else: a member `next` speaks of them."""
_BUSY: Final = re.compile(
    r"quota|rate|too many|limit|later|again|retry|throttl|slow|busy|unavailable|time[ds]?[ -]?out|network|connect|reach|expire",
    re.IGNORECASE,
)
"""Words of a refusal that is not about the page."""
_MORE: Final = frozenset(
    {"more", "hasmore", "hasnext", "hasnextpage", "ismore", "morepages", "truncated", "istruncated"}
)
_LAST: Final = frozenset(
    {"last", "islast", "islastpage", "lastpage", "done", "isdone", "end", "isend", "complete", "iscomplete"}
)


def _is_page(call: Call) -> bool:
    return call.plan.probe == PagesProbe.name and call.plan.disturbance is None


@rule(
    "RES020",
    source="suite",
    when=any_call(_is_page, has_readable_payload),
    unseen_reason=NotApplicable("no result named a next page that the tool then gave"),
    probes=("pages",),
    differs_by="whether a page led back, was refused, or was the same as all others",
    remedy="Make the next cursor of what follows the last item of the page, and name none, or null, on the last page.",
)
def listing_advances_and_ends(exploration: Exploration) -> Iterator[Finding]:
    """The pages of a listing, each asked for by what the page before it named, advance.

    A model that is given a next page asks for it. A page that holds something and names itself, or an earlier one, as the next
    one leads it round for ever; so does a listing that gives the same page for each. A next page that is refused, though the
    page before it named it, ends in an error what should end the listing. A page with an empty array that names
    itself may be the end of a stream, and is none; a listing that goes on after twenty pages conforms.
    """
    at_times = refused_at_times(exploration.calls)
    for pages in _listings(exploration.calls):
        name, last = _argument(pages[0]), pages[-1]
        back = _way_back(pages, name)
        if back:
            yield Finding(f"A page that holds something names {back} as the next page.", last, cause="back")
        elif _is_refused(pages, name) and not at_times(last):
            error = printable(next(error_texts(last), "no message"), 100).removesuffix(".")
            message = f"The tool refused a next page that it had named: {error}."
            yield Finding(message, last, cause="refused")
        elif len(pages) == MOST_PAGES and _are_all_alike(pages, name):
            yield Finding(f"{len(pages)} pages in a row held the same.", last, cause="same")


def _listings(calls: Sequence[Call]) -> Iterator[list[Call]]:
    """The pages that were asked for in a row, each because the one before it named it."""
    listings: list[list[Call]] = []
    for call in filter(_is_page, calls):
        if call.plan.change.number == 1 or not listings:
            listings.append([])
        listings[-1].append(call)
    return (pages for pages in listings if all(map(_argument, pages)))


def _argument(call: Call) -> str:
    """The name of the argument that chose the page; empty where the call has none of that label."""
    return next(
        (name for name in arguments_of(call) if argument_label(name) == call.plan.change.argument), ""
    )


def _next(call: Call, argument: str) -> str | int | None:
    """What a page names as the next one, by a name that can mean nothing else; None where it says that it is the last one."""
    if not has_readable_payload(call):
        return None
    document = payload_of(call).value
    said = [(plain_name(name), value) for name, value in members_of(document)]
    if any((name in _MORE and value is False) or (name in _LAST and value is True) for name, value in said):
        return None
    return value_named(document, _next_names(plain_name(argument)))


def _next_names(own: str) -> frozenset[str]:
    names = {f"next{own}", f"{own}next"}
    if own in _OF_PAGES:
        names |= {"next", "nextcursor", "nextpagetoken"}
    return frozenset(names | ({"endcursor"} if own == "after" else set()))


def _is_full(call: Call) -> bool:
    """Whether a page holds something: it has an array, and none that is empty."""
    arrays = [value for _, value in members_of({"": payload_of(call).value}) if isinstance(value, list)]
    return bool(arrays) and all(arrays)


def _way_back(pages: Sequence[Call], name: str) -> str:
    """The page that the last one names as the next, if it was given already; empty if it was not, or the last one is empty."""
    following = _next(pages[-1], name)
    given = [arguments_of(call).get(name) for call in pages]
    if following is None or following not in given or not _is_full(pages[-1]):
        return ""
    which = "itself" if following == given[-1] else "an earlier one"
    return f"{which}, {printable(json.dumps(following, ensure_ascii=False), 60)},"


def _is_refused(pages: Sequence[Call], name: str) -> bool:
    """Whether the last page was refused, which the call right before it had named, in the same process.

    The page that the first one was named by may have been given long before.
    """
    last = pages[-1]
    if len(pages) == 1 or not last.refused or not last.earlier or any(map(_BUSY.search, error_texts(last))):
        return False
    return _next(pages[-2], name) == arguments_of(last).get(name)


def _are_all_alike(pages: Sequence[Call], name: str) -> bool:
    """Whether all pages hold something, and the same, whatever they say of their own place and the next one."""
    if not all(has_readable_payload(call) and _is_full(call) for call in pages):
        return False
    own = plain_name(name)
    left_out = {own, *_next_names(own)}
    first, *others = (json.dumps(_without(without_identifiers(call), left_out)) for call in pages)
    return all(first == other for other in others)


def _without(value: Any, names: set[str]) -> Any:
    """A document without the members of some plain names, outside of arrays."""
    if not isinstance(value, Mapping):
        return value
    return {name: _without(inner, names) for name, inner in value.items() if plain_name(name) not in names}
