"""AMP: what calls log and return, and how an orchestrator reads it.

The facts are as amplifier-core 2.0 and the loops published for it have them. What is asked of a tool's calls besides
stands with the other areas, for all systems at once.
"""

from collections.abc import Iterator
from typing import Final

from aptix_conformance.core.model import Call, Exploration
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.rules.lib.scope import (
    BY_OCCASION,
    any_call,
    occasion,
    refused,
    returned,
    succeeded,
)

_LOUD: Final = ("ERROR", "CRITICAL")


@rule(
    "AMP016",
    "AMP.6.1",
    when=lambda call: call.succeeded and call.plan.disturbance is None,
    differs_by="the logger and the level",
    remedy="Log what goes as it should at DEBUG or INFO, what is odd at WARNING, and failures at ERROR.",
)
def success_is_not_logged_as_an_error(call: Call) -> Iterator[Finding]:
    """A call that succeeds logs nothing at the level ERROR or above."""
    for record in call.logs:
        if record.method == "log" and record.level in _LOUD:
            shown = f"{record.level} {quoted(record.message, 100)}"
            yield Finding(f"A successful call logged {shown}.", cause=(record.tag, record.level))


@rule(
    "AMP021",
    "AMP.3.4",
    when=refused,
    unseen_reason=NotApplicable("no call was refused"),
    differs_by=BY_OCCASION,
    remedy='Return ToolResult(success=False, error={"message": "what was wrong, in a sentence"}), with the output or without.',
    source="advice",
)
def failure_has_an_error(call: Call) -> Finding | None:
    """A failed result has an error with a message, also where its output says what went wrong.

    A model reads the output, as that of a command in a shell; hooks and people read the error.
    """
    if call.result is None or any(error.message for error in call.result.errors):
        return None
    first = "" if call.result.error_message else "RES004"
    message = "A failed result has no message in its error."
    return Finding(message, defers_to=first, cause=occasion(call), not_its_own=bool(first))


@rule(
    "AMP017",
    source="runtime",
    when=any_call(succeeded),
    differs_by="the output's type and the type of the exception",
    remedy="Put texts, numbers, lists and dicts into output and error, and nothing else: no set, no bytes, no object of a "
    "class, no NaN, and no lone surrogate.",
)
def output_survives_the_orchestrator(exploration: Exploration) -> Iterator[Finding]:
    """Output and error of every result can be written down as JSON, in UTF-8.

    An orchestrator has ToolResult write the output for the model, and the whole of it for its hooks. Where that raises, the
    work is done and its result is lost.
    """
    for call in exploration.calls:
        if call.result is None or not call.result.unserialisable:
            continue
        why = call.result.unserialisable
        kind = printable(call.result.payload_type, 60)
        message = f"The result, with a {kind} for output, cannot be written down: {printable(why, 120)}."
        yield Finding(message, call, cause=(call.result.payload_type, why.partition(":")[0]))


@rule(
    "AMP018",
    source="suite",
    when=returned,
    unseen_reason="no call returned",
    differs_by=BY_OCCASION,
    remedy="Read the input with get; copy it before changing it: arguments = dict(input).",
)
def input_is_unchanged(call: Call) -> Finding | None:
    """A call leaves the dictionary that it is given as it was.

    The orchestrator goes on using it: what a tool takes out of it is missing from the events and the transcript.
    """
    if call.result is None or not call.result.input_changed:
        return None
    return Finding("The call changed its input.", cause=occasion(call))
