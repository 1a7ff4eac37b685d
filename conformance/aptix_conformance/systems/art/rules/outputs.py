"""ART: the data that a success carries, and what becomes of it on the way to the model.

What ART's own orchestrator does to it is in the rules of the source `runtime`; each docstring tells the fact, as version
0.4.16 has it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from aptix_conformance.core.model import Call
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.rules.lib.scope import extreme, succeeded
from aptix_conformance.systems.art.rules import accessors

_INDEX: Final = re.compile(r"\[\d+\]")


@rule(
    "ART028",
    "ART.2.1",
    when=lambda call: accessors.has_written_output(call) and not extreme(call),
    applies=accessors.completed_by_itself,
    remedy="Return a page, a summary or a reference; or raise toolResultMaxLength and waive this rule.",
)
def output_stays_within_the_limit(call: Call) -> Finding | None:
    """The output as JSON has no more than 60,000 characters.

    What is longer is cut at that length, in the middle of the text, and reaches the model as invalid JSON. Calls with a
    megabyte of arguments do not count: a tool may return what it was sent.
    """
    text = (call.result.payload if call.result else None) or ""
    length = len(text.encode("utf-16-le", "surrogatepass")) // 2  # as JavaScript counts
    if length <= accessors.LIMIT:
        return None
    return Finding(f"The output has {length:,} characters; it is cut at {accessors.LIMIT:,}.")


@rule(
    "ART033",
    "ART.5.1",
    when=lambda call: succeeded(call) and accessors.is_resolved(call),
    applies=accessors.completed_by_itself,
    masks_others=True,
    differs_by="the place in the output and what stands there, or the exception of JSON.stringify",
    remedy="Return plain objects, arrays, texts, finite numbers, booleans and null.",
)
def output_is_plain_json(call: Call) -> Iterator[Finding]:
    """The output is made of what JSON has: it is shown to the model and to people as JSON.

    A function or a symbol vanishes, NaN and the infinities become null, a Map becomes an object without members; a
    BigInt and a circular structure cannot be shown at all.
    """
    lost = [oddity for oddity in accessors.output_oddities(call) if accessors.is_lost(oddity)]
    for odd in lost:
        message = f"{printable(odd.place, 80)} is {_article(odd.what)}."
        yield Finding(message, cause=(_INDEX.sub("[]", odd.place), odd.what))
    if lost or call.result is None or call.result.payload is not None:
        return  # the output can be shown, whatever is wrong with the rest
    facts = accessors.resolved(call)
    if facts and facts.fault:
        message = f"JSON.stringify threw {printable(facts.fault, 120)}."
        yield Finding(message, cause=facts.fault.partition("\n")[0])


@rule(
    "ART041",
    source="runtime",
    when=accessors.has_output,
    applies=accessors.completed_by_itself,
    differs_by="the type of the output",
    remedy="Wrap it: output: { count: 0 }.",
)
def output_is_not_falsy(call: Call) -> Finding | None:
    """The output is not 0, false or an empty text.

    These three reach the model as undefined, as if there were no output.
    """
    output = (accessors.whole(call) or {}).get("output")
    if output is not None and _is_falsy(output):
        return Finding(f"The output is {json.dumps(output)}.", cause=type(output).__name__)
    return None


@rule(
    "ART042",
    source="runtime",
    when=accessors.has_output,
    applies=accessors.completed_by_itself,
    differs_by="the names of the output's members",
    remedy="Name the member otherwise (items, rows), or put everything below data.",
)
def output_has_no_data_beside_others(call: Call) -> Finding | None:
    """The output has no member data beside other members.

    The orchestrator takes a member data for the whole output, and the members beside it are lost.
    """
    output = (accessors.whole(call) or {}).get("output")
    if not isinstance(output, Mapping) or "data" not in output or len(output) == 1:
        return None
    if _is_falsy(output["data"]) and not accessors.is_unwritten(call, "output.data"):
        return None
    lost = next(name for name in output if name != "data")
    return Finding(f"{quoted(lost, 60)} stands beside data and is lost.", cause=tuple(sorted(output)))


def _is_falsy(value: Any) -> bool:
    """As JavaScript has it: an empty array or object is not."""
    return value is None or (isinstance(value, str | bool | int | float) and not value)


def _article(what: str) -> str:
    return (
        what if what in ("undefined", "NaN", "Infinity", "-Infinity") else f"a {what.removeprefix('class ')}"
    )
