"""EXC: exceptions that leave `execute`, calls without a result, and information that results leak."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from aptix_conformance.core.model import (
    Call,
    Exploration,
    Kind,
    Outage,
    Outcome,
    ScarceResource,
    canaries,
    lasts,
)
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib import leaks
from aptix_conformance.rules.lib.documents import texts_within
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.rules.lib.mislabelled import unmarked_failure
from aptix_conformance.rules.lib.scope import (
    BY_EXCEPTION,
    PROPER,
    came_back,
    constructed,
    ended_process,
    overburdened,
    proper,
    raised_at,
    threw,
    thrown,
    unanswered,
)
from aptix_conformance.stimuli.generate.grammars import is_endless

_ENDS: Final = {
    Outcome.TIMED_OUT: "did not come back",
    Outcome.CRASHED: "ended its process",
    Outcome.OVER_MEMORY: "took more memory than allowed",
    Outcome.OVER_OUTPUT: "wrote more output than allowed",
    Outcome.OVER_PROCESSES: "was stopped because the tool had more processes than allowed, those that earlier calls left included",
}

_VALUE: Final = re.compile(r"'[^']*'|\d+")
"""A value in the words of an exception."""

_NO_ERRORS: Final = "no result said anything of an error"


@rule(
    "EXC001",
    "AGN-005.4.2",
    "AGN-005.9.3",
    "TUL-011.3.5",
    "AMP.3.4",
    "ART.1.2",
    when=lambda call: proper(call) and came_back(call),
    masks_others=True,
    unseen_reason="no call that the schema allows was answered",
    probes=PROPER,
    differs_by=BY_EXCEPTION,
    remedy="Put the body of execute into try … except Exception, log the exception, and return a failed result with a "
    "message.",
)
def valid_calls_never_raise(call: Call) -> Finding | None:
    """No exception leaves a call that a model may make."""
    if not threw(call) or call.raised is None:
        return None
    defers_to = "ART040" if call.raised.category == "nothing" else ""
    return Finding(f"The tool raised {thrown(call)}.", defers_to=defers_to, cause=raised_at(call))


@rule(
    "EXC002",
    "AGN-005.9.5",
    "AGN-005.4.2",
    "AMP.3.4",
    "ART.1.2",
    "MCP.L.3",
    "MCP.E.10",
    "MCP.E.11",
    when=lambda call: constructed(call) and not unanswered(call) and not overburdened(call),
    masks_others=True,
    unseen_reason="no call was made",
    differs_by="what was scarce; else how the call ended, and for an exception its type and where in the tool's own code it came from",
    remedy="Limit each call: time (await with a timeout), memory (refuse large input), output (log "
    "instead of printing); never end the process. No timeout stops a regular expression that backtracks: rewrite it, "
    "or shorten the text first. Release a lock in try … finally, also where a call is refused.",
)
def every_call_comes_back(call: Call) -> Finding | None:
    """Every call returns, for any input: no hang, no crash, no exit, and no limit exceeded."""
    if not ended_process(call):
        return None
    ended = _ENDS.get(call.outcome, f"raised {thrown(call)}")
    detail = f" ({printable(call.incident, 160)})" if call.incident else ""
    message = f"The call {ended}{detail}.{_limit_of(call)}"
    cause = _scarce(call) or (call.outcome, *raised_at(call))
    return Finding(message, cause=cause, timed=call.outcome is Outcome.TIMED_OUT)


def _scarce(call: Call) -> str:
    """What the call lacked for as long as it lasted; empty where nothing."""
    lacking = call.plan.disturbance
    if isinstance(lacking, (ScarceResource, Outage)):
        return lacking.name
    return "a dependency" if lasts(lacking) else ""


def _limit_of(call: Call) -> str:
    """Which setting helps where the suite asks a tool for more than its author would, and the tool waits for it."""
    is_variation = call.plan.kind is Kind.VARIED or lasts(call.plan.disturbance)
    asks_more = is_variation or is_endless(call.plan.change.detail)
    if call.outcome is not Outcome.TIMED_OUT or not asks_more:
        return ""
    return " If it may take longer, `timeout` in the tool's table sets the limit."


@rule(
    "EXC003",
    "TUL-011.3.5",
    "AGN-005.4.2",
    "MCP.Sec.7",
    when=lambda call: leaks.has_failure_text(call) or unmarked_failure(call),
    unseen_reason=NotApplicable(_NO_ERRORS),
    differs_by="the kind of leak",
    remedy="Log the exception with add_exception and give the result a message of your own.",
)
def errors_show_no_internals(call: Call) -> Finding | None:
    """No failed result holds a stack trace, a place in source code, a memory address, a path of the host or an SQL statement.

    It is searched everywhere: messages, details, metadata, and the causes of an exception. The result of an MCP server that reports
    a failure is searched also where `isError` is missing.
    """
    is_unmarked = unmarked_failure(call)
    leak = leaks.internals_in(call, _shown(call)) if is_unmarked else leaks.internals(call)
    if leak is None:
        return None
    where = "A result without a mark of failure" if is_unmarked else "An error of the result"
    return Finding(f"{where} holds {leak.kind}: {quoted(leak.text)}.", cause=leak.kind)


@rule(
    "EXC004",
    "TUL-011.3.5",
    "AGN-005.4.2",
    "MCP.Sec.7",
    when=leaks.has_failure_text,
    unseen_reason=NotApplicable(_NO_ERRORS),
    differs_by="the secret",
    remedy="Give the result a message of your own; never put the environment, a connection string or the text "
    "of a dependency's exception into it.",
)
def errors_hold_no_secret(call: Call) -> Finding | None:
    """No failed result holds a secret of the environment or of a service, wherever in it, nor any other credential.

    A credential is a password in an address or in a connection string, or a token of a known format. EXC003 reports a secret that is part of a stack trace.
    """
    return _disclosed(
        call, tuple(leaks.failure_texts(call)), "An error of the result", lambda leak: leak.text
    )


@rule(
    "EXC005",
    "TUL-011.3.5",
    "MCP.Sec.7",
    when=lambda call: call.succeeded and call.result is not None and call.result.payload is not None,
    differs_by="the kind of leak",
    remedy="A secret of the environment: return the values that were asked for, never the environment or the settings as a "
    "whole. One in the text of an exception: log the exception, and say in your own words what is missing. One that the project "
    "configures: use it in the call of its service only. A path: return the name that the caller knows. Before you "
    "open a file that the call names, look where its resolved path lies.",
)
def payload_holds_no_secret(call: Call) -> Finding | None:
    """No payload holds a secret of the environment or a path of the host; anything else may be data.

    A tool that opens whatever file the model names shows the environment of its process, `/proc/self/environ`. Such a tool has
    to look where the resolved path lies before it opens it.
    """
    texts = _shown(call)
    if unmarked_failure(call):
        return _disclosed(call, texts, "The payload", lambda leak: leak.kind)
    leak = leaks.secrets(call, texts) or leaks.host_paths(call, texts)
    if leak is None:
        return None
    message = f"The payload holds {leak.kind}: {quoted(leak.text)}."
    return Finding(message, cause=leak.kind)


def _disclosed(
    call: Call, texts: Sequence[str], where: str, cause_of: Callable[[leaks.Leak], str]
) -> Finding | None:
    """The finding on a secret or credential in texts of a failure; what is part of a stack trace is EXC003's."""
    own = leaks.disclosed(call, leaks.without_stack_traces(texts))
    leak = own or leaks.disclosed(call, texts)
    if leak is None:
        return None
    shown = quoted(leak.text) if canaries.find(leak.text) else f"{printable(leak.text[:3], 8)}…"
    message = f"{where} holds {leak.kind}: {shown}."
    return Finding(message, defers_to="" if own else "EXC003", cause=cause_of(leak))


