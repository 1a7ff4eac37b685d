"""The stimuli of `hostile.py` over HTTP: each is the body of a POST, with the headers that would go with it were it right.

A server may refuse what it cannot read by an HTTP status alone, so the HTTP answer is what is looked at. A request after it shows
whether the server still serves. Each POST has a connection of its own, so no later answer shows that one never comes: a silence is
a connection that is closed without an answer, or one that has brought none after a time that is the server's own.
"""

import json
import threading
from typing import Any, Final, NamedTuple

from . import hostile
from .connection import ServerEndedError, answers, excerpt
from .exchange import Exchange, UnreadableError
from .family import Family
from .headers import ALWAYS, mirrored
from .hostile import BATCHED, IDS, REQUESTS, UNKNOWN_VERSION, batch_of_requests
from .http_connection import HttpConnection, why_none
from .opening import HANDSHAKE, Session
from .stimuli import UNKNOWN_TOOL, Observed

FIRST: Final = ("list-first",)
"""Made by `hostile.first`, in a server that has answered nothing before."""
_LARGE: Final = 4 << 20
"""Bytes from which a body is large."""
_LARGE_FACTOR: Final = 2.0
"""Timeouts of a call that a large body gets."""
_PAUSE: Final = 0.05
_MOST_TEXTS: Final = 50
"""Bodies or events that are read of one answer."""
_BAD_REQUEST: Final = 400
_NOT_THE_SERVERS: Final = frozenset({401, 403, 407, 429, 502, 503, 504})
"""Access, rates and gateways: no word on whether a server serves on."""
_BATCH_ID: Final = "aptix-2"
_BYTES_ID: Final = "aptix-3"
_ODD_IDS: Final = ("null", "1.5", f"{2**53 + 1}", "{}")
_FILLER: Final = "aptix-filler"


class _Post(NamedTuple):
    """A body and its headers; `number` is the id of a request that is owed a response."""

    headers: dict[str, str]
    body: bytes
    number: int | str | None = None


class _Received:
    """The answer to a POST so far; a thread fills it."""

    def __init__(self) -> None:
        self.sent: Exchange | None = None
        self.head: Exchange | None = None
        self.response: str | None = None
        self.others: list[str] = []
        self.beginning = ""
        self.fault = ""
        self.silence = ""

    def has_answer(self, post: _Post) -> bool:
        """Whether what has come is an answer, although more may follow."""
        if self.head is None:
            return False
        return post.number is None or self.response is not None or self.head.status >= _BAD_REQUEST

    def http(self, post: _Post) -> dict[str, Any]:
        """The HTTP answer; status 0 where there is none."""
        if self.head is None or self.silence:
            return {"status": 0, "fault": self.silence}
        fault = self.fault
        if post.number is not None and self.response is None:
            fault = fault or why_none(self.head, self.beginning)
        return self.head.facts(self.beginning, fault)


def apply(name: str, session: Session, timeout: float) -> Observed:
    """Make one stimulus; `timeout` is that of a call, in seconds of the server's own time.

    Raises:
        KeyError: there is none of that name over HTTP.
        ServerEndedError: the server ended.
    """
    connection = session.connection
    if not isinstance(connection, HttpConnection):
        raise KeyError(name)
    if name == "page-again":
        return hostile.page_again(session)
    observed = Observed(None, [])
    for post in _posts(name, session, connection):
        seconds = timeout * (_LARGE_FACTOR if len(post.body) >= _LARGE else 1.0)
        observed = _posted(connection, post, seconds)
        if observed.http is None or not observed.http["status"]:
            break
    return observed._replace(ended=_afterwards(session))


