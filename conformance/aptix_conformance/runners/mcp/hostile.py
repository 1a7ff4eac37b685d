"""Requests and lines that are awkward or hostile, for a server and not for one tool: the disturbances `wire:NAME`.

Here they are sent over stdio and over HTTP with SSE, in `hostile_http.py` over streamable HTTP. A request counts as unanswered when its server has answered five
later ones, one after the other: so no clock decides. The end of the server is observed, and no incident of the host.
"""

import json
from collections.abc import Callable
from typing import Any, Final

from .connection import Connection, StdioConnection
from .family import Family, Watch, still_running
from .opening import HANDSHAKE, META, Session
from .stimuli import UNKNOWN_TOOL, Observed

UNKNOWN_VERSION: Final = "1999-01-01"
UNKNOWN_CURSOR: Final = "aptix-no-such-cursor"
BATCHED: Final = "batched-requests"
BATCH_IDS: Final = ("aptix-4", "aptix-5")
"""The ids of the requests in the batch that a server of 2025-03-26 has to take."""
IDS: Final[dict[str, str | int]] = {"text-id": "aptix-1", "digits-id": "900719", "empty-id": "", "zero-id": 0}
"""The ids of requests that are well formed and rare, by stimulus."""
_FOLLOWING: Final = 5
"""Later requests that a server answers before an earlier one counts as unanswered."""
_VERSION: Final = "io.modelcontextprotocol/protocolVersion"
_DIGITS: Final = "7" * 5_000
_DEPTH: Final = 1_000
_MIB: Final = 1 << 20
_LAST: Final = 5.0
"""Seconds of its own time that a server may take to end after its standard input."""


def apply(name: str, session: Session, connect: Callable[[], Connection]) -> Observed:
    """Make one stimulus; the session may be over afterwards. `connect` starts the server once more.

    Raises:
        KeyError: there is none of that name.
        ServerEndedError: the server ended before the stimulus was complete.
    """
    connection = session.connection
    if name in FIRST_REQUESTS:
        return first(connect, name)
    if name == "end-of-input":
        if not isinstance(connection, StdioConnection):
            raise KeyError(name)
        processes = Family(connection.pid).members()
        watch = Watch(processes)
        ended = connection.end_input(_LAST)
        busy = watch.share(still_running(processes))
        connection.read_last_words()
        return Observed(None, [], ended=ended, busy=busy)
    if name in IDS:
        line = {"jsonrpc": "2.0", "id": IDS[name], "method": "tools/list", "params": session.params({})}
        connection.send(json.dumps(line))
        return _answered(session, IDS[name])
    if name in _LINES:
        connection.send_unowed(_LINES[name])
        return Observed(None, _following(session, None)[0], connection.unowed)
    if name in REQUESTS:
        number = session.connection.send_request(*REQUESTS[name](session))
        return _answered(session, number)
    return _BY_NAME[name](session)


# ---- requests to which a response is owed


def _call_with(session: Session, arguments: str) -> tuple[str, str]:
    """A call of an unknown tool, so that no tool does anything with such arguments."""
    rest = json.dumps(session.params({}))[1:-1]
    return "tools/call", (
        f'"params": {{"name": "{UNKNOWN_TOOL}", "arguments": {arguments}{", " if rest else ""}{rest}}}'
    )


REQUESTS: Final[dict[str, Callable[[Session], tuple[str, str]]]] = {
    "duplicate-keys": lambda session: _call_with(session, '{"a": 1, "a": 2}'),
    "lone-surrogate": lambda session: _call_with(session, '{"a": "\\ud800"}'),
    "long-integer": lambda session: _call_with(session, f'{{"a": {_DIGITS}}}'),
    "deep": lambda session: _call_with(session, f'{{"a": {"[" * _DEPTH}{"]" * _DEPTH}}}'),
    "params-array": lambda _: ("tools/call", '"params": []'),
    "one-mebibyte": lambda session: _call_with(session, _text_of(_MIB)),
    "eight-mebibytes": lambda session: _call_with(session, _text_of(8 * _MIB)),
    "sixteen-mebibytes": lambda session: _call_with(session, _text_of(16 * _MIB)),
    "second-initialize": lambda session: ("initialize", f'"params": {json.dumps(session.handshake)}'),
    "unknown-cursor": lambda session: (
        "tools/list",
        f'"params": {json.dumps(session.params({"cursor": UNKNOWN_CURSOR}))}',
    ),
    "unknown-version": lambda _: (
        "server/discover",
        f'"params": {json.dumps({"_meta": {**META, _VERSION: UNKNOWN_VERSION}})}',
    ),
}
"""By stimulus: the method, and the further members as JSON text."""


