"""MCP033 to MCP039, MCP057 to MCP059 and MCP108: what a server does with requests and lines that are awkward or hostile.

They are judged once a server, since its SDK decides most of it. Over stdio the host tells a silence without a clock: the server has
answered later requests by then (`runners/mcp/hostile.py`). Over HTTP each is the body of a POST, and a silence is a POST without an
HTTP answer (`runners/mcp/hostile_http.py`); an error status is an answer, whatever its body holds.
"""

import json
from collections.abc import Iterator
from typing import Final

from aptix_conformance.core.model import INCIDENTS, Call, Declaration, Exploration, Outcome
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib import leaks
from aptix_conformance.rules.lib.documents import read
from aptix_conformance.rules.lib.kernel import AnyCall, Finding, NotApplicable
from aptix_conformance.systems.mcp.facts import HttpAnswer
from aptix_conformance.systems.mcp.rules.accessors import (
    error,
    http,
    is_over_http,
    is_protocol_error,
    members,
    name_of,
    received,
    refused_by_status,
    response,
    server_rule,
    tool_names,
    wire,
)
from aptix_conformance.systems.mcp.rules.ends import ENDS, while_busy
from aptix_conformance.systems.mcp.rules.messages import INVALID_PARAMS, PARSE_ERROR

UNKNOWN_VERSION: Final = "1999-01-01"
"""The version that the host asks for in `wire:unknown-version` and `wire:unknown-version-first`."""
_INVALID_REQUEST: Final = -32600
_UNSUPPORTED: Final = -32022
_OWED: Final = {
    "duplicate-keys": "A request with a key that stands twice",
    "lone-surrogate": "A request with half of a character, escaped,",
    "text-id": "A request whose id is a text",
    "digits-id": "A request whose id is a text of digits",
    "empty-id": "A request whose id is an empty text",
    "zero-id": "A request whose id is 0",
    "second-initialize": "A second initialize",
    "one-mebibyte": "A request of 1 MiB",
}
_WISHED: Final = {
    "long-integer": "A request with an integer of 5,000 digits",
    "deep": "A request with arrays 1,000 deep",
    "params-array": "A request with an array for params",
}
_LARGE: Final = {"eight-mebibytes": "A request of 8 MiB", "sixteen-mebibytes": "A request of 16 MiB"}
"""Where 1 MiB is too much, so are these."""
_WISHED_OVER_HTTP: Final = {
    **_WISHED,
    "odd-ids": "A request whose id is null, a fraction, beyond 2^53 or an object",
    **_LARGE,
}
"""Over stdio their silence is free; over HTTP each POST is owed an answer."""
_ORDINARY: Final = {
    "unknown-tool": "A tools/call of an unknown tool",
    "unknown-tool-task": "A tools/call of an unknown tool, as a task,",
    "other-case": "A tools/call with a name in the other case",
    "unknown-method": "A request of an unknown method",
    "inherited-tool": "A tools/call of an unknown tool, `constructor`,",
    "inherited-method": "A request of an unknown method, `constructor`,",
    "nameless-call": "A tools/call without a name",
    "text-for-arguments": "A tools/call with a string for arguments",
    "ping": "A ping",
    "without-meta": "A request without _meta",
}
"""Over stdio their silence is a call without an end; over HTTP the closed connection of one POST shows it."""
_NO_REQUESTS: Final = {
    "batch": "A batch array",
    "bare-text": "A JSON string",
    "bad-utf-8": "A message that is not UTF-8",
}
_ORDERLY: Final = ("exit status 0", "closed its standard output")


def _ended(call: Call) -> str:
    """How the server ended, or that it did not answer any more; empty where it served on."""
    if call.outcome in INCIDENTS:
        return call.incident or "it did not answer"
    facts = received(call)
    return facts.ended if facts else ""


def _unanswered(call: Call, known: dict[str, str]) -> Finding | None:
    if response(call) is not None or _ended(call):
        return None
    name, answer = name_of(call), http(call)
    if answer is None:
        return Finding(f"{known[name]} was never answered; five later requests were.", cause=name)
    return None if answer.status else _without_http_answer(known[name], answer, name)


