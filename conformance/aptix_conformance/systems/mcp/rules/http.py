"""MCP070 to MCP081: what a server does over streamable HTTP, whatever its tools do."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from aptix_conformance.core.model import Call, Declaration, Exploration
from aptix_conformance.core.text import quoted
from aptix_conformance.rules.lib.documents import read
from aptix_conformance.rules.lib.kernel import AnyCall, Finding, NotApplicable, rule
from aptix_conformance.systems.mcp.probe import HEADERS, REFUSABLE, UNOWED
from aptix_conformance.systems.mcp.rules.accessors import (
    capabilities,
    declared,
    definition,
    error,
    http,
    is_legacy,
    is_over_http,
    is_over_sse,
    is_since,
    members,
    name_of,
    over_http,
    received,
    refused_by_status,
    response,
    server_rule,
    wire,
)
from aptix_conformance.systems.mcp.rules.messages import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    is_arranged,
)

_UNSUPPORTED: Final = -32022
_OK, _ACCEPTED, _BAD, _FORBIDDEN, _NOT_FOUND, _NO_METHOD = 200, 202, 400, 403, 404, 405
_ELSEWHERE: Final = frozenset({301, 302, 303, 307, 308, _NOT_FOUND, _NO_METHOD})
_NOT_THE_SERVERS: Final = frozenset({401, 403, 407, 429, 502, 503, 504})
"""Access, rates and gateways: no word on how a request is answered."""
_SUCCESS: Final = range(200, 300)
_STREAM: Final = "text/event-stream"
_UNOWED: Final = (
    *UNOWED,
    "unknown-notification",
    "unknown-cancellation",
    "malformed-cancellation",
    "not-json",
)
_UNRELATED: Final = frozenset(
    f"notifications/{what}"
    for what in ("tools/list_changed", "prompts/list_changed", "resources/list_changed", "resources/updated")
)
_NO_ANSWER: Final = "no HTTP answer of the kind was seen"
http_rule: Final = partial(server_rule, applies=over_http)
"""As `server_rule`, for servers that are asked over HTTP."""


def _is_request(call: Call) -> bool:
    """A message that is owed a response, and was answered over HTTP. One that may be refused is owed none then."""
    name, answer = name_of(call), http(call)
    if answer is None or not answer.status or answer.status in _NOT_THE_SERVERS:
        return False
    is_refused = name in REFUSABLE and refused_by_status(call)
    return name not in _UNOWED and not name.startswith("http-") and not is_refused


def _answered_over_http(*names: str) -> Callable[[Call], bool]:
    """A predicate: one of the stimuli `wire:NAME`, with an HTTP answer."""
    return lambda call: name_of(call) in names and http(call) is not None


def _status(call: Call) -> int:
    answer = http(call)
    return answer.status if answer else 0


def _answer(call: Call) -> str:
    """An HTTP answer in a sentence."""
    answer = http(call)
    if answer is None or not answer.status:
        return "The request got no HTTP answer."
    code = "" if answer.code is None else f" and the code {answer.code}"
    return f"The answer had the status {answer.status}{code}."


@rule(
    "MCP070",
    "MCP.T.5",
    of=("tool", "server"),
    when=_is_request,
    unseen_reason=_NO_ANSWER,
    applies=over_http,
    masks_others=True,
    differs_by="the HTTP status",
    remedy="Serve every method at the one path of the endpoint.",
)
def endpoint_takes_every_message(call: Call) -> Finding | None:
    """Every message is posted to one path, and is served there: it is neither redirected nor not found.

    A status 404 with a response in it, as for an unknown method, is an answer.
    """
    answer = http(call)
    if answer is None or response(call) is not None or answer.status not in _ELSEWHERE:
        return None
    where = f", to {quoted(answer.location, 100)}" if answer.location else ""
    return Finding(
        f"The message was answered with the status {answer.status}{where}.", cause=str(answer.status)
    )


def _is_of_a_transport_with_origins(declaration: Declaration) -> str | None:
    """The `applies` of MCP071: the first revision says so of HTTP with SSE, and streamable HTTP is a transport of its own there."""
    if is_over_http(declaration) and not is_since(declaration, "2025-03-26") and not is_over_sse(declaration):
        return "2024-11-05 has no streamable HTTP"
    return over_http(declaration)


@server_rule(
    "MCP071",
    "MCP.T.6",
    applies=_is_of_a_transport_with_origins,
    when=AnyCall(_answered_over_http("http-origin")),
    unseen_reason=_NO_ANSWER,
    remedy="Answer with the status 403 where a request has an Origin that is not allowed. Origins on this machine may be.",
)
def strange_origin_is_refused(exploration: Exploration) -> Iterator[Finding]:
    """A request with an Origin that nobody would allow is refused, since 2025-11-25 with the status 403.

    A web page can send requests to servers on its reader's machine. The header says where the page comes from. Older revisions
    want it checked and name no status: there, a finding is a success.
    """
    names_status = is_since(exploration.declarations[0], "2025-11-25")
    for call in filter(_answered_over_http("http-origin"), exploration.calls):
        answer = http(call)
        is_served = answer is not None and answer.status in _SUCCESS and answer.code is None
        if _status(call) != _FORBIDDEN if names_status else is_served:
            yield Finding(_answer(call), call)


@http_rule(
    "MCP072",
    "MCP.T.7",
    when=_answered_over_http("unknown-notification", "unknown-cancellation"),
    kind=name_of,
    unseen_reason=_NO_ANSWER,
    remedy="Answer a notification with the status 202 and no body, or with an error status where it is not accepted.",
)
def notification_is_accepted_without_a_body(call: Call) -> Finding | None:
    """A notification is answered with the status 202 and no body, or refused with an error status."""
    answer = http(call)
    if answer is None or answer.status >= _BAD:
        return None
    if answer.status == _ACCEPTED and not answer.body:
        return None
    body = f" The body was {quoted(answer.body, 100)}." if answer.body else ""
    return Finding(f"{_answer(call)}{body}")


@rule(
    "MCP073",
    "MCP.T.8",
    of=("tool", "server"),
    when=_is_request,
    unseen_reason=_NO_ANSWER,
    applies=over_http,
    masks_others=True,
    differs_by="the HTTP status",
    remedy="Answer each request with one JSON object as application/json, or with a text/event-stream that holds the response.",
)
def request_is_answered_in_json_or_a_stream(call: Call) -> Finding | None:
    """A request is answered by its response: one object as application/json, or in a stream of events."""
    answer = http(call)
    if answer is None or response(call) is not None or answer.status in _ELSEWHERE:
        return None
    body = f": {quoted(answer.body, 100)}" if answer.body else ""
    return Finding(
        f"The HTTP answer, with status {answer.status}, {answer.fault}{body}.", cause=str(answer.status)
    )


@rule(
    "MCP074",
    "MCP.T.9",
    of=("tool", "server"),
    when=AnyCall(_is_request),
    unseen_reason=_NO_ANSWER,
    applies=over_http,
    differs_by="the method of the message",
    remedy="Send on a request's stream only what belongs to the request: its progress, its log messages, its response.",
)
def stream_belongs_to_its_request(exploration: Exploration) -> Iterator[Finding]:
    """What comes on a request's stream belongs to that request: no news of lists or resources."""
    declaration = exploration.declarations[0]
    able, legacy = capabilities(declaration), is_legacy(declaration)
    for call in filter(_is_request, exploration.calls):
        facts = received(call)
        for text in facts.others if facts else ():
            method = members(read(text).value).get("method")
            if method in _UNRELATED and is_arranged(method, able, legacy=legacy):
                yield Finding(f"The stream brought {quoted(method, 60)}.", call, cause=method)


