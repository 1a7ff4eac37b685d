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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import ContainmentError, HostError, TargetError
from aptix_conformance.core.files import is_file
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.hosts import processes, scratch
from aptix_conformance.hosts.containment_report import containment_report, with_hosts
from aptix_conformance.hosts.gateway import Gateway
from aptix_conformance.hosts.hang_cause import Caller
from aptix_conformance.hosts.host import Environment
from aptix_conformance.hosts.launch import Held, Launch, Launched, held_by
from aptix_conformance.hosts.readable_paths import executable_of
from aptix_conformance.hosts.recorded_services import RecordedServices
from aptix_conformance.hosts.required_containment import SWITCHED_OFF, check_containment
from aptix_conformance.hosts.supervisor import Supervised
from aptix_conformance.recording import HttpGateway

CHANNEL: Final = "APTIX_HOST_FD"
"""The variable that holds the number of the channel's descriptor: a connected stream socket, for both directions."""


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
    services: RecordedServices | None = None
    """What answers as these hosts, or records what they answer."""
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
        services: what its services are replaced by; None for nothing.
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
        self.services = command.services if command.contained else None
        self._place = place
        self._directories = scratch.ToolDirectories(place)
        self._launched = self._launch(command)
        self._gateway: Gateway | HttpGateway | None = None
        listeners: list[socket.socket] = []
        try:
            report = containment_report(self._launched, name, environment.limits.start, listeners)
            self.held = held_by(report) if command.contained else Held(command.uncontained)
            if listeners:
                self._open(listeners, command.network)
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

    def _launch(self, command: Command) -> Launched:
        return Launched(
            Launch(
                self._name,
                lambda control: (command.words, self._variables(command, control)),
                self._place,
                self._place,
                command.files,
                self._environment.limits,
                contained=command.contained,
                visible=command.visible,
                hidden=command.hidden,
                stdin=subprocess.PIPE,  # never written to: a program that reads it waits, as at a terminal
                least=self._environment.least_containment,
                loopback=command.loopback or bool(command.network),
                interface=command.interface,
                renames=command.renames,
                network=command.network,
                answered=self._is_answered,
                texts=self.services.texts if self.services else {},
                starts_tool=command.starts_tool,
            )
        )

    @property
    def _is_answered(self) -> bool:
        """Whether a recording answers as the hosts that the process may reach, so that it reaches none."""
        return self.services is not None and self.services.replay is not None

    def _open(self, listeners: list[socket.socket], network: Sequence[tuple[str, int]]) -> None:
        """Connect the process with the hosts that it may reach, or with what answers as these."""
        if self.services is not None:
            self._gateway = self.services.start(listeners)
        else:
            self._gateway = Gateway(list(zip(listeners, network, strict=True)))
        if not self._is_answered:
            self.held = replace(self.held, containment=with_hosts(self.held.containment, network))

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
            **(self.services.env if self.services else {}),
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
