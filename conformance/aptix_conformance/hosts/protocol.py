"""The client's side of the host protocol: JSON-RPC 2.0 in ASCII, one message a line.

The other side may be hostile, so parsing is strict: a line that is not a message of the protocol raises a
`ProtocolError` that names the host and the reason. `docs/host-protocol.md` defines the protocol.
"""

import json
from dataclasses import dataclass
from typing import Any, Final

from aptix_conformance.core.errors import ProtocolError
from aptix_conformance.core.model.codec import MOST_VALUES, Json, most_values

VERSION: Final = "1"
LONGEST_LINE: Final = 64 * 1024 * 1024
"""Bytes; also the limit of all that comes in answer to one request."""

TARGET_FAULT: Final = -32001
"""Error code: the tool cannot be loaded. The message is a sentence for its author."""
CANNOT_FORK: Final = -32002
"""Error code: the process has several threads, so a fork would be broken."""
UNLISTED: Final = -32003
"""Error code: a server does not list the tool, or not at each reading of its list. The message is a sentence for its author."""

INCIDENT: Final = "incident"
NOTIFICATIONS: Final = ("log", INCIDENT, "launched")
"""Notifications that a host may send at any time."""

LONGEST_UNCOUNTED: Final = 64 * 1024
"""Bytes of a line up to which its values are not counted before it is parsed."""

_encode: Final = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Failure:
    """The error of a response: why the request failed."""

    code: int
    message: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The response to a request: `failure` where the request failed, else `result`."""

    id: int
    result: Any = None
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """A notification from the host."""

    method: str
    params: dict[str, Any]


def request(number: int, method: str, params: Json) -> bytes:
    """The line of a request."""
    return _encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


def read(line: bytes, host: str) -> Answer | Event:
    """Parse one line.

    Raises:
        ProtocolError: the line is not a message of the protocol.
    """
    if len(line) > LONGEST_UNCOUNTED and most_values(line) > MOST_VALUES:
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


def _failure(error: Any, line: bytes, host: str) -> Failure:
    if not isinstance(error, dict):
        raise ProtocolError(f"{host} wrote {show(line)} to the protocol channel: its error is not an object")
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
    """Splits received data into lines. Searches each byte once, however small the pieces are."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._searched = 0

    def __len__(self) -> int:
        """The number of received bytes that no returned line has."""
        return len(self._data)

    def feed(self, data: bytes) -> None:
        """Append received data."""
        self._data += data

    def line(self) -> bytes | None:
        """The next complete line without its end, or None."""
        end = self._data.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._data)
            return None
        line = bytes(self._data[:end])
        del self._data[: end + 1]
        self._searched = 0
        return line
