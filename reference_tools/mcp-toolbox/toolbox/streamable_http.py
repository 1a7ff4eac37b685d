"""Messages over streamable HTTP: each is the body of a POST to `/mcp`.

A call is answered by a stream of events, its progress and its response; everything else by JSON. In 2026-07-28 a client cancels
a call when it closes the stream. In 2025-11-25 it sends a notification in its session, and a stream that is lost cancels nothing.
"""

import base64
import binascii
import json
import selectors
import socket
import threading
import uuid
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from toolbox.protocol import (
    INVALID_REQUEST,
    LEGACY,
    METHOD_NOT_FOUND,
    MODERN,
    Call,
    Message,
    Protocol,
    Refusal,
    RequestId,
    read_message,
    refuse_missing_meta,
)
from toolbox.tools import JsonObject

_PATH: Final = "/mcp"
_HEADER_MISMATCH: Final = -32020
_LARGEST: Final = 4 << 20
"""Bytes of a body."""
_MOST_SESSIONS: Final = 1000
"""Sessions that are open; the oldest one ends for a new one."""

_Session = dict[RequestId, threading.Event]
"""The calls of a session that run; an event is set when its call is cancelled."""


def serve(protocol: Protocol, port: int) -> None:
    """Serve this machine until the process is ended."""
    with suppress(KeyboardInterrupt), _Server(protocol, port) as server:
        server.serve_forever()


