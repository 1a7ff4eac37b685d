"""Requests over HTTP that are no correct messages: the disturbances `wire:http-NAME`.

Each is one exchange of its own, observed by its HTTP answer. Where a server has nothing of the kind, none is observed.
"""

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from .connection import ServerEndedError, parsed
from .exchange import STREAM, Exchange, UnreadableError
from .headers import ALWAYS, METHOD, NAME, PARAMETER, SESSION, VERSION, encoded, in_base64
from .http_connection import HttpConnection
from .opening import HANDSHAKE, LEGACY, MODERN, Session
from .sse_connection import SseConnection
from .stimuli import UNKNOWN_TOOL, Observed
from .url_connection import UrlConnection

_STRANGE_ORIGIN: Final = "http://localhost.aptix-conformance.invalid"
"""The site of somebody else, also for a server that looks only whether an Origin begins with `http://localhost` or contains it."""
_NO_VERSION: Final = "1999-12-31"
_OTHER: Final = "aptix"
_SUCCESS: Final = range(200, 300)
_MOST_TEXTS: Final = 50
_PATIENCE: Final = 5.0
_ALONE: Final = ("http-get", "http-delete", "http-resumed", "http-version-other")
"""Sent in the later revision where a server speaks that alone: any other may take such a request for one of the earlier."""
_ALL_TOOLS: Final = ("http-origin", "http-version", "http-resumed")
"""Sent with tools/list; the others with tools/call."""

Headers = dict[str, str]


def apply(name: str, session: Session, tool: str, arguments: str | None) -> Observed:
    """Make one stimulus; `arguments` are those of a call that works, where one does.

    Raises:
        KeyError: there is none of that name.
        ValueError: the arguments are no JSON.
    """
    connection = session.connection
    if isinstance(connection, SseConnection) and name == "http-origin":
        stranger = {**ALWAYS, "Accept": STREAM, "Origin": _STRANGE_ORIGIN}
        return Observed(None, [], {**_http_answer(connection, "GET", stranger, None), "is_sse": True})
    if not isinstance(connection, HttpConnection):
        raise KeyError(name)
    if name in _ALONE and session.revision == MODERN and _is_dual(connection):
        return Observed(None, [])
    if name == "http-get":
        return _listened(connection)
    if name == "http-delete":
        return Observed(None, [], _http_answer(connection, "DELETE", connection.headers({}), None))
    if name == "http-ended":
        return Observed(None, [], _after_the_end(connection, session))
    params = {"name": tool, "arguments": json.loads(arguments or "{}")}
    method, params = ("tools/list", {}) if name in _ALL_TOOLS else ("tools/call", params)
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": session.params(params)}
    headers = _CHANGES[name](connection.headers(message), tool)
    return Observed(None, [], None if headers is None else _http_answer(connection, "POST", headers, message))


def _without(headers: Headers, name: str) -> Headers:
    return {key: value for key, value in headers.items() if not key.startswith(name)}


def _in_base64(headers: Headers, tool: str) -> Headers:
    return {key.lower(): value for key, value in {**headers, NAME: in_base64(tool)}.items()}


def _other_parameters(headers: Headers) -> Headers | None:
    changed = {key: encoded(_OTHER) for key in headers if key.startswith(PARAMETER)}
    return {**headers, **changed} if changed else None


_CHANGES: Final[Mapping[str, Callable[[Headers, str], Headers | None]]] = {
    "http-origin": lambda headers, _: {**headers, "Origin": _STRANGE_ORIGIN},
    "http-version": lambda headers, _: {**headers, VERSION: _NO_VERSION},
    "http-resumed": lambda headers, _: {**headers, SESSION: _OTHER, "Last-Event-ID": "1"},
    "http-version-other": lambda headers, _: {**headers, VERSION: LEGACY},
    "http-method-missing": lambda headers, _: _without(headers, METHOD),
    "http-method-other": lambda headers, _: {**headers, METHOD: "tools/list"},
    "http-name-missing": lambda headers, _: _without(headers, NAME),
    "http-name-other": lambda headers, _: {**headers, NAME: UNKNOWN_TOOL},
    "http-name-encoded": _in_base64,
    "http-param-missing": lambda headers, _: (
        _without(headers, PARAMETER) if _other_parameters(headers) else None
    ),
    "http-param-other": lambda headers, _: _other_parameters(headers),
}
"""How the headers of a message are changed; None where the message has nothing to change."""


def _http_answer(
    connection: UrlConnection, method: str, headers: Headers, message: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The HTTP answer to one request, with the code of the error in it; status 0 where there is none."""
    body = None if message is None else json.dumps(message).encode()
    try:
        exchange = Exchange(connection.endpoint, method, headers, body)
    except ServerEndedError as error:
        return {"status": 0, "fault": str(error)}
    text, fault = b"", ""
    try:
        if exchange.kind != STREAM or message is not None:
            text = next(exchange.texts(), b"")
    except UnreadableError as error:
        fault = str(error)
    finally:
        exchange.close()
    value = parsed(text)
    rpc_error = value.get("error") if isinstance(value, dict) else None
    code = rpc_error.get("code") if isinstance(rpc_error, dict) else None
    is_code = isinstance(code, int) and not isinstance(code, bool) and abs(code) < 1 << 53
    return {**exchange.facts(text[:400].decode("utf-8", "replace"), fault), "code": code if is_code else None}


def _is_dual(connection: HttpConnection) -> bool:
    """Whether the server opens a connection in the earlier revision, too."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HANDSHAKE}
    answer = _http_answer(connection, "POST", {**ALWAYS}, message)
    return answer["status"] in _SUCCESS and answer.get("code") is None


def _listened(connection: HttpConnection) -> Observed:
    """GET, and, where that opens a stream, what comes there while a request is made elsewhere."""
    headers = {**connection.headers({}), "Accept": STREAM}
    try:
        exchange = Exchange(connection.endpoint, "GET", headers, None)
    except ServerEndedError as error:
        return Observed(None, [], {"status": 0, "fault": str(error)})
    texts: list[bytes] = []
    reader = threading.Thread(target=_collect, args=(exchange, texts), daemon=True)
    reader.start()
    if exchange.kind == STREAM:
        connection.ask("tools/list", {})
        connection.ask("ping")
        exchange.close()
    reader.join(_PATIENCE)
    exchange.close()
    values = [parsed(text) for text in texts]
    messages = [json.dumps(value) for value in values if isinstance(value, dict) and exchange.kind == STREAM]
    return Observed(None, messages, exchange.facts())


def _collect(exchange: Exchange, texts: list[bytes]) -> None:
    try:
        for text in exchange.texts():
            texts.append(text)
            if len(texts) > _MOST_TEXTS:
                return
    except (UnreadableError, AttributeError):  # closed meanwhile
        return


def _after_the_end(connection: HttpConnection, session: Session) -> dict[str, Any] | None:
    """The answer to a request in a session that was ended; None where the server has none, or ends none."""
    opening = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": session.handshake}
    new_id = _http_answer(connection, "POST", {**ALWAYS}, opening).get("session")
    if session.revision == MODERN or not new_id or not (new_id.isascii() and new_id.isprintable()):
        return None
    headers = {**connection.headers({}), SESSION: new_id}
    if _http_answer(connection, "DELETE", headers, None)["status"] not in _SUCCESS:
        return None
    return _http_answer(
        connection, "POST", headers, {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
    )
