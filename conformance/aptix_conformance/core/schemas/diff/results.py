"""The published shape of results: what a tool promised to give must still be there."""

from collections.abc import Iterator

from aptix_conformance.core.schemas.diff.change_paths import readable
from aptix_conformance.core.schemas.diff.schema_changes import Change
from aptix_conformance.core.schemas.shapes import ABSENT, ARRAY, ROOT, Shape

_START = "result"


def compare_shapes(old: Shape, new: Shape) -> Iterator[Change]:
    """The changes from one shape of results to another (TUL-010.3.6, TUL-010.7.1).

    A consumer is broken by what it meets for the first time: a type, or the lack of a key. What it was prepared for
    and does not meet any more does not hurt it.
    """
    if old and not new:
        message = "the shape of the results was locked and is not any more: nothing can be said of what was promised"
        yield Change.of("result-shape-missing", _START, message)
        return
    reported: list[str] = []
    for place in sorted({*old, *new}):
        if any(_is_below(place, above) for above in reported):
            continue
        if place not in new and place.endswith("[]") and ARRAY in _kinds(new.get(place[:-2], "")):
            reported.append(place)
            message = f"`{readable(place)}` of the results was never seen: every array there is empty now"
            yield Change.of("result-elements-unseen", _place_for_people(place), message)
        elif place not in new:
            reported.append(place)
            yield _change("result-key-removed", place, "is gone")
        elif place not in old:
            reported.append(place)  # what is below a new key is new too
            yield _change("result-key-added", place, "is new")
        else:
            yield from _types(place, _kinds(old[place]), _kinds(new[place]))


def _types(place: str, old: frozenset[str], new: frozenset[str]) -> Iterator[Change]:
    if ABSENT in new - old:
        yield _change("result-key-sometimes", place, "is not always there any more")
    elif ABSENT in old - new:
        yield _change("result-key-always", place, "is always there now")
    old, new = old - {ABSENT}, new - {ABSENT}
    added = new - old
    if added:
        how = f"was {_all(old)} and can be {_all(added)} now"
        yield _change("result-type-changed", place, how)
    elif old - new:
        yield _change("result-type-narrowed", place, f"is not {_all(old - new)} any more")


def _change(code: str, place: str, how: str) -> Change:
    subject = "the result" if place == ROOT else f"`{readable(place)}` of the results"
    return Change.of(code, _place_for_people(place), f"{subject} {how}")


def _place_for_people(place: str) -> str:
    return place.replace(ROOT, _START, 1)


def _is_below(place: str, above: str) -> bool:
    return place.startswith((f"{above}.", f"{above}["))


def _kinds(text: str) -> frozenset[str]:
    return frozenset(text.split(" | "))


def _all(kinds: frozenset[str]) -> str:
    return " or ".join(sorted(kinds)) or "nothing"