@http_rule(
    "MCP075",
    "MCP.T.10",
    when=_answered_over_http("http-get"),
    unseen_reason=_NO_ANSWER,
    differs_by="whether the answer is wrong, or a response came on the stream",
    remedy="Answer GET with a text/event-stream, or with the status 405; send a response in answer to its POST only.",
)
def get_opens_a_stream_or_is_not_allowed(call: Call) -> Finding | None:
    """GET opens a stream of events, or gets the status 405. No response to a POST comes on that stream."""
    answer, facts = http(call), received(call)
    opened = answer is not None and answer.status == _OK and answer.kind == _STREAM
    if not opened:
        return None if _status(call) == _NO_METHOD else Finding(_answer(call))
    texts = facts.others if facts else ()
    if any("method" not in members(read(text).value) for text in texts):
        return Finding("The stream of a GET brought the response to another request.", cause="response")
    return None


@http_rule(
    "MCP076",
    "MCP.T.11",
    when=_answered_over_http("http-get", "http-delete", "http-resumed"),
    unseen_reason=NotApplicable("the server speaks the earlier revision, too"),
    differs_by="whether GET or DELETE was served, a session id was given out, or a resumed stream was refused",
    remedy="Answer GET and DELETE with the status 405; ignore Mcp-Session-Id and Last-Event-ID, and give out no session id.",
)
def legacy_transport_is_removed(call: Call) -> Finding | None:
    """A server of 2026-07-28 alone has no GET, no DELETE and no sessions.

    It ignores the headers of sessions and of resumed streams.
    """
    answer = http(call)
    if not wire("http-resumed")(call):
        return None if _status(call) == _NO_METHOD else Finding(_answer(call))
    if answer is not None and answer.session:
        return Finding("The answer gave out a session id.", cause="session")
    return None if _status(call) == _OK else Finding(_answer(call), cause="resumed")


