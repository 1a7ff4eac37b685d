"""Answers HTTP/1.1 and HTTPS at the sockets by which a contained process finds the hosts that its author names.

The process may be hostile: what it sends is limited, and a connection that sends nothing ends.
"""

import contextlib
import errno
import selectors
import socket
import threading
from collections.abc import Sequence
from functools import partial
from typing import Final

from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.recording.service import Asked, Service, reset

Named = tuple[socket.socket, tuple[str, int]]
"""A listening socket, with the host and the port that it stands for."""

_MOST: Final = 64
"""Connections at a time; further ones are refused."""
_IDLE: Final = 60.0
"""Seconds in which a connection has to send or take something."""
_END: Final = 10.0
"""Seconds that the end may take."""
_PAUSE: Final = 0.1
"""Seconds in which a socket takes no connection after the system had nothing left for one."""
_SCARCE: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_HANDSHAKE: Final = b"\x16"
"""The first byte of a client that speaks TLS."""


class HttpGateway:
    """Answers the connections of one process, in threads of its own, until it is closed."""

    def __init__(self, named: Sequence[Named], service: Service) -> None:
        self._named, self._service = named, service
        self._lock = threading.Lock()
        self._open: dict[threading.Thread, socket.socket] = {}
        self._closed = False
        self._waker, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._accept, name="aptix-recorded-services", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End all connections. Harmless when repeated."""
        with self._lock:
            was_closed, self._closed = self._closed, True
        if was_closed:
            return
        self._waker.send(b".")
        self._thread.join(_END)
        with self._lock:
            left = dict(self._open)
        for line in left.values():
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
        for thread in left:
            thread.join(_END)
        for line in (*(listener for listener, _ in self._named), self._waker, self._woken):
            line.close()

    def _accept(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._woken, selectors.EVENT_READ)
            for listener, place in self._named:
                listener.settimeout(0)
                selector.register(listener, selectors.EVENT_READ, place)
            paused: list[selectors.SelectorKey] = []
            while not self._closed:
                ready = selector.select(_PAUSE if paused else None)
                for key in paused if not ready else ():
                    selector.register(key.fileobj, key.events, key.data)
                paused = paused if ready else []
                for key, _ in ready:
                    if key.data is not None and not self._take(key):
                        paused.append(key)
                        selector.unregister(key.fileobj)

    def _take(self, key: selectors.SelectorKey) -> bool:
        """Take a connection; False where the system has nothing left for one, so that a listener is ready all the time."""
        assert isinstance(key.fileobj, socket.socket)
        try:
            line = key.fileobj.accept()[0]
        except OSError as error:  # who connected may have gone already
            return error.errno not in _SCARCE
        self._begin(line, *key.data)
        return True

    def _begin(self, line: socket.socket, host: str, port: int) -> None:
        line.settimeout(_IDLE)
        thread = threading.Thread(target=self._serve, args=(line, host, port), daemon=True)
        with self._lock:
            is_taken = not self._closed and len(self._open) < _MOST
            if is_taken:
                self._open[thread] = line
        if is_taken:
            try:
                thread.start()
            except RuntimeError:  # the system has no thread left
                is_taken = False
                with self._lock:
                    del self._open[thread]
        if not is_taken:
            reset(line)

    def _serve(self, line: socket.socket, host: str, port: int) -> None:
        try:
            # What a hostile client sends makes parsers raise ValueError or RecursionError. No certificate can be made without cryptography.
            with contextlib.suppress(OSError, ValueError, RecursionError, ConfigurationError):
                self._converse(line, host, port)
        finally:
            with self._lock:
                last = self._open.pop(threading.current_thread())
            last.close()

    def _converse(self, line: socket.socket, host: str, port: int) -> None:
        if not self._service.takes_connection():
            reset(line)
            return
        is_tls = line.recv(1, socket.MSG_PEEK) == _HANDSHAKE
        if is_tls:
            try:
                line = self._service.context(host).wrap_socket(line, server_side=True)
            except OSError:
                self._service.end_handshake(is_trusted=False)
                raise
            self._service.end_handshake(is_trusted=True)
            with self._lock:
                self._open[threading.current_thread()] = line
        from aptix_conformance.recording.connection import Connection  # noqa: PLC0415 - slow to import, and rarely needed

        Connection(line, self._service, partial(Asked, host=host, port=port, is_tls=is_tls))