def _without_http_answer(what: str, answer: HttpAnswer, name: str) -> Finding:
    """The next request was answered, so the server has not ended. That no answer came may rest on a time."""
    message = f"{what} got no HTTP answer: {printable(answer.fault, 120)}. The next request was answered."
    first = "MCP033" if name in _LARGE else ""
    return Finding(message, defers_to=first, cause=name, timed=True)


def _is_served(call: Call, names: dict[str, str]) -> bool:
    return name_of(call) in names and not _ended(call)


def _wished(call: Call) -> dict[str, str]:
    return _WISHED if http(call) is None else _WISHED_OVER_HTTP


def _owed(call: Call) -> dict[str, str]:
    return _OWED if http(call) is None else {**_OWED, **_ORDINARY}


@server_rule(
    "MCP033",
    "MCP.L.3",
    when=lambda call: _is_served(call, _owed(call)),
    kind=name_of,
    unseen_reason="the server ended",
    differs_by="the request that was sent",
    remedy="Answer every request whose id can be read, if only with an error: catch what reading or writing it throws.",
)
def awkward_request_is_answered(call: Call) -> Finding | None:
    """A request that is grammatical JSON is answered, by a result or an error, also where its content is awkward.

    Tried are a key that stands twice, half of a character, ids that are a text, an empty text or 0, 1 MiB of arguments and, in 2025-11-25, a
    second initialize. Which of two equal keys wins is not judged. Over HTTP an error status is an answer, too, such as 400 or 413,
    and any other request counts whose POST gets none: a call without a name, for example, or with a string for arguments.
    """
    return _unanswered(call, _owed(call))


@server_rule(
    "MCP034",
    "MCP.L.3",
    when=lambda call: _is_served(call, _wished(call)),
    kind=name_of,
    unseen_reason="the server ended",
    source="advice",
    differs_by="the request that was sent",
    remedy="Answer with an error where a limit of the JSON library is reached: -32602, or -32700 without an id; over HTTP with a "
    "status such as 400 or 413.",
)
def request_beyond_a_limit_is_answered(call: Call) -> Finding | None:
    """A request that is beyond a limit of the server's JSON library is answered by an error.

    SDKs in wide use keep silent over stdio, so this is advice. Over HTTP an error status is an answer, too, such as 400 or 413,
    and it is also wanted for bodies of 8 and 16 MiB and for ids of other kinds than texts and integers.
    """
    return _unanswered(call, _wished(call))


@server_rule(
    "MCP035",
    "MCP.E.10",
    when=lambda call: bool(name_of(call)) and name_of(call) not in ENDS,
    kind=name_of,
    unseen_reason="nothing was sent",
    differs_by="the input that was sent",
    remedy="Catch everything that reading and answering one message can throw, and go on with the next one.",
)
def no_input_ends_the_service(call: Call) -> Finding | None:
    """Whatever one message holds, the next well-formed request is answered, in the same process.

    Messages have up to 8 MiB. At 16 MiB a server may end in order; it may not crash or keep silent from then on. The cancellation
    of a task is among them, with the end of the cancelled work. Over HTTP the next request is of the same session, if there is one.
    """
    how, name = _ended(call), name_of(call)
    if not how or (name == "sixteen-mebibytes" and _is_orderly(how)):
        return None
    return Finding(f"After it, {how}.", cause=name, timed=call.outcome is Outcome.TIMED_OUT)


def _is_orderly(how: str) -> bool:
    return how.endswith(_ORDERLY)


@server_rule(
    "MCP036",
    "MCP.E.10",
    when=wire("sixteen-mebibytes"),
    unseen_reason="no line of 16 MiB was sent",
    source="advice",
    remedy="Read lines of any length, or skip one that is too long and answer with -32700, over HTTP with the status 413.",
)
def long_line_is_survived(call: Call) -> Finding | None:
    """A server serves on after a line, or a body, of 16 MiB."""
    how = _ended(call)
    return Finding(f"After a line of 16 MiB {how}.") if how and _is_orderly(how) else None


