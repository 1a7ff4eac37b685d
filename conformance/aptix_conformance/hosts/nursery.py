"""The suite's side of the nursery (`runners/contain/nursery.py`): it forks launchers, where starting each would cost an interpreter."""

import atexit
import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from aptix_conformance.hosts import processes
from aptix_conformance.runners.paths import START

_PATIENCE: Final = 30.0
"""Seconds for an answer; forking takes milliseconds."""


class Forked:
    """A child that the nursery forked, with as much of `subprocess.Popen` as `Launched` needs."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._status: int | None = None

    def poll(self) -> int | None:
        """The exit status; None while it runs."""
        if self._status is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # this process ignores how its children end
                pid, status = self.pid, 0
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
        return self._status

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; returns the exit status.

        Raises:
            TimeoutExpired: it runs for longer than `timeout` seconds.
        """
        if self.poll() is None:
            pidfd = processes.open_pidfd(self.pid)
            try:
                ended = processes.has_ended(self.pid, pidfd, _PATIENCE if timeout is None else timeout)
                while timeout is None and not ended:
                    ended = processes.has_ended(self.pid, pidfd, _PATIENCE)
            finally:
                if pidfd is not None:
                    os.close(pidfd)
        if (status := self.poll()) is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return status

    def kill(self) -> None:
        """Send SIGKILL, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, 9)


class Nursery:
    """The nursery of this process, which starts with the first launch; where it cannot serve, `fork` always returns None."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0
        self._socket: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def fork(
        self, config: str, env: Mapping[str, str], place: Path, control: int, descriptors: Sequence[int]
    ) -> Forked | None:
        """A new launcher; None where one has to be started.

        Args:
            config: what `launcher.main` takes.
            env: the whole environment of its command.
            place: its working directory.
            control: the number under which it has its end of the channel.
            descriptors: that end, and its standard input, output and error.
        """
        with self._lock:
            if self._owner != os.getpid():
                self._start()
            if self._socket is None:
                return None
            request = {"config": config, "env": dict(env), "place": str(place), "control": control}
            try:
                with os.fdopen(os.memfd_create("launch"), "wb") as stream:
                    stream.write(json.dumps(request).encode())
                    stream.flush()
                    socket.send_fds(self._socket, [b"\n"], [*descriptors, stream.fileno()])
                    answer = self._answer()
            except OSError:
                answer = b""
            if not answer.isdigit():
                self.close()  # ended by a tool, for example; the next launches do without
                return None
            return Forked(int(answer))

    def _start(self) -> None:
        self._owner = os.getpid()
        self._socket = None
        ours, theirs = socket.socketpair()
        ours.settimeout(_PATIENCE)
        with theirs:
            words = [sys.executable, "-I", "-S", str(START), "contain.nursery", str(theirs.fileno())]
            try:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own file
                    words,
                    env={},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                    cwd="/",
                )
            except OSError:
                ours.close()
                return
        self._socket = ours
        atexit.register(self.close)
        if self._answer() != b"yes":
            self.close()

    def _answer(self) -> bytes:
        """The next line; empty where there is none."""
        assert self._socket is not None
        line = b""
        with contextlib.suppress(OSError):
            while not line.endswith(b"\n") and (part := self._socket.recv(256)):
                line += part
        return line.rstrip(b"\n")

    def close(self) -> None:
        """End it. Harmless when repeated, and in a process that was forked."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self._process is not None and self._owner == os.getpid():
            self._process.wait()
            self._process = None


NURSERY: Final = Nursery()