class _Server(ThreadingHTTPServer):
    request_queue_size = 64

    def __init__(self, protocol: Protocol, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.protocol = protocol
        self.origins = {None, f"http://127.0.0.1:{port}", f"http://localhost:{port}"}
        self._sessions: dict[str, _Session] = {}
        self._changing = threading.Lock()

    def open_session(self) -> str:
        """Open a session of 2025-11-25; gives its id."""
        number = uuid.uuid4().hex
        with self._changing:
            if len(self._sessions) >= _MOST_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
            self._sessions[number] = {}
        return number

    def session(self, number: str | None) -> _Session | None:
        """The session of an id; None where it has ended, or never was."""
        return None if number is None else self._sessions.get(number)

    def end_session(self, number: str | None) -> bool:
        """End a session; gives whether there was one."""
        with self._changing:
            return number is not None and self._sessions.pop(number, None) is not None


class _HttpRefusal(Exception):  # noqa: N818 - as in protocol.py
    """A request is answered by a status of HTTP, and an error of the protocol or nothing."""

    def __init__(self, status: HTTPStatus, refusal: Refusal | None = None) -> None:
        super().__init__(status.phrase)
        self.status, self.refusal = status, refusal


class _Handler(BaseHTTPRequestHandler):
    """The requests of one connection, one after the other."""

    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60
    """Seconds without a word from the client."""

    def do_POST(self) -> None:
        """Take a message."""
        try:
            body = self._read_body()
            self._check_place()
            self._take(body)
        except _HttpRefusal as found:
            self._reply(found.status, found.refusal.response() if found.refusal else None)

    def do_DELETE(self) -> None:
        """End a session."""
        self._answer_without_body(self._end_session)

    def do_GET(self) -> None:
        """Refuse: this server says nothing unasked."""
        self._answer_without_body(lambda: HTTPStatus.METHOD_NOT_ALLOWED)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the base class
        """Log nothing of what a client sends."""

    # ---- what comes in

    def _answer_without_body(self, act: Callable[[], HTTPStatus]) -> None:
        self.close_connection = True  # a body that came all the same is left unread
        try:
            self._check_place()
        except _HttpRefusal as found:
            self._reply(found.status)
        else:
            self._reply(act())

    def _end_session(self) -> HTTPStatus:
        is_known = self.server.end_session(self.headers["Mcp-Session-Id"])
        return HTTPStatus.NO_CONTENT if is_known else HTTPStatus.NOT_FOUND

    def _check_place(self) -> None:
        """Refuse what a web page sends from a browser, and what is sent elsewhere."""
        if self.headers["Origin"] not in self.server.origins:
            raise _HttpRefusal(HTTPStatus.FORBIDDEN)
        if self.path != _PATH:
            raise _HttpRefusal(HTTPStatus.NOT_FOUND)

    def _read_body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            self.close_connection = True  # nobody knows where the body ends
            raise _HttpRefusal(HTTPStatus.LENGTH_REQUIRED)
        if len(length) > len(str(_LARGEST)) or int(length) > _LARGEST:
            self.close_connection = True  # the body is left unread
            raise _HttpRefusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return self.rfile.read(int(length))

    def _take(self, body: bytes) -> None:
        try:
            message = read_message(body)
        except Refusal as refusal:
            raise _HttpRefusal(HTTPStatus.BAD_REQUEST, refusal) from None
        if message.is_modern or self.headers["MCP-Protocol-Version"] == MODERN:
            self._take_modern(message)
        else:
            self._take_legacy(message)

    # ---- 2026-07-28

    def _take_modern(self, message: Message) -> None:
        if message.id is None:
            self._reply(HTTPStatus.ACCEPTED)
            return
        try:
            if not message.is_modern:
                refuse_missing_meta(message)
            self._check_headers(message)
            answer = self.server.protocol.answer(message, is_open=False)
        except Refusal as refusal:
            is_unknown = refusal.code == METHOD_NOT_FOUND
            raise _HttpRefusal(
                HTTPStatus.NOT_FOUND if is_unknown else HTTPStatus.BAD_REQUEST, refusal
            ) from None
        if isinstance(answer, Call):
            self._stream(answer, lambda: _is_closed(self.connection))
        else:
            self._reply(HTTPStatus.OK, answer)

    def _check_headers(self, message: Message) -> None:
        """Hold the headers to the body: whoever routes or limits requests looks at the headers alone.

        Raises:
            Refusal: one is missing, or says something else.
        """
        expected = {"MCP-Protocol-Version": message.version, "Mcp-Method": message.method}
        if message.method == "tools/call":
            expected["Mcp-Name"] = message.params.get("name")
        for name, value in expected.items():
            if isinstance(value, str) and _decoded(self.headers[name]) != value:
                message.refuse(_HEADER_MISMATCH, f"{name} is missing, or not what the body says.")

    # ---- 2025-11-25

    def _take_legacy(self, message: Message) -> None:
        session = self._legacy_session(message)
        if message.id is None:
            number = message.params.get("requestId")
            cancelled = session.get(number) if isinstance(number, RequestId) else None
            if message.method == "notifications/cancelled" and cancelled is not None:
                cancelled.set()
            self._reply(HTTPStatus.ACCEPTED)
            return
        try:
            answer = self.server.protocol.answer(message, is_open=True)
        except Refusal as refusal:
            self._reply(HTTPStatus.OK, refusal.response())
            return
        if not isinstance(answer, Call):
            opened = self.server.open_session() if message.method == "initialize" else None
            self._reply(HTTPStatus.OK, answer, session=opened)
            return
        cancelled = session[message.id] = threading.Event()
        try:
            self._stream(answer, cancelled.is_set)
        finally:
            session.pop(message.id, None)

    def _legacy_session(self, message: Message) -> _Session:
        if self.headers.get("MCP-Protocol-Version", LEGACY) != LEGACY:
            refusal = Refusal(
                INVALID_REQUEST, "MCP-Protocol-Version is not supported.", request_id=message.id
            )
            raise _HttpRefusal(HTTPStatus.BAD_REQUEST, refusal)
        if message.method == "initialize":
            return {}
        number = self.headers["Mcp-Session-Id"]
        session = self.server.session(number)
        if session is not None:
            return session
        if number is None:
            refusal = Refusal(INVALID_REQUEST, "Mcp-Session-Id is missing.", request_id=message.id)
            raise _HttpRefusal(HTTPStatus.BAD_REQUEST, refusal)
        refusal = Refusal(INVALID_REQUEST, "The session has ended.", request_id=message.id)
        raise _HttpRefusal(HTTPStatus.NOT_FOUND, refusal)

    # ---- what goes out

    def _reply(
        self, status: HTTPStatus, message: JsonObject | None = None, *, session: str | None = None
    ) -> None:
        body = b"" if message is None else json.dumps(message).encode()
        self.send_response(status)
        if body:
            self.send_header("Content-Type", "application/json")
        if session is not None:
            self.send_header("Mcp-Session-Id", session)
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "POST, DELETE")
        if self.close_connection:
            self.send_header("Connection", "close")
        if status is not HTTPStatus.NO_CONTENT:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, call: Call, is_cancelled: Callable[[], bool]) -> None:
        self.close_connection = True  # the end of the connection is the end of the stream
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        response = call.run(self._send_event, is_cancelled)
        if response is not None:
            self._send_event(response)

    def _send_event(self, message: JsonObject) -> None:
        with suppress(ConnectionError):  # the client is gone; whether that cancels the call is said elsewhere
            self.wfile.write(f"event: message\ndata: {json.dumps(message)}\n\n".encode())


def _is_closed(connection: socket.socket) -> bool:
    """Whether the client has closed its end."""
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_READ)
        if not selector.select(0):
            return False
    try:
        return not connection.recv(1, socket.MSG_PEEK)
    except ConnectionError:
        return True


def _decoded(value: str | None) -> str | None:
    """The value of a header, which may be in the Base64 form; None where it is missing or cannot be decoded."""
    if value is None or not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value.removeprefix("=?base64?").removesuffix("?="), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