@server_rule(
    "MCP037",
    "MCP.E.9",
    when=lambda call: _is_served(call, _NO_REQUESTS),
    kind=name_of,
    unseen_reason="the server ended",
    differs_by="the line or body that was sent",
    remedy="Answer JSON that is no request object, a batch too, with one -32600, and what is not JSON with -32700; over HTTP with "
    "the status 400.",
)
def line_that_is_no_request_is_reported(call: Call) -> Finding | None:
    """A line or a body that is no request, such as a batch, is answered by one error with -32600 or -32700.

    The others are a JSON string and bytes that are not UTF-8. Over HTTP an error status is enough.
    """
    facts, answer, name = received(call), http(call), name_of(call)
    codes = [
        members(members(read(text).value).get("error")).get("code")
        for text in (facts.others if facts else ())
    ]
    if _INVALID_REQUEST in codes or PARSE_ERROR in codes or refused_by_status(call):
        return None
    if answer is None:
        return Finding(f"{_NO_REQUESTS[name]} was not answered with -32600 or -32700.", cause=name)
    if not answer.status:
        return _without_http_answer(_NO_REQUESTS[name], answer, name)
    return Finding(f"{_NO_REQUESTS[name]} was answered with the status {answer.status}.", cause=name)


def _asks_for_a_version(call: Call) -> bool:
    is_asked = wire("unknown-version")(call) or wire("unknown-version-first")(call)
    return is_asked and (response(call) is not None or refused_by_status(call))


@server_rule(
    "MCP038",
    "MCP.L.7",
    "MCP.L.12",
    when=_asks_for_a_version,
    unseen_reason="the request with an unknown version was not answered",
    differs_by="what is wrong: the version was served, initialize was refused, or the error has another code or other data",
    remedy="Answer initialize with a version that the server speaks; in 2026-07-28 refuse the request with -32022 and "
    'the data {"supported": […], "requested": "…"}.',
)
def unknown_version_is_not_taken(call: Call) -> Finding | None:
    """A version that the server does not speak is not agreed to.

    In 2025-11-25 `initialize` is answered with a version that it speaks. In 2026-07-28 any request is refused with -32022,
    whose data lists the versions that are supported and repeats the one that was asked for.
    """
    if wire("unknown-version-first")(call):
        return _version_of_the_handshake(call)
    if response(call) is None:
        message = (
            f"A request in the version {UNKNOWN_VERSION} was refused by an HTTP status, and without an error."
        )
        return Finding(message, cause="code")
    if not is_protocol_error(call):
        return Finding(
            f"A request in the version {UNKNOWN_VERSION} was answered with a result.", cause="served"
        )
    code, data = error(call).get("code"), members(error(call).get("data"))
    if code != _UNSUPPORTED:
        return Finding(
            f"A request in the version {UNKNOWN_VERSION} was refused with the code {printable(repr(code), 20)}.",
            cause="code",
        )
    supported = data.get("supported")
    if (
        not isinstance(supported, list)
        or UNKNOWN_VERSION in supported
        or data.get("requested") != UNKNOWN_VERSION
    ):
        return Finding(f"The error's data is {printable(json.dumps(data), 120)}.", cause="data")
    return None


def _version_of_the_handshake(call: Call) -> Finding | None:
    if is_protocol_error(call) or response(call) is None:
        return Finding(f"initialize with the version {UNKNOWN_VERSION} was refused.", cause="refused")
    version = members((response(call) or {}).get("result")).get("protocolVersion")
    if version == UNKNOWN_VERSION:
        return Finding(
            f"initialize with the version {UNKNOWN_VERSION} was answered with that version.", cause="served"
        )
    return None


