"""AIS: what only tools of the AI SDK can do wrong. What they share with other tools stands in clauses.yaml."""

from aptix_conformance.core.model import Call
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib.kernel import Finding, rule


@rule(
    "AIS001",
    source="suite",
    when=lambda call: call.succeeded,
    differs_by="what was lost",
    remedy="Return plain objects, lists, texts and numbers: Object.fromEntries() of a Map, an array of a Set, the awaited value of a promise, the text of a Response, and null for a number that is none.",
)
def result_is_what_json_holds(call: Call) -> Finding | None:
    """Nothing in a result is lost when it is written as JSON: no Map, no promise, no Response, no number that is none.

    The SDK writes a result as JSON for the model, and its documentation forbids nothing there. But JSON.stringify makes {} of
    what holds its content elsewhere than in members, and null of NaN and Infinity, without an error.
    """
    lost = call.result.unserialisable if call.result else None
    if not lost:
        return None
    return Finding(f"JSON does not hold the result: {printable(lost, 120)}.", cause=lost.partition(" at ")[0])
