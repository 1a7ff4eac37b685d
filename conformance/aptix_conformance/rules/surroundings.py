"""RES023: what a tool answers depends on the call, not on the process, zone and language of the machine that it runs on."""

from collections.abc import Iterator
from typing import Final

from aptix_conformance.core.model import Exploration
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib.declarations import usage_text
from aptix_conformance.rules.lib.earlier_calls import seeded
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.rules.lib.scope import payload
from aptix_conformance.rules.lib.surroundings import Difference, formatted_by_locale, moved_by_zone
from aptix_conformance.stimuli.probes.claims import claims_idempotence
from aptix_conformance.stimuli.probes.other_conditions import EAST, GERMAN, WEST

_LONGEST: Final = 60


def _orders_are_of_another_rule(exploration: Exploration) -> bool:
    """Whether RES014 asks the same of the order of texts."""
    return any(claims_idempotence(usage_text(declaration)) for declaration in exploration.declarations)


@rule(
    "RES023",
    source="suite",
    when=lambda exploration: any(True for _ in _differences(exploration)),
    unseen_reason=NotApplicable(
        "no call was answered in another way in a process with another time zone, locale or hash seed"
    ),
    probes=("repeat", "after-refusals", "hash-seed", "conditions"),
    differs_by="whether the time zone, the locale or the order of a set changed the result",
    remedy="Read and write dates in UTC, or with the offset beside them, as 2024-03-01T09:00:00+01:00; read and format numbers and dates with a "
    "locale that the code names; sort what comes from a set.",
)
def result_does_not_depend_on_its_machine(exploration: Exploration) -> Iterator[Finding]:
    """A result is the same whatever the time zone, the locale and the hash seed of the tool's process are.

    The author's machine has one zone and one language; the user's has others, and a container has none. A date that is read in
    one zone and written in another is yesterday's there, a thousand that is written 1.000 is a one for the model, a text 1.5 that is
    read by the language is fifteen, and a list made of a set has another order in each process. The present, which the clock changes, and what stands beside its zone may differ.
    RES014 reports the order of a set where the usage text says that equal calls have equal answers.
    """
    yield from _differences(exploration)


def _differences(exploration: Exploration) -> Iterator[Finding]:
    moved = moved_by_zone(exploration.calls)
    if moved:
        yield _found(moved, f"with the time zone {WEST.zone}", f"with {EAST.zone}", "time zone")
    formatted = formatted_by_locale(exploration.calls)
    if formatted:
        yield _found(formatted, "as a rule", f"with the locale {GERMAN.locale}", "locale")
    ordered = None if _orders_are_of_another_rule(exploration) else seeded(exploration.calls)
    if ordered:
        place, call = ordered
        message = f"{printable(place, _LONGEST)} of the payload is in another order in another process: {payload(call)}."
        yield Finding(message, call, cause="order")


def _found(difference: Difference, one: str, other: str, cause: str) -> Finding:
    values = [_around(difference.one, difference.other), _around(difference.other, difference.one)]
    place = printable(difference.place, _LONGEST)
    return Finding(
        f"{place} of the payload was {values[0]} {one}, and {values[1]} {other}.",
        difference.call,
        cause=cause,
    )


def _around(value: object, other: object) -> str:
    """A value, or of a long text the part around its first difference from another one."""
    text, compared = str(value), str(other)
    place = next((n for n, (one, two) in enumerate(zip(text, compared, strict=False)) if one != two), 0)
    begin = max(0, place - 20) if len(text) > _LONGEST else 0
    return printable(text[begin : begin + _LONGEST], _LONGEST)
