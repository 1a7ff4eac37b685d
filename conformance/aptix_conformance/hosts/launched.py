"""A command that was started inside its containment by `launcher.py`, and the surest way to end it.

In a PID namespace the end of the first process ends all others: the surest means there is against processes that
multiply. The launcher is then one process, the first below it another, and the command's a third; where there is no
such namespace they are one.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from aptix_conformance.errors import HostError
from aptix_conformance.hosts import processes
from aptix_conformance.hosts.host import Limits
from aptix_conformance.hosts.supervisor import THREADS_A_PROCESS
from aptix_conformance.model.verdict import Containment
from aptix_conformance.runners.paths import START

_PATIENCE: Final = 10.0
"""Seconds that a namespace may take to end: the kernel waits for each process in it."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How a command is started.

    Attributes:
        name: what it is called in messages.
        command: gives its words and its environment for the number of its end of the channel.
        place: the only directory in which it may write.
        limits: what its processes may use.
        contained: whether to contain it.
        stdin: its standard input, as `subprocess.Popen` takes it.
        adopt: whether orphans go to it where no PID namespace has a process for them.
    """

    name: str
    command: Callable[[int], tuple[Sequence[str], Mapping[str, str]]]
    place: Path
    limits: Limits
    contained: bool
    stdin: int = subprocess.DEVNULL
    adopt: bool = False

    def words(self, control: int) -> tuple[list[str], Mapping[str, str]]:
        """The words that start the launcher, and its environment; `control` is the command's end of the channel."""
        words, env = self.command(control)
        config = {
            "command": words,
            "control": control,
            "scratch": str(self.place),
            "contained": self.contained,
            "bytes": self.limits.scratch,
            "tasks": self.limits.processes * THREADS_A_PROCESS * 2,
            "adopt": self.adopt,
        }
        return [sys.executable, "-I", "-S", str(START), "contain.launcher", json.dumps(config)], env


@dataclass(frozen=True, slots=True)
class Held:
    """What the launcher could hold a process with; `fault` is why it is not contained though it should be."""

    level: Containment
    fault: str | None = None


def held_by(said: Mapping[str, Any]) -> Held:
    """What holds a process, from what its launcher said of it before any code of the tool ran."""
    fault = said.get("fault")
    if fault or not said.get("contained"):
        return Held("none", fault)
    return Held("namespaces" if said.get("pids") and said.get("mounts") else "confined")


class Launched:
    """A process of a command, running from the start.

    Attributes:
        channel: our end of the socket pair whose other end the command has.
        streams: the ends of its standard output and error, to read from. Who takes them and the channel closes them.
        launcher: the process that was started.
        first: the process whose end ends all others, as soon as `settle` has learnt it; the launcher until then.
        pid: the command's own process, likewise.
    """

    def __init__(self, launch: Launch) -> None:
        """Start it.

        Raises:
            HostError: no process could be started.
        """
        self._name = launch.name
        ours, theirs = socket.socketpair()
        with theirs:
            words, env = launch.words(theirs.fileno())
            try:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own file
                    words,
                    env=env,
                    stdin=launch.stdin,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,  # Ctrl-C is for the test run to handle
                    cwd=launch.place,
                )
            except (OSError, ValueError) as error:
                ours.close()
                raise HostError(f"{launch.name} could not be started: {error}") from error
        self.channel = ours
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        with self._process.stdout as out, self._process.stderr as err:
            self.streams = (os.dup(out.fileno()), os.dup(err.fileno()))
        self.launcher = self.first = self.pid = self._process.pid

    @property
    def ended(self) -> bool:
        """Whether the launcher is gone, and all below it."""
        return self._process.poll() is not None

    def settle(self, said: Mapping[str, Any]) -> None:
        """Learn from what the launcher says of the containment which processes there are.

        Raises:
            HostError: they are gone.
        """
        if said.get("pids"):
            self.first = self._only_child(self.launcher)
            self.pid = self._only_child(self.first)

    def kill(self) -> int:
        """End it with all that it started; gives its exit status."""
        if not self.ended:
            if self.first == self.launcher:
                processes.kill_tree(self.first)
            else:
                processes.kill(self.first)  # and the kernel all others, before the launcher learns of it
                with contextlib.suppress(subprocess.TimeoutExpired):
                    return self._process.wait(_PATIENCE)
                self._process.kill()
        return self._process.wait()

    def close_stdin(self) -> None:
        """Let go of our end of its standard input, where there is one."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def _only_child(self, pid: int) -> int:
        found = processes.children(pid)
        if len(found) != 1:
            raise HostError(f"{self._name} ended as soon as it had started")
        return found[0]