def _shown(call: Call) -> tuple[str, ...]:
    """The texts of a success that the caller sees."""
    if call.result is None:
        return ()
    beside = call.result.facts.texts_beside_payload() if call.result.facts else ()
    return tuple(text for text in dict.fromkeys((call.result.payload or "", *texts_within(beside))) if text)


@rule(
    "EXC006",
    "TUL-011.3.5",
    when=leaks.has_error_text,
    unseen_reason=NotApplicable(_NO_ERRORS),
    differs_by="the words of the exception, without the values in them",
    remedy="Say in the message what is wrong with the call; put the exception's own text into the log only.",
    source="advice",
)
def errors_speak_the_callers_language(call: Call) -> Finding | None:
    """An error's message is written for the model and not copied from an exception.

    A parser's message about a position in the arguments is allowed: it is about the arguments.
    """
    leak = leaks.exception_words(call)
    if leak is None:
        return None
    defers_to = "EXC003" if leaks.internals(call) else ""
    if not defers_to and leaks.disclosed(call, leaks.failure_texts(call)):
        defers_to = "EXC004"
    message = f"An error of the result holds {leak.kind}: {quoted(leak.text)}."
    return Finding(message, defers_to=defers_to, cause=_VALUE.sub("'…'", leak.text))


@rule(
    "EXC007",
    "AGN-005.9.5",
    "AMP.3.4",
    "ART.1.2",
    "MCP.E.10",
    when=lambda exploration: exploration.sentinels > 0,
    unseen_reason="no call was made",
    remedy="Do not change what the tool does not own: the module that runs it, the classes of its contract, the logger that it "
    "is given. Apply a patch only where the tool uses the patched module.",
)
def host_is_not_tampered_with(exploration: Exploration) -> Finding | None:
    """The tool does not change the executor that runs it.

    During and after the examination, the suite calls its own tools in the tool's process; they are known to succeed, to
    fail, to raise or to hang. If one of them behaves differently, the tool or a module that it imports has changed how
    calls are made, read or logged. No observation of the tool is reliable then. If the process ends during such a call,
    the tool's last call has left behind what ends it, and EXC002 reports that.
    """
    return Finding(exploration.tampering[0]) if exploration.tampering else None
