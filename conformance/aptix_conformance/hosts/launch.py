"""A command that `launcher.py` started inside its containment, and how to end it.

In a PID namespace, the end of the first process ends all others. Nothing is more reliable against processes that
multiply. The launcher, the first process of the namespace and the command are then three processes, each the parent of
the next. Without a PID namespace the launcher is the first process: it ends what is below it when the command or the suite ends.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from aptix_conformance.core.errors import HostError
from aptix_conformance.core.model.containment import STRENGTH, Containment, ContainmentLevel
from aptix_conformance.hosts import processes
from aptix_conformance.hosts.conditions import OF_LAUNCHER, PID
from aptix_conformance.hosts.host import Limits
from aptix_conformance.hosts.nursery import NURSERY, Forked
from aptix_conformance.hosts.required_containment import SWITCHED_OFF
from aptix_conformance.hosts.supervisor import THREADS_A_PROCESS
from aptix_conformance.runners.paths import START

ENVIRONMENT: Final = "APTIX_ENVIRONMENT_FD"
"""The variable with the number of the descriptor from which a launcher reads the environment of its command.

In the launcher's own, a variable such as LD_PRELOAD would run code before anything contains it.
"""
_LONGEST_PART: Final = 100_000
"""Bytes of an argument: Linux limits one to 128 KiB."""
_PATIENCE: Final = 10.0
"""Seconds that the end of all processes may take: each of them is waited for."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a command.

    Attributes:
        name: its name in messages.
        command: returns its words and its environment, given the descriptor of its end of the channel.
        place: the only directory in which it may write.
        home: its working directory, `place` or a new directory below it.
        files: a directory whose contents are copied to its working directory; None for none.
        visible: paths that it may read, in addition to the programs of every machine.
        hidden: paths below these that it may not see, where the machine can hide them.
        limits: what its processes may use.
        contained: whether to contain it.
        stdin: its standard input, as `subprocess.Popen` takes it.
        least: the containment without which it is not started.
        loopback: whether it gets a loopback interface of its own, which nobody else reaches, and may use TCP there.
        interface: whether it gets that interface without TCP, so that the kernel does not count this machine as another one.
        renames: whether its machine gets another host name, where there are namespaces.
        network: the hosts and ports that it may reach; `loopback` is needed for them.
        answered: whether this process answers as these hosts, so that the command reaches none.
        texts: files that it finds with a text of ours, by their paths, where it has a root of its own.
        starts_tool: whether it is ours, and starts the tool as a child whose limits it may change.
    """

    name: str
    command: Callable[[int], tuple[Sequence[str], Mapping[str, str]]]
    place: Path
    home: Path
    files: Path | None
    limits: Limits
    contained: bool
    visible: Sequence[str] = ()
    hidden: Sequence[str] = ()
    stdin: int = subprocess.DEVNULL
    least: ContainmentLevel = "none"
    loopback: bool = False
    interface: bool = False
    renames: bool = False
    network: Sequence[tuple[str, int]] = ()
    answered: bool = False
    texts: Mapping[str, str] = field(default_factory=dict)
    starts_tool: bool = False

    def configured(self, control: int) -> tuple[str, Mapping[str, str]]:
        """The argument of the launcher and its environment. `control` is the command's end of the channel."""
        words, env = self.command(control)
        config = {
            "command": words,
            "control": control,
            "scratch": str(self.place),
            "home": str(self.home),
            "files": str(self.files or ""),
            "visible": list(dict.fromkeys(self.visible)),
            "hidden": list(self.hidden),
            "contained": self.contained,
            "bytes": self.limits.scratch,
            "tasks": self.limits.processes * THREADS_A_PROCESS * 2,
            "suite": os.getpid(),
            "least": self.least,
            "loopback": self.loopback,
            "interface": self.interface,
            "renames": self.renames,
            "network": list(self.network),
            "answered": self.answered,
            "texts": dict(self.texts),
            "starts_tool": self.starts_tool,
        }
        return json.dumps(config), env


@dataclass(frozen=True, slots=True)
class Held:
    """The containment that the launcher reached. `fault` says why a process that should be contained is not.

    `forbidden` says why its tool is not called, though it is contained. `changed`: the conditions `OF_LAUNCHER` that hold.
    """

    containment: Containment
    fault: str | None = None
    forbidden: str | None = None
    changed: frozenset[str] = frozenset({PID})


def held_by(report: Mapping[str, Any]) -> Held:
    """The containment of a process, from the params of `launched`, which come before any code of the tool runs."""
    fault = report.get("fault")
    if not report.get("contained"):
        return Held(SWITCHED_OFF, fault)
    reasons = (*([fault] if fault else []), *report.get("weaker", ()))
    level: ContainmentLevel = report["level"] if report.get("level") in STRENGTH else "none"
    changed = frozenset(name for name in OF_LAUNCHER if report.get(name) is True)
    return Held(Containment(level, reasons), fault, changed=changed)