@http_rule(
    "MCP077",
    "MCP.T.12",
    when=AnyCall(_is_request),
    unseen_reason=_NO_ANSWER,
    differs_by="whether the session id has other characters, or a session that has ended was served",
    remedy="Make session ids of visible ASCII characters, and answer with the status 404 once a session has ended.",
)
def session_is_visible_and_ends(exploration: Exploration) -> Iterator[Finding]:
    """A session id has visible ASCII characters only, and a request in a session that DELETE has ended gets the status 404."""
    facts = declared(exploration.declarations[0])
    session = facts.http.session if facts and facts.http else None
    if session is not None and not (session and all("!" <= each <= "~" for each in session)):
        yield Finding(f"The session id is {quoted(session, 60)}.", cause="characters")
    for call in filter(_answered_over_http("http-ended"), exploration.calls):
        if _status(call) != _NOT_FOUND:
            yield Finding(_answer(call), call, cause="ended")


@http_rule(
    "MCP078",
    "MCP.T.13",
    when=_answered_over_http("http-version"),
    unseen_reason=_NO_ANSWER,
    remedy="Refuse an MCP-Protocol-Version that the server does not speak with the status 400.",
)
def strange_version_is_refused(call: Call) -> Finding | None:
    """A request with an MCP-Protocol-Version that does not exist is refused with the status 400."""
    return None if _status(call) == _BAD else Finding(_answer(call))


@http_rule(
    "MCP079",
    "MCP.T.14",
    when=_answered_over_http(*HEADERS, "http-name-encoded"),
    kind=name_of,
    unseen_reason=_NO_ANSWER,
    differs_by="the change of the headers",
    remedy="Compare MCP-Protocol-Version, Mcp-Method and Mcp-Name with the body, and refuse what differs or is missing with the "
    "status 400 and the code -32020. Decode the Base64 form first, and read the names of headers in any case.",
)
def headers_are_checked_against_the_body(call: Call) -> Finding | None:
    """Headers that are missing or differ from the body are refused with the status 400 and the code -32020.

    A name in the Base64 form, and headers in lower case, are right. A version that differs may be refused as unsupported; it is
    not tried where a server speaks the earlier revision, too, since the header may tell it which of them a request is of.
    """
    answer = http(call)
    code = answer.code if answer else None
    if wire("http-name-encoded")(call):
        return None if (_status(call), code) == (_OK, None) else Finding(_answer(call), cause="encoded")
    codes = (HEADER_MISMATCH, _UNSUPPORTED) if wire("http-version-other")(call) else (HEADER_MISMATCH,)
    if _status(call) == _BAD and code in codes:
        return None
    return Finding(_answer(call), cause=name_of(call))


def _wants_parameters(declaration: Declaration) -> str | None:
    """The `applies` of the rule on parameters in headers."""
    waiting: list[Any] = [definition(declaration).get("inputSchema")]
    while waiting:
        properties = members(members(waiting.pop()).get("properties"))
        if any("x-mcp-header" in members(each) for each in properties.values()):
            return over_http(declaration)
        waiting += properties.values()
    return "the server's first tool wants no parameter in a header"


@server_rule(
    "MCP080",
    "MCP.T.15",
    when=_answered_over_http("http-param-missing", "http-param-other"),
    kind=name_of,
    unseen_reason="no call had such a parameter",
    applies=_wants_parameters,
    differs_by="the change of the headers",
    remedy="Compare Mcp-Param-* with the argument, and refuse what differs or is missing with the status 400 and the code -32020.",
)
def parameters_in_headers_are_checked(call: Call) -> Finding | None:
    """A parameter with x-mcp-header whose header is missing or differs is refused with the status 400 and the code -32020."""
    answer = http(call)
    if answer is not None and (answer.status, answer.code) == (_BAD, HEADER_MISMATCH):
        return None
    return Finding(_answer(call), cause=name_of(call))


_CODES: Final = {
    "unknown-method": METHOD_NOT_FOUND,
    "without-meta": INVALID_PARAMS,
    "unknown-version": _UNSUPPORTED,
}


def _is_refusal(call: Call) -> bool:
    code = error(call).get("code")
    return http(call) is not None and _CODES.get(name_of(call)) == code and code is not None


@server_rule(
    "MCP081",
    "MCP.T.14",
    "MCP.E.8",
    "MCP.L.11",
    "MCP.L.12",
    when=_is_refusal,
    unseen_reason="nothing was refused with the codes -32601, -32602 and -32022",
    applies=lambda declaration: (
        "no revision before 2026-07-28 names a status" if is_legacy(declaration) else over_http(declaration)
    ),
    differs_by="the HTTP status that is demanded",
    remedy="Send the error -32601 with the status 404, and with the status 400 the error -32602 for a missing _meta and the error "
    "-32022 for an unknown version.",
)
def refusals_have_their_status(call: Call) -> Finding | None:
    """In 2026-07-28 an unknown method is refused with the status 404, a request without _meta or in an unknown version with 400."""
    expected = _NOT_FOUND if wire("unknown-method")(call) else _BAD
    return None if _status(call) == expected else Finding(_answer(call), cause=str(expected))
