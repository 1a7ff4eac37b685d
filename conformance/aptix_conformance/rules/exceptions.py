"""EXC: exceptions that leave `execute`, calls without a result, and information that results leak."""

from typing import Final

from aptix_conformance.model import Call, Exploration, Outcome
from aptix_conformance.rules.lib import leaks
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.rules.lib.scope import (
    NO_SUCCESS,
    came_back,
    ended_process,
    made,
    overburdened,
    proper,
    sent,
    threw,
    thrown,
    unanswered,
)
from aptix_conformance.text import printable

_ENDS: Final = {
    Outcome.TIMED_OUT: "did not come back",
    Outcome.CRASHED: "ended its process",
    Outcome.OVER_MEMORY: "took more memory than allowed",
    Outcome.OVER_OUTPUT: "wrote more output than allowed",
    Outcome.OVER_PROCESSES: "started more processes than allowed",
}

_NO_ERRORS: Final = "no result said anything of an error"


@rule(
    "EXC001",
    "AGN-005.4.2",
    "AGN-005.9.3",
    "TUL-011.3.5",
    "AMP.3.4",
    "ART.1.2",
    over=Call,
    when=lambda call: proper(call) and came_back(call),
    unseen_reason="no call that the schema allows was answered",
    remedy="Put the body of execute into try … except Exception, log the exception, and return a failed result with a "
    "message.",
)
def valid_calls_never_raise(call: Call) -> Finding | None:
    """No exception leaves a call that a model may make."""
    if call.raised is not None and call.raised.category == "nothing":
        return None  # ART040
    return Finding(f"The tool raised {thrown(call)}; sent: {sent(call)}.") if threw(call) else None


@rule(
    "EXC002",
    "AGN-005.9.5",
    "AGN-005.4.2",
    "AMP.3.4",
    "ART.1.2",
    over=Call,
    when=lambda call: made(call) and not unanswered(call) and not overburdened(call),
    unseen_reason="no call was made",
    remedy="Limit each call: time (await with a timeout), memory (refuse large input), output (log "
    "instead of printing); never end the process.",
)
def every_call_comes_back(call: Call) -> Finding | None:
    """Every call returns, for any input: no hang, no crash, no exit, and no limit exceeded."""
    if not ended_process(call):
        return None
    ended = _ENDS.get(call.outcome, f"raised {thrown(call)}")
    how = f" ({printable(call.incident, 120)})" if call.incident else ""
    return Finding(f"The call {ended}{how}; sent: {sent(call)}.")


@rule(
    "EXC003",
    "TUL-011.3.5",
    "AGN-005.4.2",
    over=Call,
    when=leaks.has_error_text,
    unseen_reason=_NO_ERRORS,
    remedy="Log the exception with add_exception and give the result a message of your own.",
)
def errors_show_no_internals(call: Call) -> Finding | None:
    """No error of a result holds a stack trace, a place in source code, a memory address or a path of the host."""
    leak = leaks.internals(call)
    return (
        Finding(f"An error holds {leak.what}: {printable(leak.text)}; sent: {sent(call)}.") if leak else None
    )


@rule(
    "EXC004",
    "TUL-011.3.5",
    "AGN-005.4.2",
    over=Call,
    when=leaks.has_error_text,
    unseen_reason=_NO_ERRORS,
    remedy="Give the result a message of your own; never put the environment, a connection string or the text "
    "of a dependency's exception into it.",
)
def errors_give_away_no_secret(call: Call) -> Finding | None:
    """No error of a result holds a secret of the environment or of a service.

    EXC003 reports a secret that is part of a stack trace.
    """
    leak = leaks.secrets(call, leaks.without_stack_traces(leaks.error_texts(call)))
    return (
        Finding(f"An error holds {leak.what}: {printable(leak.text)}; sent: {sent(call)}.") if leak else None
    )


@rule(
    "EXC005",
    "TUL-011.3.5",
    over=Call,
    when=lambda call: call.succeeded and call.result is not None and call.result.payload is not None,
    unseen_reason=NO_SUCCESS,
    remedy="Keep the environment and the server's own directories out of the result object.",
)
def payload_gives_away_no_secret(call: Call) -> Finding | None:
    """No payload holds a secret of the environment or a path of the host; anything else may be data."""
    texts = (call.result.payload,) if call.result and call.result.payload else ()
    leak = leaks.secrets(call, texts) or leaks.host_paths(call, texts)
    return (
        Finding(f"The payload holds {leak.what}: {printable(leak.text)}; sent: {sent(call)}.")
        if leak
        else None
    )


@rule(
    "EXC006",
    "TUL-011.3.5",
    over=Call,
    when=leaks.has_error_text,
    unseen_reason=_NO_ERRORS,
    remedy="Say in the message what is wrong with the call; put the exception's own text into the log only.",
    advice=True,
)
def errors_speak_the_callers_language(call: Call) -> Finding | None:
    """An error's message is written for the model and not copied from an exception.

    A parser's message about a position in the arguments is allowed: it is about the arguments.
    """
    if leaks.internals(call) or leaks.secrets(call, leaks.error_texts(call)):
        return None  # EXC003, EXC004
    leak = leaks.exception_words(call)
    return (
        Finding(f"An error holds {leak.what}: {printable(leak.text)}; sent: {sent(call)}.") if leak else None
    )


@rule(
    "EXC007",
    "AGN-005.9.5",
    "AMP.3.4",
    "ART.1.2",
    over=Exploration,
    when=lambda seen: seen.sentinels > 0,
    unseen_reason="no call was made",
    remedy="Do not change what the tool does not own: the module that runs it, the classes of its contract, the logger that it "
    "is given. Apply a patch only where the tool uses the patched module.",
)
def host_is_not_tampered_with(seen: Exploration) -> Finding | None:
    """The tool does not change the executor that runs it.

    During and after the examination, the suite calls its own tools in the tool's process; they are known to succeed, to
    fail, to raise or to hang. If one of them behaves differently, the tool or a module that it imports has changed how
    calls are made, read or logged. No observation of the tool is reliable then.
    """
    return Finding(seen.tampering[0]) if seen.tampering else None
