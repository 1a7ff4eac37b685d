"""A host that is a command: `launcher.py` starts it inside its containment.

Like the interpreter of a Python tool, the command writes only in its scratch directory and reaches no network, and it
ends together with all its descendants. It speaks the host protocol on one descriptor, whose number is in the variable
`APTIX_HOST_FD`.
"""

import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from aptix_conformance.core.errors import ContainmentError, HostError, TargetError
from aptix_conformance.core.files import is_file
from aptix_conformance.core.model.containment import Containment, ContainmentLevel
from aptix_conformance.hosts import processes, protocol, scratch
from aptix_conformance.hosts.gateway import Gateway
from aptix_conformance.hosts.hang_cause import Caller
from aptix_conformance.hosts.host import Environment
from aptix_conformance.hosts.launch import Held, Launch, Launched, held_by
from aptix_conformance.hosts.own_time import Deadline, ThreadFigures
from aptix_conformance.hosts.readable_paths import executable_of
from aptix_conformance.hosts.required_containment import SWITCHED_OFF, check_containment
from aptix_conformance.hosts.supervisor import Supervised
from aptix_conformance.targets.endpoints import MOST_HOSTS

CHANNEL: Final = "APTIX_HOST_FD"
"""The variable that holds the number of the channel's descriptor: a connected stream socket, for both directions."""

_LONGEST_REPORT: Final = 4096
"""Maximum bytes of the launcher's report on the containment."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command to run: `words` begins with the path of the program; `env` are variables in addition to the suite's own."""

    words: tuple[str, ...]
    env: Mapping[str, str]
    contained: bool
    files: Path | None = None
    """A directory whose contents are copied to its working directory."""
    visible: tuple[str, ...] = ()
    """Paths that it may read, in addition to the programs of every machine."""
    hidden: tuple[str, ...] = ()
    """Paths below these that it may not see."""
    loopback: bool = False
    """Whether it gets a loopback interface of its own, and may use TCP there."""
    interface: bool = False
    """Whether it gets that interface without TCP."""
    renames: bool = False
    """Whether its machine gets another host name."""
    network: tuple[tuple[str, int], ...] = ()
    """The hosts and ports that it may reach, where it is contained. It then gets that interface, with TCP."""
    starts_tool: bool = False
    """Whether the tool is no part of the command's own process, but of its only child."""
    uncontained: Containment = SWITCHED_OFF
    """The name of its containment where it is not contained."""


@dataclass(frozen=True, slots=True)
class Running:
    """A process with its protocol channel and our ends of its standard output and error.

    `end` ends the process and all that it started, and returns its exit status. `tidy` then removes its scratch
    directory.
    """

    pid: int
    channel: socket.socket
    streams: tuple[int, int]
    end: Callable[[], int]
    tidy: Callable[[], None]


def find_program(words: tuple[str, ...], root: Path) -> tuple[str, ...]:
    """The command with absolute paths, because it runs in another directory.

    A program with a slash is a path relative to the root directory; any other is searched on PATH. A further word that
    is the path of a file relative to the root directory is made absolute.

    Raises:
        TargetError: there is no such program.
    """
    first = words[0]
    path = shutil.which(str(root / first) if "/" in first else first)
    if path is None:
        where = (
            f"{root / first} is not a program" if "/" in first else f"there is no program {first!r} on PATH"
        )
        raise TargetError(f"{where}: install it, or name it by its path from {root}")
    rest = (str(root / word) if is_file(root / word) else word for word in words[1:])
    return (behind_shim(str(Path(path).absolute()), lambda shim: executable_of(shim, root)), *rest)


def behind_shim(program: str, ask: Callable[[str], str]) -> str:
    """The program that the shim of a version manager starts; any other program is itself.

    A shim starts the manager, which is no part of what a contained tool sees. `ask` gives the interpreter that a shim starts;
    empty where it cannot be asked.

    Raises:
        TargetError: it is the shim of a program that is no Python interpreter.
    """
    path = Path(program)
    if path.parent.name != "shims":
        return program
    interpreter = ask(program) if path.name.startswith("python") else ""
    if interpreter and Path(interpreter).parent.name != "shims":
        return interpreter
    raise TargetError(
        f"{program} is the shim of a version manager, which does not start inside the containment: name the program "
        f"itself, by the path that `pyenv which {path.name}` or your manager's command prints"
    )


