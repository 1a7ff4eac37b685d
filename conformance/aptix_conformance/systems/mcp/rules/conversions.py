"""MCP110: what a tool converts without loss although its inputSchema forbids it."""

from collections.abc import Iterator
from typing import Final

from aptix_conformance.core.model import Call, Declaration, Exploration, Kind
from aptix_conformance.core.text import quoted
from aptix_conformance.rules.lib import declarations
from aptix_conformance.rules.lib.acceptance import accepted
from aptix_conformance.rules.lib.argument_models import reads_by_a_model
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.rules.lib.mislabelled import mislabelled_refusal
from aptix_conformance.rules.lib.scope import (
    accepted_arguments,
    answered,
    any_call,
    argument,
    both,
    changed,
    invalid,
    of_kind,
    to_be_refused,
)

_READINGS: Final = {
    "numeric-string": "the text of a number",
    "true-string": "the text of a boolean",
    "word": "a word for a boolean",
    "zero": "a number for a boolean",
    "one": "a number for a boolean",
    "true": "a boolean for another type",
    "false": "a boolean for another type",
    "integer": "a number for a text",
    "json-text": "the JSON text of a value",
}
"""How a value is read, by the detail of the change that sent it."""


def _is_lenient(call: Call) -> bool:
    return both(invalid, of_kind(Kind.COERCIBLE), answered)(call) and not to_be_refused(call)


def _has_arguments(declaration: Declaration) -> str | None:
    return None if declarations.properties(declaration) else "its inputSchema has no argument"


@rule(
    "MCP110",
    "MCP.Sec.2",
    applies=_has_arguments,
    when=any_call(_is_lenient),
    kind=changed,
    unseen_reason=NotApplicable("no call with a value that can be converted without loss was answered"),
    probes=("invalid",),
    source="advice",
    differs_by="how the value was read, and the argument where no SDK reads all of them",
    remedy="Refuse a value of a type that the inputSchema forbids, or allow the type there.",
)
def lenient_readings_are_refused(exploration: Exploration) -> Iterator[Finding]:
    """A value that could be converted without loss, but that the inputSchema forbids, is refused.

    `"5"` for 5, true for 1, 0 or `"yes"` for a boolean, the text of a list for the list. No caller is harmed, so this is a SHOULD;
    a value that is changed, as 5.5 to 5, is ARG008's. What the SDK for Python does so for every tool is named as the SDK's.
    """
    untyped = accepted_arguments(exploration.calls, Kind.TYPE)
    unlisted = accepted_arguments(exploration.calls, Kind.ENUM, Kind.CONST)
    by_model = reads_by_a_model(exploration.calls)
    for call in exploration.calls:
        if not (_is_lenient(call) and call.succeeded):
            continue
        reading = _READINGS.get(call.plan.change.detail or "", "another type")
        first = _reported_by(call, untyped, unlisted)
        finding = accepted(call, f"with {reading} in {quoted(argument(call), 60)}", first)
        cause = reading if by_model else (reading, argument(call))
        yield Finding(finding.message, call, first, cause, not_its_own=bool(first))


def _reported_by(call: Call, untyped: frozenset[str], unlisted: frozenset[str]) -> str:
    """The rule that reports the same fault: nothing is checked there, or the call was refused and labelled as a success."""
    if mislabelled_refusal(call):
        return "MCP087"
    if argument(call) in unlisted:
        return "ARG009"
    return "ARG008" if argument(call) in untyped else ""
