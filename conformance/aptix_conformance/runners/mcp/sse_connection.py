"""A connection over HTTP with SSE, the transport of 2024-11-05: a stream brings all messages, and a second URL takes them.

The first event of the stream, `endpoint`, says where messages are posted. What a POST is answered with says only whether the
message was taken; a status of 400 or more refuses it, and then no response comes on the stream.
"""

import contextlib
import json
import re
import subprocess
import threading
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from .connection import Message, ServerEndedError, messages_in
from .events import Event
from .exchange import STREAM, Endpoint, Exchange, UnreadableError
from .headers import ALWAYS
from .url_connection import MOST_OPEN, UrlConnection

_ENDPOINT: Final = b"endpoint"
_LONGEST_URL: Final = 2_000
_REFUSED: Final = 400
_REQUEST: Final = re.compile(r'\{"jsonrpc": "2\.0", "id": (\d+|"[^"\\]*"), "method": ')
"""How the suite's requests begin; one that is meant to be too deep for a parser is parsed by none here."""


class NoStreamError(ServerEndedError):
    """A URL answers GET with no stream, so it is none of this transport."""


class SseConnection(UrlConnection):
    """The stream of a server that is there, or was started here."""

    def __init__(self, endpoint: Endpoint, process: "subprocess.Popen[bytes] | None") -> None:
        """Open the stream, and wait for its first event.

        Raises:
            NoStreamError: there is no stream.
            ServerEndedError: the stream does not begin with a URL of this server.
        """
        super().__init__(endpoint, process)
        stream = Exchange(endpoint, "GET", {**ALWAYS, "Accept": STREAM}, None)
        self._open.add(stream)
        self._facts = {**stream.facts(), "is_sse": True}
        self._places = threading.Semaphore(MOST_OPEN)
        self._refusals: dict[int | str, dict[str, Any]] = {}
        if stream.kind != STREAM:
            self.let_go()
            raise NoStreamError(f"GET is answered with the status {stream.status} and no {STREAM}")
        events = stream.events()
        self._posts = _named_by(_first_of(events), endpoint)
        threading.Thread(target=self._listen, args=(events,), daemon=True).start()

    def again(self) -> "SseConnection":
        """A second stream of the same server."""
        return SseConnection(self.endpoint, None)

    def send(self, line: str) -> None:
        """Post a message; one to which a response is owed in a thread, since a server may answer the POST after that."""
        body, match = line.encode("utf-8", "backslashreplace"), _REQUEST.match(line)
        if match is None:
            self._post(body, None)
        else:
            threading.Thread(target=self._post, args=(body, json.loads(match[1])), daemon=True).start()

    def send_unowed(self, line: str | bytes) -> None:
        """See `Connection`; also for bytes, which need not be UTF-8. Each line is posted by itself."""
        self._is_unowed = True
        for each in (line.encode() if isinstance(line, str) else line).split(b"\n"):
            self._post(each, None)

    def refusal_of(self, number: int | str) -> dict[str, Any] | None:
        """The HTTP answer that refused a request; None where none did."""
        return self._refusals.get(number)

    def _post(self, body: bytes, number: int | str | None) -> None:
        shown = fault = ""
        with self._places:
            try:
                exchange = Exchange(self._posts, "POST", ALWAYS, body)
            except ServerEndedError as error:
                self._arrived.put(error)
                return
            with contextlib.closing(exchange):
                if exchange.status >= _REFUSED:
                    try:
                        shown = next(exchange.texts(), b"").decode("utf-8", "replace")
                    except UnreadableError as error:
                        fault = str(error)
        facts = {**exchange.facts(shown, fault), "is_sse": True}
        if number is None:
            self.unowed = facts
        elif exchange.status >= _REFUSED:
            self._refusals[number] = facts
            self._arrived.put(Message("", {"id": number}, facts, number if isinstance(number, int) else None))

    def _listen(self, events: Iterator[Event]) -> None:
        """Keep the messages of the stream, in a thread of its own."""
        try:
            for event in events:
                for message in messages_in(event.data, takes_batches=self.takes_batches):
                    self._arrived.put(message._replace(http=self._facts))
            end = "it closed the stream"
        except UnreadableError as fault:
            end = f"the stream {fault}"
        except AttributeError:  # it was closed here
            return
        self._arrived.put(ServerEndedError(end))


def _first_of(events: Iterator[Event]) -> Event:
    """The first event of a stream.

    Raises:
        ServerEndedError: there is none.
    """
    try:
        event = next(events, None)
    except UnreadableError as fault:
        raise ServerEndedError(f"the stream {fault}") from None
    if event is None:
        raise ServerEndedError("it closed the stream before its first event")
    return event


def _named_by(event: Event, endpoint: Endpoint) -> Endpoint:
    """Where messages are posted, by the first event of the stream at `endpoint`. Only the same server is written to.

    Raises:
        ServerEndedError: it is another event, or names no URL of this server.
    """
    if event.kind != _ENDPOINT:
        kind = event.kind.decode("utf-8", "replace") or "message"
        raise ServerEndedError(f"the first event of the stream is of the type {kind!r}, and not endpoint")
    text = event.data.decode("utf-8", "replace")[:_LONGEST_URL].strip()
    with contextlib.suppress(ValueError):
        url = urljoin(endpoint.url, text)
        own, named = urlsplit(endpoint.url), urlsplit(url)
        if (named.scheme, named.hostname, named.port) == (own.scheme, own.hostname, own.port):
            return Endpoint(url, endpoint.headers)
    raise ServerEndedError(f"the event endpoint names {text[:200]!r}, which is no URL of this server")
