"""What answers in place of a service: a request, its answer, and who gives it."""

import contextlib
import socket
import ssl
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from aptix_conformance.recording.exchanges import Request

_NO_LINGERING: Final = struct.pack("ii", 1, 0)
"""The option that makes a socket send a reset when it is closed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, with its headers."""

    request: Request
    host: str
    port: int
    is_tls: bool
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer. With `is_cut`, half of the body is sent, and then the connection ends."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""
    is_cut: bool = False


class Service(Protocol):
    """What answers. It is called from several threads."""

    def takes_connection(self) -> bool:
        """Whether a new connection is taken; otherwise it is reset."""

    def context(self, host: str) -> ssl.SSLContext:
        """What is needed to speak TLS as a host: a client has begun to.

        Raises:
            OSError: the connection ends; the host does not speak TLS.
        """

    def end_handshake(self, *, is_trusted: bool) -> None:
        """A client took the certificate, or did not."""

    def answer(self, asked: Asked) -> Reply | None:
        """The answer to a request; None where the connection is reset."""


def reset(line: socket.socket) -> None:
    """End a connection so that the other side sees an error."""
    with contextlib.suppress(OSError):
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGERING)
    line.close()
