"""The host protocol, as its client speaks it: JSON-RPC 2.0, one message a line, written as ASCII.

Whatever comes back was written by a party that may lie, so reading is strict: anything that is not a message of
the protocol is a `ProtocolError` that names the host and the place. `docs/host-protocol.md` is the protocol.
"""

import json
from dataclasses import dataclass
from typing import Any, Final

from aptix_conformance.errors import ProtocolError
from aptix_conformance.model.codec import Json

VERSION: Final = "1"
LONGEST_LINE: Final = 64 * 1024 * 1024
"""Bytes; more than that may not come in answer to one request either."""

TARGET_FAULT: Final = -32001
"""Error code: the tool cannot be loaded; the message is a sentence for its author."""
CANNOT_FORK: Final = -32002
"""Error code: the process has several threads, so that a fork of it would be broken."""

NOTIFICATIONS: Final = ("log", "incident", "launched")
"""What a host may say without being asked."""

LONGEST_UNCOUNTED: Final = 64 * 1024
"""Bytes of a line that is read without a look at how many values are in it."""
MOST_VALUES: Final = 200_000
"""JSON values in one line. A small one takes some ten times its text in memory, and this memory is the suite's own."""

_encode: Final = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request was not fulfilled."""

    code: int
    message: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The response to a request: `failure` where it is not fulfilled, else `result`."""

    id: int
    result: Any = None
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """A notification by the host."""

    method: str
    params: dict[str, Any]


def request(number: int, method: str, params: Json) -> bytes:
    """The line that asks for `method`."""
    return _encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


def read(line: bytes, host: str) -> Answer | Event:
    """Read one line.

    Raises:
        ProtocolError: it is no message of the protocol.
    """
    if len(line) > LONGEST_UNCOUNTED and _most_values(line) > MOST_VALUES:
        more = f"more than {MOST_VALUES} values in one line"
        raise ProtocolError(f"{host} wrote {show(line)} to the protocol channel: {more}")
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"{host} wrote {show(line)} to the protocol channel: no JSON") from error
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise ProtocolError(f"{host} wrote {show(line)} to the protocol channel: no JSON-RPC 2.0 message")
    if "method" in message:
        method, params = message["method"], message.get("params", {})
        if "id" in message or method not in NOTIFICATIONS or not isinstance(params, dict):
            raise ProtocolError(f"{host} wrote {show(line)} to the protocol channel: no notification")
        return Event(method, params)
    number = message.get("id")
    if type(number) is not int or ("result" in message) == ("error" in message):
        raise ProtocolError(f"{host} wrote {show(line)} to the protocol channel: no response")
    if "result" in message:
        return Answer(number, result=message["result"])
    return Answer(number, failure=_failure(message["error"], line, host))


def _most_values(line: bytes) -> int:
    """No fewer than the values in a line of JSON, whatever else it may be; in time and memory like the line itself."""
    bare = line.replace(b"\\\\", b"").replace(b'\\"', b"")
    quotes = bare.count(b'"')
    if quotes > 2 * MOST_VALUES:
        return quotes // 2
    return sum(part.count(b",") + part.count(b"[") + part.count(b"{") for part in bare.split(b'"')[::2])


def _failure(error: Any, line: bytes, host: str) -> Failure:
    if not isinstance(error, dict):
        raise ProtocolError(f"{host} wrote {show(line)} to the protocol channel: its error is no object")
    code, text = error.get("code"), error.get("message")
    if type(code) is not int or not isinstance(text, str):
        raise ProtocolError(
            f"{host} wrote {show(line)} to the protocol channel: its error lacks code or message"
        )
    return Failure(code, text)


def show(line: bytes) -> str:
    """The beginning of a line, safe to print."""
    return ascii(line[:60].decode("utf-8", "replace")) + ("..." if len(line) > 60 else "")  # noqa: PLR2004


class LineBuffer:
    """Cuts what arrives into lines. Looks at each byte once, however small the pieces are."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._searched = 0

    def feed(self, data: bytes) -> None:
        """Take what has arrived."""
        self._data += data

    def line(self) -> bytes | None:
        """The next whole line without its end, or None where none is complete."""
        end = self._data.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._data)
            return None
        line = bytes(self._data[:end])
        del self._data[: end + 1]
        self._searched = 0
        return line
