"""Server-sent events, read as they arrive. A stream may be forged, so what is kept is bounded."""

import re
from typing import Final, NamedTuple

_LINE_END: Final = re.compile(rb"\r\n|\r|\n")
_MARK: Final = b"\xef\xbb\xbf"
_LONGEST_KIND: Final = 100
"""Bytes of the type of an event that are kept."""
_MOST_BETWEEN: Final = 1 << 20
"""Bytes of the lines of an event, and of those before it, that hold no data, such as comments, which keep a connection open."""


class Event(NamedTuple):
    """The type of an event, empty where it has none, and its data."""

    kind: bytes
    data: bytes


class EventTooLongError(Exception):
    """An event, or what stands before it, has more bytes than the limit; the text says so, as the end of a sentence."""


class EventStream:
    """A stream of events. `longest` is the limit of one event in bytes."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._rest = bytearray()
        self._kind = b""
        self._data: list[bytes] = []
        self._size = 0
        self._between = 0
        self._is_first = True
        self._skips_newline = False

    def feed(self, data: bytes) -> list[Event]:
        """The events that end in a part of the stream, which must not be empty.

        Raises:
            EventTooLongError: one is too long.
        """
        if self._skips_newline and data.startswith(b"\n"):
            data = data[1:]
        self._skips_newline = data.endswith(b"\r")
        *lines, rest = _LINE_END.split(data)
        events = []
        for line in lines:
            self._rest += line
            events.append(self._take(bytes(self._rest)))
            self._rest.clear()
        self._rest += rest
        if len(self._rest) > self._longest:
            raise self._too_long()
        return [event for event in events if event is not None]

    def _take(self, line: bytes) -> Event | None:
        """The event that a line ends; None where it ends none."""
        if self._is_first:
            line, self._is_first = line.removeprefix(_MARK), False
        if not line and self._data:
            event = Event(self._kind, b"\n".join(self._data))
            self._data.clear()
            self._kind, self._size, self._between = b"", 0, 0
            return event
        field, _, value = line.partition(b":")
        if field != b"data":
            self._between += len(line) + 1
            if self._between > _MOST_BETWEEN:
                raise EventTooLongError(f"more than {_MOST_BETWEEN >> 20} MiB without data")
        if not line:
            self._kind = b""
        if field == b"event":
            self._kind = value.removeprefix(b" ")[:_LONGEST_KIND]
        if field == b"data":
            self._size += len(value) + 1
            if self._size > self._longest:
                raise self._too_long()
            self._data.append(value.removeprefix(b" "))
        return None

    def _too_long(self) -> EventTooLongError:
        return EventTooLongError(f"an event of more than {self._longest >> 20} MiB")
