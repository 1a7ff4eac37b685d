"""A host that is a command of its own: started inside its containment, and ended with all that it started.

The command is run by `launcher.py` like the interpreter of a Python tool, so that it writes nowhere but in its scratch
directory, reaches no network, and goes with everything below it when it is ended. It speaks the host protocol on one
descriptor, which the variable `APTIX_HOST_FD` names.
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from aptix_conformance.errors import HostError, TargetError
from aptix_conformance.hosts import processes, protocol, scratch
from aptix_conformance.hosts.host import Environment
from aptix_conformance.hosts.launched import Held, Launch, Launched, held_by
from aptix_conformance.hosts.supervisor import Supervised

CHANNEL: Final = "APTIX_HOST_FD"
"""The variable that holds the number of the channel's descriptor: a connected stream socket, to read and to write."""

_LONGEST_REPORT: Final = 4096
"""Bytes of what the launcher says of the containment."""


@dataclass(frozen=True, slots=True)
class Command:
    """What is run: `words` with the program's path first, and the variables that it gets besides the suite's own."""

    words: tuple[str, ...]
    env: Mapping[str, str]
    contained: bool


@dataclass(frozen=True, slots=True)
class Running:
    """A process and what reaches it: the protocol channel, and the ends of its standard output and error.

    `end` ends it with all that it started and gives its exit status; `tidy` removes its scratch directory afterwards.
    """

    pid: int
    channel: socket.socket
    streams: tuple[int, int]
    end: Callable[[], int]
    tidy: Callable[[], None]


def find_program(words: tuple[str, ...], root: Path) -> tuple[str, ...]:
    """A command whose program and files are absolute: it is run in another directory than it was written for.

    A program with a slash in it is a path from the root directory, any other is looked up on PATH; a further word that
    is the path of a file from the root directory stands for that file.

    Raises:
        TargetError: there is no such program.
    """
    first = words[0]
    found = shutil.which(str(root / first) if "/" in first else first)
    if found is None:
        where = f"{root / first} is no program" if "/" in first else f"there is no program {first!r} on PATH"
        raise TargetError(f"{where}: install it, or name it by its path from {root}")
    rest = (str(root / word) if _is_file(root, word) else word for word in words[1:])
    return (str(Path(found).absolute()), *rest)


def _is_file(root: Path, word: str) -> bool:
    try:
        return (root / word).is_file()
    except (OSError, ValueError):
        return False


class Program:
    """One process of a command (`tool_process.Origin`), which `spawn` hands out once.

    Attributes:
        held: what holds it; "none" until that is known.
    """

    def __init__(self, name: str, command: Command, environment: Environment, place: Path) -> None:
        """Start it; `place` is a new directory, the only one in which it may write. `name` is the host's, for messages.

        Raises:
            HostError: no process could be started.
        """
        self.held = Held("none")
        self._name = name
        self._environment = environment
        self._place = place
        self._launched = Launched(
            Launch(
                name,
                lambda control: (command.words, self._variables(command, control)),
                place,
                environment.limits,
                contained=command.contained,
                stdin=subprocess.PIPE,  # where nobody ever writes: who reads it waits, as at a terminal
                adopt=True,
            )
        )
        try:
            said = _what_launcher_says(self._launched, name, time.monotonic() + environment.limits.start)
            self.held = held_by(said)
            self._launched.settle(said)
        except HostError:
            self._launched.kill()
            self._release()
            raise

    @property
    def ended(self) -> bool:
        """Never: the process is the tool's own, and where it ends that is the tool's doing."""
        return False

    def spawn(self, name: str, abandon: Callable[[], None]) -> tuple[Supervised, Callable[[], None]]:  # noqa: ARG002 - an origin's
        """See `tool_process.Origin`."""
        supervised = Supervised(
            name,
            self._launched.launcher,
            self._launched.channel,
            self._launched.streams,
            self._launched.kill,
            self._environment.limits,
            lambda: processes.family([self._launched.first]),
        )
        return supervised, self._tidy

    def hand_over(self) -> "Running":
        """The running process with its descriptors, for who speaks to it without a supervisor; instead of `spawn`."""
        launched = self._launched
        return Running(launched.launcher, launched.channel, launched.streams, launched.kill, self._tidy)

    def collect_coverage(self) -> None:
        """Nothing: what a program measures of itself is its own affair."""

    def _variables(self, command: Command, control: int) -> dict[str, str]:
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "HOME": str(self._place),
            "TMPDIR": str(self._place),
            **self._environment.canaries,
            **command.env,
            CHANNEL: str(control),
        }

    def _release(self) -> None:
        """Let go of what nobody has taken over."""
        self._launched.channel.close()
        for fd in self._launched.streams:
            os.close(fd)
        self._tidy()

    def _tidy(self) -> None:
        self._launched.close_stdin()
        scratch.remove(self._place)


def _what_launcher_says(launched: Launched, name: str, deadline: float) -> Mapping[str, Any]:
    """What the launcher says before it becomes the command: the first line, and all that comes before anybody asks.

    Raises:
        HostError: it said nothing in time, or something else.
    """
    line = b""
    while not line.endswith(b"\n") and len(line) < _LONGEST_REPORT:
        launched.channel.settimeout(max(0.01, deadline - time.monotonic()))
        try:
            data = launched.channel.recv(_LONGEST_REPORT)
        except (TimeoutError, ConnectionError):
            data = b""
        if not data:
            raise HostError(f"{name} did not start: its launcher did not say what contains it")
        line += data
    message = protocol.read(line.rstrip(b"\n"), name)
    if not isinstance(message, protocol.Event) or message.method != "launched":
        raise HostError(f"{name} did not say what contains it")
    return message.params