class Program:
    """One process of a command (`tool_process.Origin`). Call `spawn` or `hand_over` once.

    Attributes:
        held: its containment; "none" until that is known.
    """

    def __init__(self, name: str, command: Command, environment: Environment, place: Path) -> None:
        """Start the process. `place` is a new directory, the only one in which it may write; `name` is for messages.

        Raises:
            HostError: no process could be started.
        """
        self.held = Held(Containment("none"))
        self._name = name
        self._environment = environment
        self._starts_tool = command.starts_tool
        self._place = place
        self._directories = scratch.ToolDirectories(place)
        self._launched = Launched(
            Launch(
                name,
                lambda control: (command.words, self._variables(command, control)),
                place,
                place,
                command.files,
                environment.limits,
                contained=command.contained,
                visible=command.visible,
                hidden=command.hidden,
                stdin=subprocess.PIPE,  # never written to: a program that reads it waits, as at a terminal
                least=environment.least_containment,
                loopback=command.loopback or bool(command.network),
                interface=command.interface,
                renames=command.renames,
                network=command.network,
            )
        )
        self._gateway: Gateway | None = None
        listeners: list[socket.socket] = []
        try:
            report = containment_report(self._launched, name, environment.limits.start, listeners)
            self.held = held_by(report) if command.contained else Held(command.uncontained)
            if listeners:
                self._gateway = Gateway(list(zip(listeners, command.network, strict=True)))
                self.held = replace(self.held, containment=with_hosts(self.held.containment, command.network))
            check_containment(self.held.containment, environment.least_containment, name)
            self._launched.settle(report)
            if report.get("mounts"):
                self._directories.enter(self._launched.pid)
        except (HostError, ContainmentError):
            self._launched.kill()
            self._release()
            for listener in listeners:
                listener.close()
            raise

    @property
    def ended(self) -> bool:
        """Always False: the process belongs to the tool alone, so its end is the fault of the tool."""
        return False

    def spawn(self, name: str, abandon: Callable[[], None]) -> tuple[Supervised, scratch.ToolDirectory]:  # noqa: ARG002 - an origin's
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
        supervised.time_process(self._launched.pid)
        if self._launched.pid != self._launched.launcher:
            supervised.caller = Caller(self._launched.pid, is_below=self._starts_tool)
        return supervised, scratch.ToolDirectory(self._place, lambda: self._directories.path(""), self._tidy)

    def hand_over(self) -> "Running":
        """The running process with its descriptors, for a caller that needs no supervisor; use instead of `spawn`."""
        launched = self._launched
        return Running(launched.launcher, launched.channel, launched.streams, launched.kill, self._tidy)

    def collect_coverage(self) -> None:
        """Does nothing: the suite measures no coverage of programs."""

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
        """Close the descriptors and remove the scratch directory."""
        self._launched.channel.close()
        for fd in self._launched.streams:
            os.close(fd)
        self._tidy()

    def _tidy(self) -> None:
        if self._gateway is not None:
            self._gateway.close()
        self._launched.close_stdin()
        self._directories.close()


def with_hosts(containment: Containment, network: Sequence[tuple[str, int]]) -> Containment:
    """A containment with hosts that it does not keep the process from."""
    shown = ", ".join(f"{name}:{port}" for name, port in network)
    level: ContainmentLevel = "partial" if containment.level == "full" else containment.level
    return Containment(level, (*containment.reasons, f"`network` opens {shown}"))


def containment_report(
    launched: Launched, name: str, seconds: float, listeners: list[socket.socket]
) -> Mapping[str, Any]:
    """The params of `launched`, which the launcher sends before it becomes the command, within some seconds of own time.

    They are `contained` (whether containment is on), `level` (`full`, `partial` or `none`), `fault` (why it is weaker than it
    should be, or null), `pids` and `mounts` (whether the process has namespaces of its own for these), and perhaps `weaker`
    (further reasons, an array of clauses). `launched.held_by` reads them.

    Adds to `listeners` the sockets at which the command finds the hosts that it may reach.

    Raises:
        HostError: the launcher sent nothing in time, or something else.
    """
    line = b""
    with closing(ThreadFigures(launched.launcher)) as main:
        deadline = Deadline(seconds, main)
        while not line.endswith(b"\n") and len(line) < _LONGEST_REPORT:
            data = _received(launched, deadline, listeners)
            if not data:
                raise HostError(f"{name} did not start: its launcher did not report the containment")
            line += data
    message = protocol.read(line.rstrip(b"\n"), name)
    if not isinstance(message, protocol.Event) or message.method != "launched":
        raise HostError(f"{name} did not report its containment")
    return message.params


def _received(launched: Launched, deadline: Deadline, listeners: list[socket.socket]) -> bytes:
    """The next bytes from the launcher; empty where it has ended or sends nothing in time. Sockets are added to `listeners`."""
    while True:
        launched.channel.settimeout(max(0.01, deadline.remaining))
        try:
            data, sent, _, _ = socket.recv_fds(launched.channel, _LONGEST_REPORT, MOST_HOSTS)
        except TimeoutError:
            if deadline.is_over(lambda: processes.family([launched.launcher])):
                return b""
        except ConnectionError:
            return b""
        else:
            listeners += [socket.socket(fileno=each) for each in sent]
            return data
