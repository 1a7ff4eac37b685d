"""MCP020 to MCP032: the messages that a server sends, whatever the tool does."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from aptix_conformance.core.model import Call, Exploration
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib.documents import NOT_IN_JSON, read
from aptix_conformance.rules.lib.kernel import AnyCall, Finding, rule
from aptix_conformance.systems.mcp.probe import REFUSABLE
from aptix_conformance.systems.mcp.rules.accessors import (
    answered,
    capabilities,
    error,
    is_legacy,
    is_plain,
    is_protocol_error,
    is_since,
    members,
    name_of,
    others,
    over_stdio,
    received,
    refused_by_status,
    response,
    server_rule,
    unanswered_line,
    wire,
)

PARSE_ERROR: Final = -32700
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
HEADER_MISMATCH: Final = -32020
SPECIAL_IDS: Final[Mapping[str, str | int]] = {
    "text-id": "aptix-1",
    "digits-id": "900719",
    "empty-id": "",
    "zero-id": 0,
    "listen": "listen-1",
}
"""The ids of requests that the suite chose, by stimulus; all others are counted."""
_NOTIFICATIONS: Final = ("unknown-notification", "unknown-cancellation", "malformed-cancellation")
NO_ANSWER: Final = "no request was answered"

_LIST_CHANGED: Final = frozenset(
    f"notifications/{what}/list_changed" for what in ("tools", "prompts", "resources")
)


def _was_answered(call: Call) -> bool:
    return response(call) is not None


@rule(
    "MCP020",
    "MCP.L.1",
    "MCP.E.7",
    of=("tool", "server"),
    when=_was_answered,
    unseen_reason=NO_ANSWER,
    differs_by="the part of the response that is wrong",
    remedy='Answer with {"jsonrpc": "2.0", "id": …, "result": {…}} or {"jsonrpc": "2.0", "id": …, "error": {"code": …, '
    '"message": …}}.',
)
def response_has_its_form(call: Call) -> Finding | None:
    """A response is a JSON-RPC 2.0 object with either a result, an object, or an error with a code and a message."""
    answer = response(call) or {}
    if not answer:
        return None  # MCP022
    if answer.get("jsonrpc") != "2.0":
        return Finding("The member jsonrpc is not the string 2.0.", cause="jsonrpc")
    if ("result" in answer) == ("error" in answer):
        return Finding("The response has both a result and an error, or neither.", cause="both")
    if "result" in answer and not isinstance(answer["result"], dict):
        return Finding("The result is no object.", cause="result")
    code = error(call).get("code")
    whole = isinstance(code, int) and not isinstance(code, bool)
    if "error" in answer and not (whole and isinstance(error(call).get("message"), str)):
        return Finding("The error has no integer code or no string message.", cause="error")
    return None


@rule(
    "MCP021",
    "MCP.L.2",
    of=("tool", "server"),
    when=lambda call: is_plain(call) or (received(call) is not None and not unanswered_line(call)),
    unseen_reason=NO_ANSWER,
    remedy="Copy the request's id into the response as it is, a number as a number.",
)
def response_has_the_requests_id(call: Call) -> Finding | None:
    """A response has its request's id, of the same type. The suite's ids are integers; a few are texts, one of digits and an empty one among them."""
    answer = response(call) or {}
    answer_id = answer.get("id")
    special = SPECIAL_IDS.get(name_of(call))
    if special is not None:
        right = answer_id == special and type(answer_id) is type(special)
        expected = f"the text {json.dumps(special)}" if isinstance(special, str) else f"the number {special}"
    else:
        right, expected = isinstance(answer_id, int) and not isinstance(answer_id, bool), "a number"
    # A message that a JSON library refuses as a whole, or beyond a limit of its own, has no id that could be read. Over HTTP
    # the answer belongs to its POST, and a status may refuse a body that nobody has read to its end.
    beyond = wire("deep")(call) or wire("long-integer")(call) or error(call).get("code") == PARSE_ERROR
    beyond = beyond or (name_of(call) in REFUSABLE and refused_by_status(call))
    is_unread = answer_id is None and is_protocol_error(call) and beyond
    if not answer or right or is_unread:
        return None
    return Finding(f"The request's id was {expected}, the response's is {printable(repr(answer_id), 60)}.")


@rule(
    "MCP022",
    "MCP.T.1",
    of=("tool", "server"),
    when=lambda call: received(call) is not None,
    unseen_reason=NO_ANSWER,
    differs_by="whether the fault is a NaN or an infinity, or another one",
    remedy="Write JSON as RFC 8259 has it, in UTF-8: null in place of NaN and infinities.",
)
def messages_are_strict_json(call: Call) -> Iterator[Finding]:
    """What the server sends is JSON by RFC 8259: no NaN, no infinity."""
    facts = received(call)
    for text in facts.texts() if facts else ():
        fault = read(text).fault
        if fault:
            yield Finding(
                f"A message is no JSON: {printable(fault, 120)}.",
                cause="NaN" if NOT_IN_JSON in fault else "",
            )


@rule(
    "MCP023",
    "MCP.T.2",
    "MCP.T.3",
    of=("tool", "server"),
    when=lambda call: received(call) is not None or bool(call.stdout.total_bytes),
    applies=over_stdio,
    unseen_reason=NO_ANSWER,
    remedy="Print to standard error, and log there; in Python print(…, file=sys.stderr), in JavaScript console.error(…). Redirect what child processes print.",
)
def standard_output_carries_messages_only(call: Call) -> Finding | None:
    """Standard output carries messages and nothing else, one on a line.

    A client reads each line as a message. What a tool prints there breaks its connection, or is lost: a response that stands
    behind it on one line never arrives. What a server prints before a tool is called is a finding of the server's, and not of its
    tools. The suite reads a response on such a line all the same, so that the silence is no second finding.
    """
    if not call.stdout.total_bytes:
        return None
    text = call.stdout.text
    tainted = next((line for line in text.splitlines() if _holds_response(line)), "")
    if tainted:
        return Finding(
            f"The server printed on one line with a response, which no client reads: {quoted(tainted, 120)}."
        )
    return Finding(f"The server printed {quoted(text, 120)}.")


def _holds_response(line: str) -> bool:
    return '"jsonrpc"' in line and ('"result"' in line or '"error"' in line)


@rule(
    "MCP024",
    "MCP.L.3",
    when=answered("followed-call"),
    unseen_reason=NO_ANSWER,
    probes=("wire",),
    remedy="Send one response for each request.",
)
def request_has_one_response(call: Call) -> Finding | None:
    """No request gets two responses.

    A call is followed by another request: what comes before its response was sent for the call.
    """
    facts = received(call)
    for text in facts.others if facts else ():
        message = members(read(text).value)
        if message and "method" not in message and message.get("id") is not None:
            return Finding(f"After the response there was another one: {quoted(text, 120)}.")
    return None


@rule(
    "MCP025",
    "MCP.L.8",
    "MCP.L.18",
    of=("tool", "server"),
    when=AnyCall(_was_answered),
    unseen_reason=NO_ANSWER,
    differs_by="the method of the request, or that a result asks for input",
    remedy="Look at the client's capabilities before asking it for something, and do without where it has none.",
)
def client_is_asked_for_nothing(exploration: Exploration) -> Iterator[Finding]:
    """A client that declares no capability is not asked for sampling, elicitation or roots.

    The suite declares none, except in the calls that MCP102 judges. In 2026-07-28 a server sends no requests at all, and
    asks by `inputRequests` in a result `input_required`; one with a `requestState` alone asks for nothing but a retry.
    """
    legacy = is_legacy(exploration.declarations[0])
    for call, message in others(exploration):
        method = message.get("method")
        if "id" in message and method is not None and not (legacy and method == "ping"):
            sentence = f"The server sent the request {quoted(str(method), 60)}."
            yield Finding(sentence, call, cause=str(method))
    for call in exploration.calls:
        result = members((response(call) or {}).get("result"))
        is_asked = result.get("resultType") == "input_required" and bool(result.get("inputRequests"))
        if is_asked and not legacy and not wire("asking")(call):
            yield Finding("A call came back as input_required.", call, cause="input_required")


@rule(
    "MCP026",
    "MCP.X.6",
    "MCP.X.7",
    "MCP.X.10",
    "MCP.X.11",
    "MCP.P.7",
    of=("tool", "server"),
    when=AnyCall(_was_answered),
    unseen_reason=NO_ANSWER,
    differs_by="the method of the notification",
    remedy="Report progress only where the request gave a progressToken; log only with the capability logging, in 2026-07-28 "
    "only for a request that asks for a level.",
)
def notifications_are_asked_for(exploration: Exploration) -> Iterator[Finding]:
    """No progress, log message, list change or cancellation comes that was not arranged.

    The suite asks for no log level. It gives a progressToken with calls that it watches or cancels; MCP063 judges the
    progress with that token. A log message about a line that is no JSON does not
    count: one SDK sends it for every server. MCP098 judges what a subscription brings. List changes are judged since 2025-06-18:
    before, a server only should not send what it did not declare.
    """
    declaration = exploration.declarations[0]
    for call, message in others(exploration):
        method = message.get("method")
        if not isinstance(method, str) or "id" in message or (call is not None and _is_apart(call)):
            continue
        if method in _LIST_CHANGED and not is_since(declaration, "2025-06-18"):
            continue
        if not is_arranged(method, capabilities(declaration), legacy=is_legacy(declaration)):
            yield Finding(f"The server sent {quoted(method, 60)}.", call, cause=method)


def _is_apart(call: Call) -> bool:
    return wire("not-json")(call) or wire("listen")(call)


def is_arranged(method: str, able: dict[str, Any], *, legacy: bool) -> bool:
    """Whether a notification of a method may come unasked from a server that is able to do some things."""
    if method == "notifications/message":
        return legacy and "logging" in able
    if method in _LIST_CHANGED:
        part = able.get(method.split("/")[1])
        return legacy and isinstance(part, dict) and part.get("listChanged") is True
    return method not in ("notifications/progress", "notifications/cancelled") or (
        legacy and method == "notifications/cancelled"
    )


@server_rule(
    "MCP027",
    "MCP.L.4",
    "MCP.X.3",
    when=lambda call: name_of(call) in _NOTIFICATIONS,
    kind=name_of,
    unseen_reason="no notification was sent",
    remedy="Answer requests only: a message without an id is a notification; ignore one that is not known.",
)
def notification_is_not_answered(call: Call) -> Finding | None:
    """A notification is not answered, also an unknown one, and a cancellation of an unknown request or of none.

    The next response shows that the server has read it. An answer after that response is not seen.
    """
    facts = received(call)
    for text in facts.others if facts else ():
        message = members(read(text).value)
        # A late response to an earlier request has an integer for its id: MCP024 reports that.
        if message and "method" not in message and not isinstance(message.get("id"), int):
            return Finding(f"The server answered: {quoted(text, 120)}.")
    return None


@server_rule(
    "MCP028",
    "MCP.E.8",
    when=lambda call: answered("unknown-method")(call) or answered("inherited-method")(call),
    unseen_reason="the request of an unknown method was not answered",
    remedy='Answer with {"error": {"code": -32601, "message": "Method not found"}}.',
)
def unknown_method_is_an_error(call: Call) -> Finding | None:
    """A request with a method that does not exist is answered with an error."""
    answer = response(call) or {}
    return Finding("The unknown method was answered with a result.") if "result" in answer else None


@server_rule(
    "MCP029",
    "MCP.E.8",
    when=lambda call: answered("unknown-method")(call) and "code" in error(call),
    unseen_reason="the request of an unknown method was not answered with an error",
    remedy="Use the code -32601.",
    source="advice",
)
def unknown_method_has_its_code(call: Call) -> Finding | None:
    """The error for an unknown method has the code -32601.

    SDKs in wide use answer -32602, so this is advice.
    """
    code = error(call).get("code")
    return None if code == METHOD_NOT_FOUND else Finding(f"The code is {printable(repr(code), 20)}.")


@server_rule(
    "MCP030",
    "MCP.L.9",
    when=answered("ping"),
    unseen_reason="ping was not answered",
    remedy='Answer ping with {"result": {}}.',
)
def ping_is_answered(call: Call) -> Finding | None:
    """Ping is answered with a result."""
    return None if "result" in (response(call) or {}) else Finding("ping was answered with an error.")


@server_rule(
    "MCP031",
    "MCP.E.9",
    when=wire("not-json"),
    unseen_reason="a line that is not JSON was not survived",
    remedy='Answer with {"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "Parse error"}}.',
)
def line_that_is_not_json_is_reported(call: Call) -> Finding | None:
    """A line that is not JSON is answered with an error of the code -32700. Over HTTP an error status is enough."""
    if refused_by_status(call):
        return None
    facts = received(call)
    messages = [read(text).value for text in facts.others] if facts else []
    errors = [m.get("error") for m in messages if isinstance(m, dict)]
    if any(isinstance(each, dict) and each.get("code") == PARSE_ERROR for each in errors):
        return None
    return Finding("The line was not answered with -32700.")


@server_rule(
    "MCP032",
    "MCP.L.11",
    when=answered("without-meta"),
    unseen_reason="a request without _meta was not answered",
    remedy="Refuse a request whose _meta lacks protocolVersion or clientCapabilities, with the code -32602.",
)
def request_without_meta_is_refused(call: Call) -> Finding | None:
    """A request without protocolVersion and clientCapabilities in its _meta is refused with -32602."""
    code = error(call).get("code")
    if code == INVALID_PARAMS:
        return None
    return Finding(
        "tools/list without _meta was answered with " + ("a result." if code is None else f"the code {code}.")
    )
