"""What a launcher reports before it becomes its command, and the sockets that come with it."""

import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any, Final

from aptix_conformance.core.errors import HostError
from aptix_conformance.core.model.containment import Containment, ContainmentLevel
from aptix_conformance.hosts import processes, protocol
from aptix_conformance.hosts.launch import Launched
from aptix_conformance.hosts.own_time import Deadline, ThreadFigures
from aptix_conformance.hosts.recorded_services import RecordedServices
from aptix_conformance.recording import HttpGateway
from aptix_conformance.targets.endpoints import MOST_HOSTS

_LONGEST_REPORT: Final = 4096
"""Maximum bytes of the launcher's report on the containment."""


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


def connect(
    services: RecordedServices, launched: Launched, name: str, seconds: float, tidy: Callable[[], None]
) -> tuple[Mapping[str, Any], HttpGateway | None]:
    """Answer at the sockets of a process; returns what its launcher reported, with which they came.

    Where the launcher reports nothing, the process is ended, and `tidy` is called.

    Raises:
        HostError: it reported nothing.
    """
    listeners: list[socket.socket] = []
    try:
        report = containment_report(launched, name, seconds, listeners)
        return report, services.start(listeners) if listeners else None
    except HostError:
        launched.kill()
        for listener in listeners:
            listener.close()
        tidy()
        raise
