"""Lines of JSON over a socket."""

import socket
import threading
from typing import Any, Final

from .codec import decode, encode

_CHUNK: Final = 65_536  # bytes per read; a larger buffer takes longer to allocate than to read


class Channel:
    """Reads and writes messages, one per line. Any thread may write.

    Attributes:
        fds: descriptors received with the lines, oldest first.
    """

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        self.fds: list[int] = []
        self._lock = threading.Lock()
        self._arrived = bytearray()

    def send(self, message: dict[str, Any]) -> None:
        """Write one message.

        Raises:
            OSError: the other side has ended, or the tool closed the descriptor.
        """
        data = encode({"jsonrpc": "2.0"} | message).encode() + b"\n"
        with self._lock:
            self.socket.sendall(data)

    def receive_with_fds(self) -> list[dict[str, Any]] | None:
        """As `receive`, but waits, and also receives descriptors.

        Raises:
            OSError: the other side has ended, or the tool closed the descriptor.
        """
        data, fds, _, _ = socket.recv_fds(self.socket, _CHUNK, 8)
        self.fds += fds
        return self._cut(data)

    def receive(self) -> list[dict[str, Any]] | None:
        """The complete messages that have arrived, perhaps none. None at the end of the stream.

        Raises:
            OSError: as above, or no data has arrived.
        """
        return self._cut(self.socket.recv(_CHUNK, socket.MSG_DONTWAIT))

    def _cut(self, data: bytes) -> list[dict[str, Any]] | None:
        if not data:
            return None
        self._arrived += data
        if b"\n" not in data:
            return []
        *lines, rest = self._arrived.split(b"\n")
        self._arrived = rest
        return [decode(line) for line in lines]
