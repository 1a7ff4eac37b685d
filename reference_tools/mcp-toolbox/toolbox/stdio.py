"""Messages over standard input and output, one a line.

Tools run in threads, so that the server reads on meanwhile: other requests are answered at once, and calls can be cancelled.
"""

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import BinaryIO, Final

from toolbox.protocol import Call, Message, Protocol, Refusal, RequestId, read_message
from toolbox.tools import JsonObject

_AT_ONCE: Final = 16
"""Calls that run at the same time; further ones wait."""


def serve(protocol: Protocol) -> None:
    """Serve until the input ends."""
    connection = _Connection(protocol, sys.stdout.buffer)
    sys.stdout = sys.stderr  # what a tool prints is no message
    with ThreadPoolExecutor(_AT_ONCE) as pool, suppress(BrokenPipeError, KeyboardInterrupt):
        try:
            for line in sys.stdin.buffer:
                connection.take(line, pool)
        finally:
            connection.cancel_all()


class _Connection:
    def __init__(self, protocol: Protocol, out: BinaryIO) -> None:
        self._protocol = protocol
        self._out = out
        self._writing = threading.Lock()
        self._is_open = False
        self._cancelled: dict[RequestId, threading.Event] = {}
        """One for each call that runs or waits."""

    def take(self, line: bytes, pool: ThreadPoolExecutor) -> None:
        """Answer a line, or start the call that it asks for."""
        try:
            message = read_message(line)
            if message.id is None:
                self._take_notification(message)
                return
            answer = self._protocol.answer(message, is_open=self._is_open)
        except Refusal as refusal:
            self._send(refusal.response())
            return
        if isinstance(answer, Call):
            cancelled = self._cancelled[message.id] = threading.Event()
            pool.submit(self._run, answer, cancelled)
        else:
            self._is_open = self._is_open or message.method == "initialize"
            self._send(answer)

    def cancel_all(self) -> None:
        """Cancel every call: the client is gone."""
        for cancelled in list(self._cancelled.values()):
            cancelled.set()

    def _take_notification(self, message: Message) -> None:
        number = message.params.get("requestId")
        if message.method == "notifications/cancelled" and isinstance(number, RequestId):
            cancelled = self._cancelled.get(number)
            if cancelled is not None:  # else it has ended meanwhile
                cancelled.set()

    def _run(self, call: Call, cancelled: threading.Event) -> None:
        with suppress(BrokenPipeError):
            response = call.run(self._send, cancelled.is_set)
            if response is not None:
                self._send(response)
        number = call.request.id
        if number is not None and self._cancelled.get(number) is cancelled:
            del self._cancelled[number]

    def _send(self, message: JsonObject) -> None:
        with self._writing:
            self._out.write(json.dumps(message).encode() + b"\n")
            self._out.flush()
