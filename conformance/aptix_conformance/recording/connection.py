"""One connection of HTTP/1.1, from its first request to its end."""

import socket
from functools import partial
from http.client import responses
from http.server import BaseHTTPRequestHandler
from typing import Any, Final
from urllib.parse import quote

from aptix_conformance.recording.exchanges import LARGEST_BODY, Request, body_members
from aptix_conformance.recording.service import Asked, Reply, Service, reset

_LONGEST_LINE: Final = 65_536
_MOST_CHUNKS: Final = 65_536
_MOST_TRAILERS: Final = 100
_AS_SENT: Final = "%/:?#[]@!$&'()*+,;=~|{}^`\"<>\\"
"""Characters of a path that stay as they are: all but those that no URL has in any client."""
_WITHOUT_BODY: Final = (204, 304)
_NO_SERVER: Final[Any] = None
"""A connection asks no server for anything."""


class Connection(BaseHTTPRequestHandler):
    """Serves one connection to its end."""

    protocol_version = "HTTP/1.1"

    def __init__(self, line: socket.socket, service: Service, asked: "partial[Asked]") -> None:
        self._service, self._asked = service, asked
        super().__init__(line, ("tool", 0), _NO_SERVER)

    def handle_one_request(self) -> None:
        """Read one request and answer it."""
        self.close_connection = True
        self.raw_requestline = self.rfile.readline(_LONGEST_LINE + 1)
        if not self.raw_requestline or len(self.raw_requestline) > _LONGEST_LINE or not self.parse_request():
            return
        place = self._asked.keywords
        name = (
            place["host"]
            if place["port"] == (443 if place["is_tls"] else 80)
            else f"{place['host']}:{place['port']}"
        )
        base = f"http{'s' if place['is_tls'] else ''}://{name}"
        path = quote(self.path.encode("latin-1"), safe=_AS_SENT)
        url = f"{base}{path}" if path.startswith("/") else path
        request = Request(f"{self.command} {url}", **body_members(self._body()))
        reply = self._service.answer(self._asked(request, headers=dict(self.headers.items())))
        if reply is None:
            self.close_connection = True  # the parser has changed it
            reset(self.connection)
        else:
            self._send(reply)

    def _body(self) -> bytes:
        """The body of the request.

        Raises:
            ValueError: it is too long, or not as HTTP writes it.
        """
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            return self._chunks()
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 <= length <= LARGEST_BODY:
            raise ValueError(length)
        return self.rfile.read(length)

    def _chunks(self) -> bytes:
        body = bytearray()
        for _ in range(_MOST_CHUNKS):
            size = int(self.rfile.readline(100).partition(b";")[0], 16)
            if size == 0:
                self._skip_trailers()
                return bytes(body)
            if not 0 < size <= LARGEST_BODY - len(body):
                raise ValueError(size)
            body += self.rfile.read(size)
            self.rfile.readline(100)
        raise ValueError("too many chunks")

    def _skip_trailers(self) -> None:
        for _ in range(_MOST_TRAILERS):
            if not self.rfile.readline(_LONGEST_LINE).strip():
                return
        raise ValueError("too many trailers")

    def _send(self, reply: Reply) -> None:
        names = {name.lower() for name in reply.headers}
        lines = [f"HTTP/1.1 {reply.status} {responses.get(reply.status, 'Answer')}"]
        lines += [f"{name}: {value}" for name, value in reply.headers.items()]
        has_body = reply.status not in _WITHOUT_BODY
        if has_body and "content-length" not in names:
            lines.append(f"Content-Length: {len(reply.content)}")
        wanted = self.headers.get("Connection", "").lower()
        self.close_connection = reply.is_cut or wanted == "close" or self.request_version == "HTTP/1.0"
        lines.append(f"Connection: {'close' if self.close_connection else 'keep-alive'}")
        head = "\r\n".join([*lines, "", ""]).encode("latin-1")
        content = reply.content if has_body and self.command != "HEAD" else b""
        self.wfile.write(head + (content[: len(content) // 2] if reply.is_cut else content))

    def log_message(self, *_: Any) -> None:
        """Say nothing."""