@server_rule(
    "MCP039",
    "MCP.P.5",
    when=lambda call: (
        wire("unknown-cursor")(call) and (response(call) is not None or refused_by_status(call))
    ),
    unseen_reason="the request with an invented cursor was not answered",
    differs_by="the code of the error, or that the cursor was taken",
    remedy="Refuse a cursor that the server did not give out with -32602, also where it never gives one out.",
)
def invented_cursor_is_refused(call: Call) -> Finding | None:
    """A tools/list with a cursor that the server never gave out is refused with -32602.

    Over HTTP an error status is enough.
    """
    if refused_by_status(call):
        return None
    if not is_protocol_error(call):
        return Finding("The invented cursor was taken.", cause="taken")
    code = error(call).get("code")
    return (
        None if code == INVALID_PARAMS else Finding(f"The code is {printable(repr(code), 20)}.", cause=code)
    )


@server_rule(
    "MCP057",
    "MCP.P.5",
    when=lambda call: wire("page-again")(call) and response(call) is not None,
    unseen_reason=NotApplicable("the list has one page"),
    remedy="Let a cursor say where its page begins, and keep no state for it.",
)
def cursor_gives_the_same_page(call: Call) -> Finding | None:
    """A cursor that is used twice gives the same page twice."""
    facts = received(call)
    texts = (*(facts.others[:1] if facts else ()), facts.message if facts and facts.message else "")
    first, again = (tool_names(members(read(text).value)) for text in texts)
    if first == again:
        return None
    return Finding(
        f"The second page had {quoted(', '.join(first), 80)}, and then {quoted(', '.join(again), 80)}."
    )


@server_rule(
    "MCP058",
    "MCP.L.14",
    when=AnyCall(lambda call: wire("list-first")(call) and response(call) is not None),
    unseen_reason="tools/list as the first request was not answered",
    remedy="Take version and capabilities from each request's _meta; wait for no handshake.",
)
def first_request_needs_no_other(exploration: Exploration) -> Iterator[Finding]:
    """tools/list is served as the very first request of a connection: no request leans on an earlier one."""
    for call in filter(wire("list-first"), exploration.calls):
        if is_protocol_error(call):
            yield Finding(f"It was refused: {quoted(str(error(call).get('message')), 120)}.", call)


def _ends_with_its_input(declaration: Declaration) -> str | None:
    """The `applies` of MCP059."""
    return "over HTTP a server has no standard input that ends" if is_over_http(declaration) else None


@server_rule(
    "MCP059",
    "MCP.T.4",
    applies=_ends_with_its_input,
    when=wire("end-of-input"),
    unseen_reason="the server did not come so far",
    remedy="End the process when standard input ends; leave no thread or timer behind that keeps it.",
)
def server_ends_with_its_input(call: Call) -> Finding | None:
    """A server ends when its standard input is closed, within 5 s of its own time."""
    facts = received(call)
    if facts is None or facts.ended:
        return None
    return Finding(f"It had not ended 5 s after its standard input{while_busy(call)}.", timed=True)


_SERVER_FAULT: Final = 500


@server_rule(
    "MCP108",
    "MCP.Sec.7",
    when=lambda call: received(call) is not None,
    unseen_reason="nothing was answered",
    differs_by="the kind of leak",
    remedy="Answer with a message of your own where something fails, and write the exception to a log. Turn the debug mode of a web "
    "framework off.",
)
def fault_of_the_server_shows_no_internals(call: Call) -> Finding | None:
    """No error of a server, and no page for an HTTP status from 500 on, shows a stack trace, source code's place or a secret.

    EXC003 and EXC004 are on what a tool's results show.
    """
    texts = list(_failure_texts(call))
    leak = leaks.internals_in(call, texts) or leaks.secrets(call, texts)
    if leak is None:
        return None
    return Finding(f"An error shows {leak.kind}: {quoted(leak.text, 120)}.", cause=leak.kind)


def _failure_texts(call: Call) -> Iterator[str]:
    facts, answer = received(call), http(call)
    for text in (facts.message or "", *facts.others) if facts else ():
        failure = members(read(text).value).get("error") if text else None
        if failure is not None:
            yield json.dumps(failure)
    if answer is not None and answer.status >= _SERVER_FAULT:
        yield answer.body