class Launched:
    """A process of a command. The constructor starts it.

    Attributes:
        channel: our end of the socket pair; the command has the other end.
        streams: our ends of its standard output and error. The user of the channel and the streams closes them.
        launcher: the PID of the process that was started.
        first: the PID of the process whose end ends all others; the launcher until `settle` finds the right one.
        pid: the PID of the command's own process; the launcher until `settle` finds the right one.
    """

    def __init__(self, launch: Launch) -> None:
        """Start the process.

        Raises:
            HostError: no process could be started.
        """
        self._name = launch.name
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self.process, self._stdin, self.streams = _started(launch, theirs.fileno())
            except (OSError, ValueError) as error:
                ours.close()
                raise HostError(f"{launch.name} could not be started: {error}") from error
        self.channel = ours
        self.launcher = self.first = self.pid = self.process.pid

    @property
    def ended(self) -> bool:
        """Whether the launcher has ended, and with it all processes below it."""
        return self.process.poll() is not None

    def wait(self, seconds: float) -> bool:
        """Wait for the end of the launcher, up to some seconds; returns whether it has ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        return self.ended

    def settle(self, report: Mapping[str, Any]) -> None:
        """Find the first process and the command's process. `report` are the params of `launched`.

        A process that has ended already is not found: the reader of the channel learns that it ended, and what it printed.

        Raises:
            HostError: there are several where one is expected.
        """
        if report.get("pids"):
            self.first = self._only_child(self.launcher)
            self.pid = self._only_child(self.first)
        else:
            self.pid = processes.find_child(report.get("pid", 0), self.launcher) or self.launcher

    def kill(self) -> int:
        """End the process and all that it started. Returns the exit status."""
        if not self.ended:
            if self.first == self.launcher:
                os.kill(self.launcher, signal.SIGTERM)  # it ends all others, and then itself
            else:
                processes.kill(self.first)  # the kernel then ends all others before it notifies the launcher
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self.process.wait(_PATIENCE)
            processes.kill_tree(self.launcher)
        return self.process.wait()

    def close_stdin(self) -> None:
        """Close our end of its standard input, where there is one."""
        if self._stdin is not None:
            os.close(self._stdin)
            self._stdin = None

    def _only_child(self, pid: int) -> int:
        """The child of a process; the process itself where it has none any more."""
        children = processes.children(pid)
        if len(children) > 1:
            raise HostError(f"{self._name} started {len(children)} processes where one was expected")
        return children[0] if children else pid


def _started(
    launch: Launch, control: int
) -> tuple[subprocess.Popen[bytes] | Forked, int | None, tuple[int, int]]:
    """Start a launcher: the process, our end of its standard input if it has one, and those of its standard output and error.

    Raises:
        OSError: no process could be started.
        ValueError: its argument or its environment has a NUL.
    """
    argument, env = launch.configured(control)
    with contextlib.ExitStack() as mine, contextlib.ExitStack() as theirs:

        def pipe(ours: int) -> tuple[int, int]:
            """Our end of a new pipe and the other one; `ours` is 0 for its reader and 1 for its writer."""
            ends = os.pipe()
            mine.callback(os.close, ends[ours])
            theirs.callback(os.close, ends[1 - ours])
            return ends[ours], ends[1 - ours]

        our_out, out = pipe(0)
        our_err, err = pipe(0)
        if launch.stdin == subprocess.PIPE:
            our_in, stdin = pipe(1)
        else:
            our_in, stdin = None, os.open(os.devnull, os.O_RDONLY)
            theirs.callback(os.close, stdin)
        process: subprocess.Popen[bytes] | Forked | None = None
        if launch.contained:
            process = NURSERY.fork(argument, env, launch.place, control, (control, stdin, out, err))
        if process is None:
            variables = os.memfd_create("environment")
            theirs.callback(os.close, variables)
            os.pwrite(variables, json.dumps(dict(env)).encode(), 0)
            parts = [
                argument[start : start + _LONGEST_PART] for start in range(0, len(argument), _LONGEST_PART)
            ]
            process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own file
                [sys.executable, "-I", "-S", str(START), "contain.launcher", *parts],
                env={"LC_ALL": "C.UTF-8", ENVIRONMENT: str(variables)},
                stdin=stdin,
                stdout=out,
                stderr=err,
                pass_fds=(control, variables),
                start_new_session=True,  # Ctrl-C is for the test run to handle
                cwd=launch.place,
            )
        mine.pop_all()
        return process, our_in, (our_out, our_err)