def _text_of(size: int) -> str:
    """Arguments that make a line of a little less than `size` bytes."""
    return json.dumps({"a": "x" * (size - 1_024)})


def _answered(session: Session, number: int | str) -> Observed:
    others, response = _following(session, number)
    return Observed(response, others, session.connection.refusal_of(number))


def _following(session: Session, number: int | str | None) -> tuple[list[str], str | None]:
    """Further requests, one after the other; gives the other messages, and the response to `number`.

    One that is not answered is waited for as long as the suite allows. A server may answer calls later than light requests,
    and calls out of order: so all but the last are calls.
    """
    others: list[str] = []
    for place in range(_FOLLOWING):
        later = session.ask_lightly() if number is None else _further(session, place)
        others += session.connection.wait_for(later, alone=False).others
        response = next((text for text in others if _is_response(text, number)), None)
        if number is not None and response is not None:
            others.remove(response)
            return others, response
        if number is None:
            break
    return others, None


def _further(session: Session, place: int) -> int:
    """The further request at this place, from 0: calls, and a light one at the end."""
    return session.ask_lightly() if place == _FOLLOWING - 1 else _call_unknown(session)


def _call_unknown(session: Session) -> int:
    params = session.params({"name": UNKNOWN_TOOL, "arguments": {}})
    return session.connection.request("tools/call", params)


def _is_response(text: str, number: int | str | None) -> bool:
    """Whether a message answers a request: by its id, as a text too, or by an error without one."""
    try:
        message: Any = json.loads(text)
    except ValueError:
        return False
    if not isinstance(message, dict) or "method" in message:
        return False
    own_id = message.get("id")
    return ("error" in message and own_id is None) or (own_id is not None and str(own_id) == str(number))


# ---- lines to which no response is owed

_LINES: Final[dict[str, bytes]] = {
    "batch": b'[{"jsonrpc": "2.0", "id": "aptix-2", "method": "ping"}]',
    "bare-text": b'"ping"',
    "bad-utf-8": b'{"jsonrpc": "2.0", "method": "notifications/\xff"}',
    "odd-ids": "\n".join(
        f'{{"jsonrpc": "2.0", "id": {odd_id}, "method": "ping"}}'
        for odd_id in ("null", "1.5", f"{2**53 + 1}", "{}")
    ).encode(),
}


# ---- stimuli of more than one request


def page_again(session: Session) -> Observed:
    """The second page of the list, twice; no response where there is one page."""
    first = session.connection.ask("tools/list", session.params({})).result
    cursor = first.get("nextCursor") if isinstance(first, dict) else None
    if not isinstance(cursor, str):
        return Observed(None, [])
    pages = [session.connection.ask("tools/list", session.params({"cursor": cursor})) for _ in range(2)]
    second = pages[1].response
    return Observed(second.text or None, [pages[0].response.text], second.http)


def batch_of_requests() -> str:
    """Two requests in one array, which neither do anything nor need anything."""
    requests = zip(BATCH_IDS, ("ping", "tools/list"), strict=True)
    return json.dumps(
        [{"jsonrpc": "2.0", "id": number, "method": method, "params": {}} for number, method in requests]
    )


def _batched(session: Session) -> Observed:
    """Two requests in one array, and further requests until both are answered, or one of them by an error without an id."""
    session.connection.send(batch_of_requests())
    others: list[str] = []
    for place in range(_FOLLOWING):
        later = _further(session, place)
        others += session.connection.wait_for(later, alone=False).others
        if all(any(_is_response(text, number) for text in others) for number in BATCH_IDS):
            break
    return Observed(None, others)


_BY_NAME: Final[dict[str, Callable[[Session], Observed]]] = {"page-again": page_again, BATCHED: _batched}


# ---- the first request of a connection


def first(connect: Callable[[], Connection], name: str) -> Observed:
    """One of the `FIRST_REQUESTS`, on a connection that is opened for it."""
    connection = connect()
    try:
        answer = connection.ask(*FIRST_REQUESTS[name])
        return Observed(answer.response.text or None, answer.others, answer.response.http)
    finally:
        connection.close()


FIRST_REQUESTS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "unknown-version-first": ("initialize", {**HANDSHAKE, "protocolVersion": UNKNOWN_VERSION}),
    "list-first": ("tools/list", {"_meta": META}),
}
NAMES: Final = frozenset({*IDS, *_LINES, *REQUESTS, *_BY_NAME, *FIRST_REQUESTS, "end-of-input"})
"""Every stimulus of this module."""