def _posts(name: str, session: Session, connection: HttpConnection) -> list[_Post]:
    """The bodies that are sent for a stimulus, one after the other.

    Raises:
        KeyError: there is none of that name over HTTP.
    """
    if name == "unknown-version-first":
        params = {**HANDSHAKE, "protocolVersion": UNKNOWN_VERSION}
        return [_Post({**ALWAYS}, _request(1, "initialize", params).encode(), 1)]
    listing = connection.headers({"method": "tools/list"})
    if name in REQUESTS:
        return [_as_request(name, session, connection)]
    if name in IDS:
        body = _request(IDS[name], "tools/list", session.params({}))
        return [_Post(listing, body.encode(), IDS[name])]
    if name == "odd-ids":
        template = _request(_FILLER, "tools/list", session.params({}))
        return [_Post(listing, template.replace(f'"{_FILLER}"', odd_id).encode()) for odd_id in _ODD_IDS]
    return [_Post(listing, _no_request(name, session))]


def _as_request(name: str, session: Session, connection: HttpConnection) -> _Post:
    method, rest = REQUESTS[name](session)
    number, body = connection.write_request(method, rest)
    is_named = method == "tools/call" and name != "params-array"
    message = {"method": method, "params": {"name": UNKNOWN_TOOL} if is_named else {}}
    headers = connection.headers(message)
    if name == "unknown-version":
        headers = {**ALWAYS, **mirrored(message, UNKNOWN_VERSION, {})}
    return _Post(headers, body.encode(), number)


def _no_request(name: str, session: Session) -> bytes:
    """A body that is no request. The listing in it is right, so that a success shows that it was served.

    Raises:
        KeyError: there is none of that name.
    """
    noted = session.params({}, {_FILLER: _FILLER})
    bodies = {
        BATCHED: batch_of_requests().encode(),
        "batch": f"[{_request(_BATCH_ID, 'tools/list', session.params({}))}]".encode(),
        "bare-text": b'"tools/list"',
        "bad-utf-8": _request(_BYTES_ID, "tools/list", noted).encode().replace(_FILLER.encode(), b"\xff"),
    }
    return bodies[name]


def _request(number: int | str, method: str, params: dict[str, Any]) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def _posted(connection: HttpConnection, post: _Post, seconds: float) -> Observed:
    """Send a body, and wait for its answer in the server's own time."""
    answer = _Received()
    thread = threading.Thread(target=_converse, args=(connection, post, answer), daemon=True)
    family = Family(connection.pid)
    began = family.now()
    thread.start()
    while thread.is_alive() and family.now() - began < seconds:
        thread.join(_PAUSE)
    is_over = not thread.is_alive()
    if not is_over and answer.has_answer(post):
        answer.fault = answer.fault or "has no end"
    elif not is_over:
        answer.silence = f"it had not answered after {seconds:g} s"
    observed = Observed(None if answer.silence else answer.response, list(answer.others), answer.http(post))
    if not is_over and answer.sent is not None:
        answer.sent.hang_up()
    return observed


def _converse(connection: HttpConnection, post: _Post, received: _Received) -> None:
    def connected(exchange: Exchange) -> None:
        received.sent = exchange

    try:
        exchange = Exchange(connection.endpoint, "POST", post.headers, post.body, connected)
    except ServerEndedError as error:
        received.silence = received.silence or str(error)
        return
    received.head = exchange
    try:
        _take(connection, exchange, post, received)
    except UnreadableError as error:
        received.fault = str(error)
    finally:
        exchange.close()


def _take(connection: HttpConnection, exchange: Exchange, post: _Post, received: _Received) -> None:
    """Keep the messages of an answer, up to the response."""
    for place, (text, message) in enumerate(connection.messages_of(exchange)):
        received.beginning = received.beginning or text[:400].decode("utf-8", "replace")
        if message is not None:
            if post.number is not None and answers(message.value, post.number, alone=True):
                received.response = message.text
                return
            received.others.append(excerpt(message))
        if place == _MOST_TEXTS:
            return


def _afterwards(session: Session) -> str:
    """How the server does not serve on: what answers a listing that is right. Empty where it serves on.

    Raises:
        ServerEndedError: it has ended.
    """
    answer = session.connection.ask("tools/list", session.params({}))
    status = (answer.response.http or {}).get("status", 0)
    if status in _NOT_THE_SERVERS or (answer.response.text and status < _BAD_REQUEST):
        return ""
    return f"the server answered the next request with the status {status}"
