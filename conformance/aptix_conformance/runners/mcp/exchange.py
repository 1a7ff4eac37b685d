"""One request over HTTP and its answer. Standard library only; everything in an answer is bounded, and read as if forged.

No redirect is followed, so credentials go to no other host. Nothing is decompressed: the suite asks for no compression.
"""

import contextlib
import http.client
import io
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from .connection import ServerEndedError
from .events import Event, EventStream, EventTooLongError

JSON: Final = "application/json"
STREAM: Final = "text/event-stream"
_LONGEST: Final = 32 << 20
"""Bytes of a body or of an event."""
_MOST: Final = 128 << 20
"""Bytes of all events of an answer."""
_CHUNK: Final = 65_536
_MOST_AT_ONCE: Final = 1 << 20
"""Bytes that are read in order to get the head of an answer, or a chunk of its body: more is headers, trailers or answers before it."""
_SHOWN: Final = 300
"""Characters of a header or of a body that holds no message."""


class FloodError(http.client.HTTPException):
    """A server sends headers, trailers or interim answers without an end."""


class UnreadableError(Exception):
    """Why no message can be read in an answer, as the end of a sentence about it."""


class Endpoint(NamedTuple):
    """Where a server answers: its URL, and headers of the user's for each request."""

    url: str
    headers: Mapping[str, str]

    @property
    def place(self) -> tuple[str, int]:
        """Host and port."""
        parts = urlsplit(self.url)
        return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)

    @property
    def path(self) -> str:
        """Path and query, as in the first line of a request."""
        parts = urlsplit(self.url)
        return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    def connect(self) -> http.client.HTTPConnection:
        """Open a connection; the certificate of a server over TLS is checked.

        Raises:
            OSError: that is not possible.
        """
        host, port = self.place
        if urlsplit(self.url).scheme == "https":
            context = ssl.create_default_context()
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(host, port, context=context)
        else:
            connection = http.client.HTTPConnection(host, port)
        connection.response_class = _BoundedResponse
        connection.connect()
        return connection


class _Wire(io.RawIOBase):
    """What arrives of an answer; `left` are the bytes that may still be read, before that is set anew."""

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw = raw
        self.left = _MOST_AT_ONCE

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        """See `io.RawIOBase`.

        Raises:
            FloodError: there is too much.
        """
        size = self._raw.readinto(buffer)
        self.left -= size or 0
        if self.left < 0:
            raise FloodError(
                f"it sent more than {_MOST_AT_ONCE >> 20} MiB of headers, trailers or interim answers"
            )
        return size

    def close(self) -> None:
        self._raw.close()
        super().close()


class _BoundedResponse(http.client.HTTPResponse):
    """An answer whose head and trailers end: the library bounds each of their lines, but not how many there are."""

    def __init__(self, sock: socket.socket, *arguments: Any, **named: Any) -> None:
        super().__init__(sock, *arguments, **named)
        self._wire = _Wire(self.fp.detach())
        self.fp = io.BufferedReader(self._wire)

    def read1(self, n: int = -1) -> bytes:
        """See `http.client.HTTPResponse`."""
        self._wire.left = _MOST_AT_ONCE
        return super().read1(n)


class Exchange:
    """A request that was sent, and the head of its answer.

    Attributes:
        status: of the answer.
        kind: its media type, in lower case; empty where it has none.
        session: the session id that it gives, None where it gives none.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        method: str,
        headers: Mapping[str, str],
        body: bytes | None,
        connected: Callable[["Exchange"], None] = lambda _: None,
    ) -> None:
        """Send the request and wait for the head of its answer; `connected` is called before that.

        Raises:
            ServerEndedError: there is no answer that is HTTP.
        """
        self._response: http.client.HTTPResponse | None = None
        try:
            connection = endpoint.connect()
            self._socket: socket.socket = connection.sock
            connected(self)
            self._response = _answer(connection, method, endpoint.path, {**headers, **endpoint.headers}, body)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ServerEndedError(_reason(error)) from error
        response = self._response
        self.status = response.status
        self.kind = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()[:_SHOWN]
        self.session = response.getheader("Mcp-Session-Id")
        self._coding = (response.getheader("Content-Encoding") or "identity").strip().lower()[:_SHOWN]
        self._location = (response.getheader("Location") or "")[:_SHOWN]

    def facts(self, body: str = "", fault: str = "") -> dict[str, Any]:
        """The head of the answer, as the suite gets it."""
        return {
            "status": self.status,
            "kind": self.kind,
            "session": self.session,
            "location": self._location,
            "body": body[:_SHOWN],
            "fault": fault,
        }

    def texts(self) -> Iterator[bytes]:
        """The data of each event where the answer is a stream; else its body.

        Raises:
            UnreadableError: it is too long, compressed, or ends too early.
        """
        if self.kind == STREAM:
            size = 0
            for event in self.events():
                size += len(event.data)
                if size > _MOST:
                    raise UnreadableError(f"has more than {_MOST >> 20} MiB")
                yield event.data
            return
        with self._reading():
            yield self._body()

    def events(self) -> Iterator[Event]:
        """The events of an answer that is a stream, as they arrive.

        Raises:
            UnreadableError: one is too long, the stream is compressed, or ends too early.
        """
        with self._reading():
            stream = EventStream(_LONGEST)
            try:
                while data := self._read():
                    yield from stream.feed(data)
            except EventTooLongError as error:
                raise UnreadableError(f"has {error}") from None

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        if self._coding != "identity":
            raise UnreadableError(f"is compressed ({self._coding}), which was not asked for")
        try:
            yield
        except (http.client.HTTPException, OSError, ValueError) as error:
            raise UnreadableError(f"ends too early: {_reason(error)}") from error

    def hang_up(self) -> None:
        """End the connection on both sides; a thread that reads from it then finds its end."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection; a thread that reads from it then ends."""
        self.hang_up()
        self._socket.close()
        if self._response is not None:
            self._response.close()

    def _body(self) -> bytes:
        parts, size = [], 0
        while data := self._read():
            parts.append(data)
            size += len(data)
            if size > _LONGEST:
                raise UnreadableError(f"has more than {_LONGEST >> 20} MiB")
        return b"".join(parts)

    def _read(self) -> bytes:
        assert self._response is not None
        return self._response.read1(_CHUNK)


def _answer(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    headers: Mapping[str, str],
    body: bytes | None,
) -> http.client.HTTPResponse:
    connection.putrequest(method, path, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.putheader("Connection", "close")
    if body is not None:
        connection.putheader("Content-Length", str(len(body)))
    # A server may answer and close before it has read everything.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        connection.endheaders(body)
    return connection.getresponse()


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not valid: {error.verify_message}"
    if isinstance(error, FloodError):
        return str(error)
    if isinstance(error, http.client.RemoteDisconnected):
        return "it closed the connection without an answer"
    return f"{type(error).__name__}: {str(error)[:_SHOWN]}"
