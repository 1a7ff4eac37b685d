"""A connection with a server at a URL, which may be started here: what both transports over HTTP share."""

import contextlib
import os
import queue
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from typing import Final

from .connection import GENTLY, Connection, Message, ServerEndedError
from .exchange import Endpoint, Exchange
from .family import Family
from .starting import start

MOST_WAITING: Final = 1_000
"""Messages that wait to be read; a thread with more waits, and the server with it."""
MOST_OPEN: Final = 6
"""Requests on their way at once: a simple server lets that many connections wait, and resets others."""
_PAUSE: Final = 0.05
_LAST_WORDS: Final = 0.5
"""Seconds from a broken connection to the end of the server; they decide on the message only."""
_FIXES: Final = {
    ConnectionRefusedError: "; start it, or correct the URL",
    socket.gaierror: "; correct the URL, or this machine's name service",
}
"""Advice where no connection is possible."""


class UrlConnection(Connection):
    """Messages arrive in threads, which put them into a queue.

    Attributes:
        endpoint: where the server answers.
        process: the server, where it was started here.
    """

    def __init__(self, endpoint: Endpoint, process: "subprocess.Popen[bytes] | None") -> None:
        super().__init__()
        self.endpoint = endpoint
        self.process = process
        self.watched = None
        self._arrived: queue.Queue[Message | ServerEndedError] = queue.Queue(MOST_WAITING)
        self._open: set[Exchange] = set()
        if process is not None:
            self.pid = process.pid
            self.watched = os.pidfd_open(process.pid)

    def close(self) -> None:
        """End the server that was started here, and close what is open."""
        self.let_go()
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)  # what it started may hold the port
            self.process.wait()

    def let_go(self) -> None:
        """Close what is open, and leave the server running."""
        for exchange in tuple(self._open):
            exchange.close()
        if self.watched is not None:
            os.close(self.watched)
            self.watched = None

    def end_gently(self) -> bool:
        """See `Connection`: a signal that the server catches tells it to end. It must have been started here."""
        if self.process is None:
            return False
        is_caught = _catches(self.process.pid)
        stop_signal = (
            signal.SIGINT if is_caught(signal.SIGINT) and not is_caught(signal.SIGTERM) else signal.SIGTERM
        )
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, stop_signal)
        family, until = Family(self.process.pid), self.process.poll
        began = family.now()
        while until() is None and family.now() - began < GENTLY:
            time.sleep(_PAUSE)
        return until() is not None

    def _read(self, seconds: float | None = None) -> None:
        try:
            arrived = self._arrived.get(timeout=seconds)
        except queue.Empty:
            return
        if isinstance(arrived, ServerEndedError):
            raise self._ended(arrived)
        self._messages.append(arrived)

    def _has_arrived(self) -> bool:
        return not self._arrived.empty()

    def check(self) -> None:
        """The server that was started here has ended.

        Raises:
            ServerEndedError: always.
        """
        raise self._ended(ServerEndedError("it ended"))

    def _wait_until_reached(self) -> None:
        """Wait until a connection is possible; the suite limits the time."""
        assert self.process is not None
        while self.process.poll() is None:
            try:
                self.endpoint.connect().close()
            except PermissionError as error:
                raise ServerEndedError(
                    f"this machine gives a contained server no network of its own ({error.strerror}), so one over HTTP "
                    "cannot be started in the containment"
                ) from error
            except OSError:
                time.sleep(_PAUSE)
            else:
                return
        raise self._ended(ServerEndedError("it ended"))

    def _ended(self, why: ServerEndedError) -> ServerEndedError:
        if self.process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                status = self.process.wait(_LAST_WORDS)
                how = f"signal {-status}" if status < 0 else f"exit status {status}"
                return ServerEndedError(f"the server ended with {how}")
        host, port = self.endpoint.place
        fix = next((fix for kind, fix in _FIXES.items() if isinstance(why.__cause__, kind)), "")
        return ServerEndedError(f"the server at {host}:{port} did not answer: {why}{fix}")


def started(command: list[str], directory: str | None) -> "subprocess.Popen[bytes]":
    """Start a server; its output goes to standard error, since over HTTP standard output is free."""
    env = {name: value for name, value in os.environ.items() if name != "APTIX_HOST_FD"}
    try:
        return start(
            command, cwd=directory, env=env, stdin=subprocess.DEVNULL, stdout=2, start_new_session=True
        )
    except OSError as error:
        raise ServerEndedError(f"the server cannot be started: {error}") from error


def _catches(pid: int) -> Callable[[signal.Signals], bool]:
    """Says which signals a process catches; none where that is not known."""
    caught = 0
    with contextlib.suppress(OSError, ValueError), open(f"/proc/{pid}/status", encoding="utf-8") as file:
        caught = next((int(line.split()[1], 16) for line in file if line.startswith("SigCgt:")), 0)
    return lambda number: bool(caught >> (number - 1) & 1)
