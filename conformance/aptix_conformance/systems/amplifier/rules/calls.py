"""AMP: what calls log and give back, and what an orchestrator makes of it.

The facts are as amplifier-core 2.0 and the loops published for it have them. What is asked of a tool's calls besides
stands with the other areas, for all systems at once.
"""

from typing import Final

from aptix_conformance.model import Call, Exploration
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.rules.lib.scope import NO_SUCCESS, malformed, returned, sent, shortest
from aptix_conformance.text import printable

_LOUD: Final = ("ERROR", "CRITICAL")


@rule(
    "AMP016",
    "AMP.6.1",
    over=Call,
    when=lambda call: call.succeeded and call.plan.disturbance is None,
    unseen_reason=NO_SUCCESS,
    remedy="Log what goes as it should at DEBUG or INFO, what is odd at WARNING, and failures at ERROR.",
)
def success_is_not_logged_as_an_error(call: Call) -> Finding | None:
    """A call that succeeds logs nothing at the level ERROR or above."""
    for record in call.logs:
        if record.method == "log" and record.level in _LOUD:
            said = f"{record.level} {printable(record.message, 100)!r}"
            return Finding(f"A successful call logged {said}; sent: {sent(call)}.")
    return None


@rule(
    "AMP017",
    source="runtime",
    over=Exploration,
    when=lambda seen: any(call.succeeded for call in seen.calls),
    unseen_reason=NO_SUCCESS,
    remedy="Put texts, numbers, lists and dicts into output and error, and nothing else: no set, no bytes, no object of a "
    "class, no NaN, and no lone surrogate.",
)
def output_survives_the_orchestrator(seen: Exploration) -> Finding | None:
    """Output and error of every result can be written down as JSON, in UTF-8.

    An orchestrator has ToolResult write the output for the model, and the whole of it for its hooks. Where that raises, the
    work is done and its result is lost.
    """
    lost = (c for c in seen.calls if c.result and c.result.unserialisable and not malformed(c))
    call = shortest(lost)
    if call is None or call.result is None:
        return None
    why = printable(call.result.unserialisable or "", 120)
    kind = printable(call.result.payload_type, 60)
    return Finding(
        f"The result, with a {kind} for output, cannot be written down: {why}; sent: {sent(call)}.", call
    )


@rule(
    "AMP018",
    source="suite",
    over=Call,
    when=returned,
    unseen_reason="no call returned",
    remedy="Read the input with get; copy it before changing it: arguments = dict(input).",
)
def input_is_left_as_it_is(call: Call) -> Finding | None:
    """A call leaves the dictionary that it is given as it was.

    The orchestrator goes on using it: what a tool takes out of it is missing from the events and the transcript.
    """
    if call.result is None or not call.result.input_changed:
        return None
    return Finding(f"The call changed its input; sent: {sent(call)}.")
