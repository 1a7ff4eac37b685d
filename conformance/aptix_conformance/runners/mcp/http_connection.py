"""A connection over streamable HTTP: each message is a POST of its own, and a thread reads its answer.

Both revisions are spoken: what the server says in answer to `initialize` (a session id, a version) is sent with all that
follows; a message of 2026-07-28 has headers that repeat its body.
"""

import contextlib
import json
import os
import queue
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from .connection import GENTLY, Cancelled, Connection, Message, ServerEndedError, answers, messages_in
from .exchange import JSON, STREAM, Endpoint, Exchange, UnreadableError
from .family import Family
from .headers import ALWAYS, SESSION, VERSION, mirrored, parameters_of
from .starting import start

_MODERN_META: Final = "io.modelcontextprotocol/protocolVersion"
_NAMES_VERSION: Final = "2025-06-18"
"""The first revision in which a client sends a header with the version that was agreed on."""
_MOST_WAITING: Final = 1_000
"""Messages that wait to be read; a thread with more waits, and the server with it."""
_MOST_AFTER: Final = 1_000
"""Messages that are read of one answer after its response."""
_MOST_OPEN: Final = 6
"""Requests on their way at once: a simple server lets that many connections wait, and resets others."""
_PAUSE: Final = 0.05
_LAST_WORDS: Final = 0.5
"""Seconds from a broken connection to the end of the server; they decide on the message only."""
_FIXES: Final = {
    ConnectionRefusedError: "; start it, or correct the URL",
    socket.gaierror: "; correct the URL, or this machine's name service",
}
"""Advice where no connection is possible."""


class HttpConnection(Connection):
    """A server that answers at a URL. With `command` it is started here, and ended with the connection."""

    answers_all = True

    def __init__(self, endpoint: Endpoint, command: list[str], directory: str | None) -> None:
        """Start the server, where it has a command, and wait until it takes connections.

        Raises:
            ServerEndedError: it cannot be started or reached, or has ended.
        """
        super().__init__()
        self.endpoint = endpoint
        self.watched = None
        self._arrived: queue.Queue[Message | ServerEndedError] = queue.Queue(_MOST_WAITING)
        self._open: set[Exchange] = set()
        self._exchanges: dict[int | str, Exchange] = {}
        self._cancelled: set[int | str] = set()
        self._places = threading.Semaphore(_MOST_OPEN)
        self._session: str | None = None
        self._version = ""
        self._is_modern = False
        self._process: subprocess.Popen[bytes] | None = None
        if command:
            self._process = _started(command, directory)
            self.pid = self._process.pid
            self.watched = os.pidfd_open(self.pid)
            self._wait_until_reached()

    def close(self) -> None:
        """End the server that was started here; end the session of any other."""
        if self._process is None and self._session:
            with contextlib.suppress(ServerEndedError):
                Exchange(self.endpoint, "DELETE", self.headers({}), None).close()
        for exchange in tuple(self._open):
            exchange.close()
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)  # what it started may hold the port
            self._process.wait()
            assert self.watched is not None
            os.close(self.watched)

    def end_gently(self) -> bool:
        """See `Connection`: a signal that the server catches tells it to end. It must have been started here."""
        if self._process is None:
            return False
        is_caught = _catches(self._process.pid)
        stop_signal = (
            signal.SIGINT if is_caught(signal.SIGINT) and not is_caught(signal.SIGTERM) else signal.SIGTERM
        )
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, stop_signal)
        family, until = Family(self._process.pid), self._process.poll
        began = family.now()
        while until() is None and family.now() - began < GENTLY:
            time.sleep(_PAUSE)
        return until() is not None

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

    def _read(self, seconds: float | None = None) -> None:
        try:
            arrived = self._arrived.get(timeout=seconds)
        except queue.Empty:
            return
        if isinstance(arrived, ServerEndedError):
            raise self._ended(arrived)
        self._messages.append(arrived)

    def _has_arrived(self) -> bool:
        return not self._arrived.empty()

    def check(self) -> None:
        """The server that was started here has ended.

        Raises:
            ServerEndedError: always.
        """
        raise self._ended(ServerEndedError("it ended"))

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
        is_answered, after, shown, fault = False, 0, "", ""
        try:
            for text, message in self.messages_of(exchange):
                shown = shown or text[:400].decode("utf-8", "replace")
                if message is None:
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
                if self._arrived.qsize() < _MOST_WAITING:
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

    def _wait_until_reached(self) -> None:
        """Wait until a connection is possible; the suite limits the time."""
        assert self._process is not None
        while self._process.poll() is None:
            try:
                self.endpoint.connect().close()
            except PermissionError as error:
                raise ServerEndedError(
                    f"this machine gives a contained server no network of its own ({error.strerror}), so one over HTTP "
                    "cannot be started in the containment"
                ) from error
            except OSError:
                time.sleep(_PAUSE)
            else:
                return
        raise self._ended(ServerEndedError("it ended"))

    def _ended(self, why: ServerEndedError) -> ServerEndedError:
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                status = self._process.wait(_LAST_WORDS)
                how = f"signal {-status}" if status < 0 else f"exit status {status}"
                return ServerEndedError(f"the server ended with {how}")
        host, port = self.endpoint.place
        fix = next((fix for kind, fix in _FIXES.items() if isinstance(why.__cause__, kind)), "")
        return ServerEndedError(f"the server at {host}:{port} did not answer: {why}{fix}")


def _started(command: list[str], directory: str | None) -> "subprocess.Popen[bytes]":
    """Start a server; its output goes to standard error, since over HTTP standard output is free."""
    env = {name: value for name, value in os.environ.items() if name != "APTIX_HOST_FD"}
    try:
        return start(
            command, cwd=directory, env=env, stdin=subprocess.DEVNULL, stdout=2, start_new_session=True
        )
    except OSError as error:
        raise ServerEndedError(f"the server cannot be started: {error}") from error


def _catches(pid: int) -> Callable[[signal.Signals], bool]:
    """Says which signals a process catches; none where that is not known."""
    caught = 0
    with contextlib.suppress(OSError, ValueError), open(f"/proc/{pid}/status", encoding="utf-8") as file:
        caught = next((int(line.split()[1], 16) for line in file if line.startswith("SigCgt:")), 0)
    return lambda number: bool(caught >> (number - 1) & 1)


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
