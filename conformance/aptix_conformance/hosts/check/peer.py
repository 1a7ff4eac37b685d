"""Speaks to a host in raw lines and validates each received line against its schema."""

import contextlib
import fcntl
import json
import os
import select
import sys
import termios
import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, Self

import jsonschema_rs

from aptix_conformance.core.errors import ConformanceError, HostError
from aptix_conformance.core.model import SystemTraits
from aptix_conformance.hosts import protocol
from aptix_conformance.hosts.host import MIB
from aptix_conformance.hosts.message_schemas import document, schema_of
from aptix_conformance.hosts.processes import has_ended, open_pidfd
from aptix_conformance.hosts.program import Program

PATIENCE: Final = 10.0
"""Default seconds for an answer, and for the end of a process after `shutdown`."""
_CHUNK: Final = 1 << 16
_LONGEST_SHOWN: Final = 160
_POLL_INTERVAL: Final = 0.001
"""Seconds between checks of what the host has read."""


class ProtocolViolation(ConformanceError):  # noqa: N818 - a fault of the host, not an error of the suite
    """The host violated the protocol. The message says how."""


class NoAnswerError(ProtocolViolation):
    """The host sent nothing at all in the time that it has for its first answer."""


class Peer:
    """One process of a host, used without the suite's own client. A context manager that ends the process."""

    def __init__(
        self, start: Callable[[], Program], patience: float = PATIENCE, systems: tuple[SystemTraits, ...] = ()
    ) -> None:
        """Start the process. `patience` is the timeout in seconds of an answer, and of the end of the process.

        Raises:
            HostError: no process could be started.
        """
        self._running = start().hand_over()
        self._patience = patience
        self._systems = systems
        self._buffer = protocol.LineBuffer()
        self._has_spoken = False
        self._number = 1_000
        self.notifications: list[dict[str, Any]] = []
        for fd in self._running.streams:
            os.set_blocking(fd, False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._running.channel.close()
        self._running.end()
        for fd in self._running.streams:
            os.close(fd)
        self._running.tidy()

    def request(self, method: str, params: Mapping[str, Any]) -> tuple[int, bytes]:
        """A new id, and the line of a request with this id."""
        self._number += 7
        return self._number, protocol.request(self._number, method, dict(params))

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification."""
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode() + b"\n")

    def send(self, data: bytes) -> None:
        """Write bytes as they are.

        Raises:
            ProtocolViolation: the other end is closed, or the host does not read.
        """
        self._running.channel.settimeout(self._patience)
        try:
            self._running.channel.sendall(data)
        except (OSError, TimeoutError) as error:
            raise ProtocolViolation(f"it did not read what was sent: {error}") from error

    def send_apart(self, data: bytes, pieces: int) -> None:
        """Write bytes in several pieces, each after the host has read the piece before.

        Raises:
            ProtocolViolation: the other end is closed, or the host does not read.
        """
        size = -(-len(data) // pieces)
        deadline = time.monotonic() + self._patience
        for place in range(0, len(data), size):
            self.send(data[place : place + size])
            while self._unread() and time.monotonic() < deadline:
                time.sleep(_POLL_INTERVAL)

    def _unread(self) -> int:
        """Bytes that the host has not read yet."""
        unread = fcntl.ioctl(self._running.channel, termios.TIOCOUTQ, bytes(4))
        return int.from_bytes(unread, sys.byteorder)

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """Send a request and return the result.

        Raises:
            ProtocolViolation: the answer is an error or invalid, or does not come.
        """
        number, line = self.request(method, params or {})
        self.send(line)
        answer = self.answer_to(number, method)
        if "error" in answer:
            raise ProtocolViolation(f"{method} was answered with the error {answer['error']}")
        return answer["result"]

    def answer_to(self, number: int, method: str) -> dict[str, Any]:
        """The next answer, which must be to the request `number`. Notifications are kept.

        Raises:
            ProtocolViolation: the answer is invalid or to another request, or does not come.
        """
        return self.answer({number: method})

    def answer(self, open_requests: Mapping[int, str]) -> dict[str, Any]:
        """The next answer, to one of the open requests: a mapping from ids to methods. Notifications are kept.

        Raises:
            ProtocolViolation: the answer is invalid or to another request, or does not come.
        """
        deadline = time.monotonic() + self._patience
        while True:
            message = self._message(deadline)
            if "method" in message:
                _validate(f"{message['method']}.notification", message, self._systems)
                self.notifications.append(message)
                continue
            method = open_requests.get(message.get("id"))  # type: ignore[arg-type]
            if method is None:
                raise ProtocolViolation(f"it answered {abbreviate(message)}, but no open request has that id")
            _validate(
                "error.response" if "error" in message else f"{method}.response", message, self._systems
            )
            return message

    def message(self) -> dict[str, Any]:
        """The next line as a JSON object.

        Raises:
            ProtocolViolation: no line came in time, or the line is not a message in ASCII.
        """
        return self._message(time.monotonic() + self._patience)

    def _message(self, deadline: float) -> dict[str, Any]:
        line = self._line(deadline)
        if not line.isascii():
            raise ProtocolViolation(f"a line is not ASCII: {protocol.show(line)}")
        try:
            protocol.read(line, "it")
        except HostError as error:
            raise ProtocolViolation(str(error)) from error
        message: dict[str, Any] = json.loads(line)
        return message

    def is_silent(self, seconds: float) -> bool:
        """Whether no data comes for some seconds."""
        return not self._buffer and not select.select([self._running.channel], [], [], seconds)[0]

    def printed(self) -> tuple[str, str]:
        """The standard output and standard error since the last call."""
        return tuple(_read_all(fd) for fd in self._running.streams)  # type: ignore[return-value]

    def hang_up(self) -> None:
        """Close the channel."""
        self._running.channel.close()

    def exit_status(self) -> int | None:
        """The exit status of the process; None where it does not end in time."""
        pidfd = open_pidfd(self._running.pid)
        try:
            if not has_ended(self._running.pid, pidfd, self._patience):
                return None
        finally:
            if pidfd is not None:
                os.close(pidfd)
        return self._running.end()

    def _line(self, deadline: float) -> bytes:
        while (line := self._buffer.line()) is None:
            if len(self._buffer) > protocol.LONGEST_LINE:
                raise ProtocolViolation(f"a line has more than {protocol.LONGEST_LINE // MIB} MiB")
            try:
                self._buffer.feed(self._receive(deadline))
            except TimeoutError:
                kind = ProtocolViolation if self._has_spoken else NoAnswerError
                raise kind(f"no answer came within {self._patience:g} s") from None
            self._has_spoken = True
        return line

    def _receive(self, deadline: float) -> bytes:
        """Some bytes of the host; it may send notifications, or a line without an end, when the time is over."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._running.channel.settimeout(left)
        try:
            data = self._running.channel.recv(_CHUNK)
        except ConnectionError:
            data = b""  # it ended without reading what was sent
        if not data:
            raise ProtocolViolation("it closed the channel" + self._printed_words())
        return data

    def _printed_words(self) -> str:
        words = " ".join("".join(self.printed()).split())
        return f"; it printed: {words[-_LONGEST_SHOWN:]}" if words else ""


def _read_all(fd: int) -> str:
    data = b""
    with contextlib.suppress(BlockingIOError):
        while piece := os.read(fd, _CHUNK):
            data += piece
    return data.decode("utf-8", "backslashreplace")


def abbreviate(message: object) -> str:
    """A message as JSON, cut to 160 characters."""
    text = json.dumps(message)
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"


@cache
def _validator(name: str, systems: tuple[SystemTraits, ...]) -> jsonschema_rs.Draft202012Validator | None:
    whole = document(systems)
    return jsonschema_rs.Draft202012Validator(schema_of(name, whole)) if name in whole["$defs"] else None


def _validate(name: str, message: dict[str, Any], systems: tuple[SystemTraits, ...]) -> None:
    validator = _validator(name, systems)
    if validator is None:
        raise ProtocolViolation(f"it sent {abbreviate(message)}, which is not a message of the protocol")
    errors = sorted(validator.iter_errors(message), key=lambda error: -len(error.instance_path))
    if errors:
        place = "/".join(str(part) for part in errors[0].instance_path)
        raise ProtocolViolation(
            f"{name} does not match its schema at {place or 'the root'}: {errors[0].message[:_LONGEST_SHOWN]}"
        )
