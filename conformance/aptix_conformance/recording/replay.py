"""The services of an examination: they answer from a recording, or fail.

What was not recorded gets no answer: its connection is reset, as by a service that is not there. The host that makes a call asks afterwards
what it asked for (`Traffic`), since such a call shows little of the tool.

Equal requests within a call get the recorded answers in their order, the last one again and again. The next call begins with the first one.
Calls at the same time get the first one always, since their order is not known.
"""

import datetime as dt
import ssl
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlsplit

from aptix_conformance.core.model.disturbance import Failure
from aptix_conformance.core.text import printable
from aptix_conformance.recording import certificates
from aptix_conformance.recording.exchanges import Recording, Request, Response
from aptix_conformance.recording.masking import Key, Masker, hidden_parameters, place_of
from aptix_conformance.recording.service import Asked, Reply

_MOST_SHOWN: Final = 5
"""Requests of one call that are shown."""
_LONGEST: Final = 120
_PAGE: Final = b"<!DOCTYPE html><html><body><h1>Service Unavailable</h1></body></html>\n"
_LEAST_CUT: Final = 2
_NO_TEXT: Final = b"\xe9\xff"
"""Bytes that are no UTF-8 wherever they stand."""
_STATUSES: Final[Mapping[Failure, tuple[int, bytes]]] = {
    "500": (500, b'{"error":"internal server error"}'),
    "429": (429, b'{"error":"too many requests"}'),
}
_OF_CONNECTION: Final = (
    "connection",
    "content-length",
    "keep-alive",
    "transfer-encoding",
    "trailer",
    "upgrade",
)


@dataclass(frozen=True, slots=True)
class Traffic:
    """What one call asked of its services: requests that were answered, that were not recorded, and that were made to fail."""

    answered: tuple[str, ...] = ()
    unrecorded: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


class Replay:
    """The services of a recording (`service.Service`), for one process of a tool at a time."""

    def __init__(self, recording: Recording, secrets: Iterable[str], today: dt.date) -> None:
        self._masker = Masker(secrets)
        self._expired = f" (recorded until {recording.expires})" if recording.expires < today else ""
        self._responses: dict[Key, list[Response]] = {}
        self._hidden: dict[Key, set[str]] = {}
        """By place, the query parameters that were secrets when it was recorded."""
        for exchange in recording.exchanges:
            names = self._hidden.setdefault(place_of(exchange.request), set())
            names |= hidden_parameters(exchange.request)
        for exchange in recording.exchanges if not self._expired else ():
            self._responses.setdefault(self._key(exchange.request), []).append(exchange.response)
        self._lock = threading.Lock()
        self._failure: Failure | None = None
        self._is_group = False
        self._handshakes = 0
        """Those of the call that have begun and were not trusted yet."""
        self._times: Counter[Key] = Counter()
        self._answered: dict[str, None] = {}
        self._unrecorded: dict[str, None] = {}
        self._failed: dict[str, None] = {}
        urls = [urlsplit(exchange.request.url) for exchange in recording.exchanges]
        self._encrypted = {url.hostname for url in urls if url.scheme == "https"}
        if self._encrypted:
            certificates.authority()  # raises where it cannot be made

    def begin(self, failure: Failure | None = None, *, is_group: bool = False) -> None:
        """A call begins, or several at the same time. Meanwhile each service fails in one way, or none does."""
        with self._lock:
            self._failure, self._is_group = failure, is_group
            self._handshakes = 0
            self._times.clear()
            for seen in (self._answered, self._unrecorded, self._failed):
                seen.clear()

    def end(self) -> Traffic:
        """What was asked for since `begin`."""
        with self._lock:
            self._failure = None
            if self._handshakes:
                _add(self._unrecorded, "a connection by TLS, whose client does not read SSL_CERT_FILE")
            return Traffic(*(tuple(seen) for seen in (self._answered, self._unrecorded, self._failed)))

    def takes_connection(self) -> bool:
        """See `Service`."""
        with self._lock:
            if self._failure == "refused":
                self._failed["a connection"] = None
                return False
            return True

    def context(self, host: str) -> ssl.SSLContext:
        """See `Service`."""
        with self._lock:
            if host.lower() not in self._encrypted:
                _add(self._unrecorded, f"a request by HTTPS to {host}")
                raise ConnectionRefusedError(host)
            fails = self._failure == "certificate"
            if fails:
                self._failed[f"https://{host}"] = None
            else:
                self._handshakes += 1
        authority = certificates.authority()
        return authority.wrong_context() if fails else authority.context(host)

    def end_handshake(self, *, is_trusted: bool) -> None:
        """See `Service`. A handshake that has not ended when its call ends is none that was trusted."""
        with self._lock:
            self._handshakes -= is_trusted and self._handshakes > 0

    def answer(self, asked: Asked) -> Reply | None:
        """See `Service`."""
        key, shown = self._key(asked.request), _shown(self._masker.request(asked.request))
        with self._lock:
            responses = self._responses.get(key)
            if not responses:
                _add(self._unrecorded, f"{shown}{self._expired}")
                return None
            response = responses[0 if self._is_group else min(self._times[key], len(responses) - 1)]
            self._times[key] += 1
            if self._failure is None:
                _add(self._answered, shown)
                return recorded_reply(response)
            reply = failing(self._failure, response)
            if reply is not None and reply.content == response.content and not reply.is_cut:
                _add(self._answered, shown)
            else:
                _add(self._failed, shown)
            return reply

    def _key(self, request: Request) -> Key:
        place = place_of(self._masker.request(request))
        return self._masker.key(request, self._hidden.get(place, frozenset()))


def failing(failure: Failure, response: Response) -> Reply | None:
    """The answer of a service that fails, in place of a recorded one; None where the connection is reset.

    Where the service cannot fail in that way, it is the recorded one.
    """
    if failure == "refused":
        return None
    if failure in _STATUSES:
        status, content = _STATUSES[failure]
        return Reply(status, {"Content-Type": "application/json"}, content)
    recorded, content = recorded_reply(response), response.content
    if failure == "not-json" and response.is_json:
        return Reply(response.status, {"Content-Type": "text/html; charset=utf-8"}, _PAGE)
    if failure == "encoding" and response.is_json and content:
        return replace(recorded, content=content[:-1] + _NO_TEXT + content[-1:])
    is_cut = failure == "cut" and len(content) >= _LEAST_CUT
    return replace(recorded, is_cut=True) if is_cut else recorded


def recorded_reply(response: Response) -> Reply:
    """A recorded answer. Its length is that of the body, whatever the file says."""
    kept = {name: value for name, value in response.headers.items() if name.lower() not in _OF_CONNECTION}
    return Reply(response.status, kept, response.content)


def _add(seen: dict[str, None], text: str) -> None:
    if len(seen) < _MOST_SHOWN:
        seen[text] = None


def _shown(request: Request) -> str:
    return printable(request.line, _LONGEST)
