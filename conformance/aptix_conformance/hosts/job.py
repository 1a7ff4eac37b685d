"""A command that runs in the containment to its end, for the files that it makes: an installer.

Nobody speaks with it. It starts only when this process has its directory open, so that its files can be read afterwards, in
whatever way it ends.
"""

import os
import selectors
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import ContainmentError, HostError
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.hosts import processes
from aptix_conformance.hosts.containment_report import containment_report, with_hosts
from aptix_conformance.hosts.gateway import Gateway
from aptix_conformance.hosts.host import MIB, Limits
from aptix_conformance.hosts.launch import Held, Launch, Launched, held_by
from aptix_conformance.hosts.required_containment import SWITCHED_OFF

LIMITS: Final = Limits(memory=2048 * MIB, scratch=1024 * MIB)
"""The resources that an installer may use; its files lie in memory until they are copied."""
_OUTPUT_TAIL: Final = 1 << 18
"""Bytes that are kept of the end of what it prints."""
_CHUNK: Final = 1 << 16
_PAUSE: Final = 0.1
"""Seconds between two looks at its memory and its processes."""
_START_LATER: Final = ("/bin/sh", "-c", 'read -r _; exec "$@"', "sh")
"""Waits for the end of its standard input, and becomes the command that follows."""


@dataclass(frozen=True, slots=True)
class Job:
    """A command to run, and its surroundings.

    Attributes:
        name: its name in messages.
        words: the command, with the path of its program.
        env: environment variables beside PATH and the locale.
        place: an empty directory, where it works, and the only one in which it may write.
        files: a directory whose contents it finds there.
        visible: paths that it may read, in addition to the programs of every machine.
        network: the hosts and ports that it may reach.
        seconds: how long it may take, by the clock: it waits for other machines.
        contained: whether it is contained; if it cannot be, it is not started.
    """

    name: str
    words: tuple[str, ...]
    env: Mapping[str, str]
    place: Path
    files: Path
    visible: tuple[str, ...]
    network: tuple[tuple[str, int], ...]
    seconds: float
    contained: bool = True


@dataclass(frozen=True, slots=True)
class Done:
    """How a job ended.

    Attributes:
        status: its exit status; None where it was ended.
        output: the end of what it printed, of both streams together.
        incident: why it was ended; empty where it ended by itself.
        place: its directory as this process reaches it.
        containment: what it was contained by.
    """

    status: int | None
    output: str
    incident: str
    place: Path
    containment: Containment


@contextmanager
def run(job: Job, limits: Limits = LIMITS) -> Iterator[Done]:
    """Run a job to its end. Its files are there until the context ends; those that it made outside of a containment stay.

    Raises:
        ContainmentError: it could not be contained.
        HostError: no process could be started.
    """
    with ExitStack() as cleanup:
        launched = Launched(_launch(job, limits))
        cleanup.callback(launched.channel.close)
        for stream in launched.streams:
            cleanup.callback(os.close, stream)
        cleanup.callback(launched.close_stdin)
        cleanup.callback(launched.kill)
        listeners: list[socket.socket] = []
        report = containment_report(launched, job.name, limits.start, listeners)
        held = held_by(report) if job.contained else Held(SWITCHED_OFF)
        if listeners:
            gateway = Gateway(list(zip(listeners, job.network, strict=True)))
            cleanup.callback(gateway.close)
            held = replace(held, containment=with_hosts(held.containment, job.network))
        if job.contained and held.containment.level == "none":
            raise ContainmentError(f"{job.name} cannot be contained here: {held.fault}")
        launched.settle(report)
        place = _reached(launched, job, cleanup) if report.get("mounts") else job.place
        launched.close_stdin()
        output, incident = _wait(launched, limits, job.seconds)
        status = launched.kill()
        yield Done(None if incident else status, output, incident, place, held.containment)


def _reached(launched: Launched, job: Job, cleanup: ExitStack) -> Path:
    """The directory of a job that is a file system of its own; it is kept until the cleanup."""
    try:
        fd = os.open(f"/proc/{launched.pid}/root{job.place}", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise HostError(f"{job.name} did not start: {error.strerror}") from error
    cleanup.callback(os.close, fd)
    return Path(f"/proc/self/fd/{fd}")


def _launch(job: Job, limits: Limits) -> Launch:
    env = {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        **job.env,
    }
    return Launch(
        job.name,
        lambda _: ((*_START_LATER, *job.words), env),
        job.place,
        job.place,
        job.files,
        limits,
        contained=job.contained,
        visible=job.visible,
        stdin=subprocess.PIPE,
        least="partial" if job.contained else "none",
        loopback=bool(job.network),
        network=job.network if job.contained else (),
    )


def _wait(launched: Launched, limits: Limits, seconds: float) -> tuple[str, str]:
    """Wait for the end of a process; returns the end of its output, and why it has to be ended, if so."""
    output, incident = b"", ""
    last = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        for stream in launched.streams:
            os.set_blocking(stream, False)
            selector.register(stream, selectors.EVENT_READ)
        is_over = False
        while not incident and not (is_over and not selector.get_map()):
            is_over = is_over or launched.wait(0 if selector.get_map() else _PAUSE)
            for key, _ in selector.select(_PAUSE) if selector.get_map() else ():
                data = _read(key.fd)
                output = (output + (data or b""))[-_OUTPUT_TAIL:]
                if data == b"":
                    selector.unregister(key.fileobj)
            incident = (
                f"took longer than {seconds:g} s" if time.monotonic() > last else _excess(launched, limits)
            )
    return output.decode("utf-8", "backslashreplace"), incident


def _read(fd: int) -> bytes | None:
    """The bytes that a stream holds now: nothing at its end, and None where more may come."""
    try:
        return os.read(fd, _CHUNK)
    except BlockingIOError:
        return None


def _excess(launched: Launched, limits: Limits) -> str:
    usage = processes.census(processes.family([launched.first]))
    if usage.resident > limits.memory:
        return f"took more than {limits.memory // MIB} MiB of memory"
    if usage.living > limits.processes:
        return f"had more than {limits.processes} processes"
    return ""
