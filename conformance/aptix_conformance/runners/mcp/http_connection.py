"""A connection over streamable HTTP: each message is a POST of its own, and a thread reads its answer.

Both revisions are spoken: what the server says in answer to `initialize` (a session id, a version) is sent with all that
follows; a message of 2026-07-28 has headers that repeat its body.
"""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from .connection import Cancelled, Message, ServerEndedError, answers, messages_in
from .exchange import JSON, STREAM, Endpoint, Exchange, UnreadableError
from .headers import ALWAYS, SESSION, VERSION, mirrored, parameters_of
from .sse_connection import NoStreamError, SseConnection
from .url_connection import MOST_OPEN, MOST_WAITING, UrlConnection, started

_MODERN_META: Final = "io.modelcontextprotocol/protocolVersion"
_NAMES_VERSION: Final = "2025-06-18"
"""The first revision in which a client sends a header with the version that was agreed on."""
_MOST_AFTER: Final = 1_000
"""Messages that are read of one answer after its response, and events in it that are no message."""


class HttpConnection(UrlConnection):
    """A server that answers at a URL. With `command` it is started here, and ended with the connection."""

    answers_all = True

    def __init__(self, endpoint: Endpoint, command: list[str], directory: str | None) -> None:
        """Start the server, where it has a command, and wait until it takes connections.

        Raises:
            ServerEndedError: it cannot be started or reached, or has ended.
        """
        super().__init__(endpoint, started(command, directory) if command else None)
        self._exchanges: dict[int | str, Exchange] = {}
        self._cancelled: set[int | str] = set()
        self._places = threading.Semaphore(MOST_OPEN)
        self._session: str | None = None
        self._version = ""
        self._is_modern = False
        if self.process is not None:
            self._wait_until_reached()

    def close(self) -> None:
        """End the server that was started here; end the session of any other."""
        if self.process is None and self._session:
            with contextlib.suppress(ServerEndedError):
                Exchange(self.endpoint, "DELETE", self.headers({}), None).close()
        super().close()

    def in_older_transport(self) -> SseConnection | None:
        """See `Connection`. The server stays the same; this connection ends where there is such a stream."""
        try:
            older = SseConnection(self.endpoint, self.process)
        except NoStreamError:
            return None
        self.let_go()
        return older

    def headers(self, message: Mapping[str, Any]) -> dict[str, str]:
        """The headers of a message on this connection."""
        headers = {**ALWAYS}
        if self._is_modern:
            return headers | mirrored(message, self._version, parameters_of(self.schema))
        if self._version:
            headers[VERSION] = self._version
        if self._session and self._session.isascii() and self._session.isprintable():
            headers[SESSION] = self._session
        return headers

    def cancel(self, number: int | str) -> Cancelled:
        """See `Connection`. In the later revision, closing the answer is the cancellation."""
        if not self._is_modern:
            return super().cancel(number)
        exchange = self._exchanges.get(number)
        if exchange is None:
            return "not"
        self._cancelled.add(number)
        exchange.hang_up()
        return "closed"

    def send(self, line: str) -> None:
        """Post a message. A line that is no request is waited for until it is answered."""
        message = _object(line)
        meta = message["params"].get("_meta") if isinstance(message.get("params"), dict) else None
        if isinstance(meta, dict) and isinstance(meta.get(_MODERN_META), str):
            self._is_modern, self._version = True, meta[_MODERN_META]
        body = line.encode("utf-8", "backslashreplace")
        work = (self.headers(message), body, message)
        if "id" in message:
            threading.Thread(target=self._converse, args=work, daemon=True).start()
        else:
            self._converse(*work)

    def _converse(self, headers: Mapping[str, str], body: bytes, message: Mapping[str, Any]) -> None:
        """Send a message and keep what its answer holds, in the thread of a request."""
        with contextlib.ExitStack() as open_:
            place = open_.enter_context(contextlib.ExitStack())
            self._places.acquire()
            place.callback(self._places.release)
            try:
                exchange = Exchange(self.endpoint, "POST", headers, body, self._noting(message))
            except ServerEndedError as error:
                if message.get("id") in self._cancelled:
                    return
                if "id" not in message:
                    raise self._ended(error) from None
                self._arrived.put(error)
                return
            open_.callback(exchange.close)
            self._open.add(exchange)
            open_.callback(self._open.discard, exchange)
            open_.callback(self._forget, message)
            if "id" in message:
                self._take_response(exchange, message["id"], message.get("method"), place)
            else:
                self._take_receipt(exchange, is_notification="method" in message)

    def _noting(self, message: Mapping[str, Any]) -> Callable[[Exchange], None]:
        """Notes the exchange of a request as soon as it is connected, so that it can be closed."""
        if "id" not in message:
            return lambda _: None
        return partial(self._exchanges.__setitem__, message["id"])

    def _forget(self, message: Mapping[str, Any]) -> None:
        """Drop the exchange of an answered request, which cannot be cancelled any more."""
        if "id" in message:
            self._exchanges.pop(message["id"], None)

    def _take_response(
        self, exchange: Exchange, number: int, method: Any, place: contextlib.ExitStack
    ) -> None:
        """Keep the messages of an answer; the response may be missing, and messages may follow it.

        Its place is free for another request once the response is there.
        """
        is_answered, after, strange, shown, fault = False, 0, 0, "", ""
        try:
            for text, message in self.messages_of(exchange):
                shown = shown or text[:400].decode("utf-8", "replace")
                if message is None:
                    strange += 1
                    if strange > _MOST_AFTER:
                        fault = f"has more than {_MOST_AFTER:,} events that are no message"
                        break
                    continue
                is_this = not is_answered and answers(message.value, number, alone=True)
                if is_this and method == "initialize":
                    self._begin(exchange, message.value)
                if is_this:
                    is_answered = True
                    place.close()
                owner = number if is_this else None
                self._arrived.put(message._replace(http=exchange.facts(shown), owner=owner))
                after += is_answered
                if after > _MOST_AFTER:
                    break
        except UnreadableError as error:
            fault = str(error)
        if not is_answered and number not in self._cancelled:
            facts = exchange.facts(shown, fault or why_none(exchange, shown))
            self._arrived.put(Message("", {"id": number}, facts, number))

    def _take_receipt(self, exchange: Exchange, *, is_notification: bool) -> None:
        """Keep the answer to a line that is no request. The refusal of a notification is no message of its own."""
        shown = fault = ""
        texts: list[bytes] = []
        try:
            for text in exchange.texts():
                texts.append(text)
                if len(texts) > _MOST_AFTER:
                    break
        except UnreadableError as error:
            fault = str(error)
        shown = b"".join(texts)[:400].decode("utf-8", "replace")
        self.unowed = exchange.facts(shown, fault)
        if is_notification and exchange.status >= 400:  # noqa: PLR2004 - what HTTP calls an error
            return
        for text in texts:
            for message in self._messages_in(text, exchange.kind):
                if self._arrived.qsize() < MOST_WAITING:
                    self._arrived.put(message._replace(http=self.unowed))

    def messages_of(self, exchange: Exchange) -> Iterator[tuple[bytes, Message | None]]:
        """The texts of an answer, each with a message in it; None where it has none.

        Raises:
            UnreadableError: it is too long, compressed, or ends too early.
        """
        for text in exchange.texts():
            found = self._messages_in(text, exchange.kind)
            yield from ((text, message) for message in found)
            if not found:
                yield text, None

    def _messages_in(self, text: bytes, kind: str) -> list[Message]:
        return messages_in(text, takes_batches=self.takes_batches) if kind in (JSON, STREAM) else []

    def _begin(self, exchange: Exchange, opening: Mapping[str, Any]) -> None:
        result = opening.get("result")
        version = result.get("protocolVersion") if isinstance(result, dict) else None
        self._session, self._version = (
            exchange.session,
            version if isinstance(version, str) and version.isascii() and version >= _NAMES_VERSION else "",
        )


def _object(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def why_none(exchange: Exchange, shown: str) -> str:
    """Why an answer has no response."""
    if exchange.kind not in (JSON, STREAM):
        return f"is of the type {exchange.kind!r}" if exchange.kind else "has no Content-Type"
    return "has no response to the request" if shown else "is empty"
