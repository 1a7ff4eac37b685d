"""Asks the real services in a tool's place, and keeps what they answer."""

import contextlib
import datetime as dt
import ssl
import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from aptix_conformance.core.text import printable
from aptix_conformance.recording import certificates
from aptix_conformance.recording.exchanges import (
    FORM,
    LARGEST_BODY,
    LARGEST_FILE,
    MIB,
    MOST_EVENTS,
    MOST_EXCHANGES,
    Exchange,
    Recording,
    Request,
    content_of,
    size_in_file,
)
from aptix_conformance.recording.masking import Key, Masker
from aptix_conformance.recording.service import Asked, Reply

if TYPE_CHECKING:
    from http.client import HTTPConnection

_PATIENCE: Final = 60.0
"""Seconds that a service may take for each step of an answer."""
_HEAD: Final = 1_000
"""Bytes, and far more than the events, of a file without exchanges."""
_MOST_FAILURES: Final = 100
_LONGEST: Final = 200
_OWN: Final = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-connection",
        "te",
        "transfer-encoding",
        "upgrade",
        "accept-encoding",
        "expect",
    }
)
"""Headers that are this connection's own; an answer that is not compressed can be read in the file."""


class Capture:
    """The services of a recording that is being made (`service.Service`)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._exchanges: list[tuple[Key, Exchange]] = []
        self._secrets: list[str] = []
        self._bytes, self._events = _HEAD, _HEAD
        self.failures: list[str] = []
        """A sentence for each request that could not be recorded."""

    def learn(self, secrets: Iterable[str]) -> None:
        """Add values that are replaced wherever they occur."""
        with self._lock:
            self._secrets += secrets

    def recording(self, target: str, today: dt.date, days: int) -> Recording:
        """All exchanges, which count for some days."""
        with self._lock:
            exchanges = tuple(exchange for _, exchange in self._exchanges)
        return Recording(FORM, target, today, today + dt.timedelta(days=days), exchanges)

    def takes_connection(self) -> bool:
        """See `Service`."""
        return True

    def context(self, host: str) -> ssl.SSLContext:
        """See `Service`."""
        return certificates.authority().context(host)

    def end_handshake(self, *, is_trusted: bool) -> None:
        """See `Service`."""
        if not is_trusted:
            with self._lock:
                self._fail(
                    "The tool does not trust the suite's certificate: let its client read SSL_CERT_FILE."
                )

    def answer(self, asked: Asked) -> Reply | None:
        """See `Service`."""
        with self._lock:
            masker = Masker(self._secrets)
        import http.client  # noqa: PLC0415 - slow to import, and needed by `record` alone

        line = printable(masker.request(asked.request).line, _LONGEST)
        try:
            reply = _forwarded(asked)
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = masker.text(printable(str(error) or type(error).__name__, 200))
            with self._lock:
                self._fail(f"{line} was not answered: {reason}.")
            return None
        if any(masker.holds_secret(content) for content in (content_of(asked.request), reply.content)):
            with self._lock:
                self._fail(f"{line} is left out: a binary body has a secret in it.")
            return reply
        exchange = masker.exchange(asked.request, reply.status, reply.headers, reply.content)
        with self._lock:
            self._keep(masker.key(asked.request), exchange, line)
        return reply

    def _keep(self, key: Key, exchange: Exchange, line: str) -> None:
        """Add an exchange, unless the last answer to the same request was the same one, or it does not fit."""
        before = next((known for of, known in reversed(self._exchanges) if of == key), None)
        if before is not None and before.response == exchange.response:
            return
        if len(self._exchanges) >= MOST_EXCHANGES:
            self._fail(f"A recording has at most {MOST_EXCHANGES:,} exchanges; the others are missing.")
            return
        is_small = self._bytes + len(exchange.response.content) <= LARGEST_FILE  # before more work is done
        try:
            size, events = size_in_file(exchange) if is_small else (LARGEST_FILE, 0)
        except ValueError as error:
            self._fail(f"{line} is left out: {printable(str(error), 200)}.")
            return
        if self._bytes + size > LARGEST_FILE or self._events + events > MOST_EVENTS:
            full = f"{LARGEST_FILE // MIB} MiB or {MOST_EVENTS:,} YAML events"
            self._fail(f"{line} is left out: a recording has at most {full}.")
            return
        self._bytes, self._events = self._bytes + size, self._events + events
        self._exchanges.append((key, exchange))

    def _fail(self, sentence: str) -> None:
        if sentence not in self.failures and len(self.failures) < _MOST_FAILURES:
            self.failures.append(sentence)


def _forwarded(asked: Asked) -> Reply:
    """The answer of the real service.

    Raises:
        OSError, HTTPException, ValueError: there is none that can be kept.
    """
    with _connected(asked) as connection:
        method, body = asked.request.method, content_of(asked.request)
        connection.putrequest(method, _path(asked.request), skip_host=True, skip_accept_encoding=True)
        for name, value in asked.headers.items():
            if name.lower() not in _OWN and name.lower() != "content-length":
                connection.putheader(name, value)
        if body or method in ("POST", "PUT", "PATCH"):
            connection.putheader("Content-Length", str(len(body)))
        connection.putheader("Accept-Encoding", "identity")
        connection.putheader("Connection", "close")
        connection.endheaders(body or None)
        answer = connection.getresponse()
        content = answer.read(LARGEST_BODY + 1)
        if len(content) > LARGEST_BODY:
            raise ValueError(f"its answer has more than {LARGEST_BODY // MIB} MiB")
        headers = {name: value for name, value in answer.getheaders() if name.lower() not in _ANSWER_OWN}
        return Reply(answer.status, headers, content)


_ANSWER_OWN: Final = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length"})


@contextlib.contextmanager
def _connected(asked: Asked) -> Iterator["HTTPConnection"]:
    from http.client import HTTPConnection, HTTPSConnection  # noqa: PLC0415 - as above

    connection: HTTPConnection
    if asked.is_tls:
        connection = HTTPSConnection(
            asked.host, asked.port, timeout=_PATIENCE, context=ssl.create_default_context()
        )
    else:
        connection = HTTPConnection(asked.host, asked.port, timeout=_PATIENCE)
    try:
        yield connection
    finally:
        connection.close()


def _path(request: Request) -> str:
    """The path of a URL with its query."""
    rest = request.url.partition("://")[2]
    return f"/{rest.partition('/')[2]}"
