"""What a process of a tool needs whose services are recorded, or answer from a recording."""

import datetime as dt
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from aptix_conformance.core.errors import ConfigurationError, TargetError
from aptix_conformance.core.model import Call, Disturbed, Outage
from aptix_conformance.core.model.codec import replace
from aptix_conformance.hosts.configured_secrets import secrets_of
from aptix_conformance.recording import Capture, HttpGateway, Recording, Replay, Traffic, read_recording
from aptix_conformance.recording.certificates import AUTHORITY_FILE, VARIABLES, authority


@dataclass(frozen=True, slots=True)
class RecordedServices:
    """The services of one process: `texts` are files that it finds, `env` variables that it gets, `network` the hosts that are answered."""

    network: Sequence[tuple[str, int]]
    replay: Replay | None
    capture: Capture | None
    texts: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)

    def start(self, listeners: Sequence[socket.socket]) -> HttpGateway:
        """Answer at the sockets at which the process finds the hosts."""
        service = self.replay or self.capture
        assert service is not None
        return HttpGateway(list(zip(listeners, self.network, strict=True)), service)

    def begin(self, outage: Outage | None, *, is_group: bool = False) -> None:
        """A call begins, or several at the same time."""
        if self.replay is not None:
            self.replay.begin(outage.name if outage else None, is_group=is_group)

    def end(self) -> Traffic:
        """What they asked for."""
        return self.replay.end() if self.replay is not None else Traffic()

    def with_traffic(self, call: Call, traffic: Traffic) -> Call:
        """A call with what it asked of its services, which are no hosts that it tried in vain."""
        known = {*(f"{name}:{port}" for name, port in self.network), *(name for name, _ in self.network)}
        network = tuple(host for host in call.network if host not in known)
        call = replace(call, network=network, asked=traffic.answered, unrecorded=traffic.unrecorded)
        if isinstance(call.plan.disturbance, Outage):
            place, name = next(iter(traffic.failed), ""), call.plan.disturbance.name
            call = replace(call, disturbed=Disturbed(bool(place), place, injected=name if place else ""))
        return call


def recorded_services(
    network: Sequence[tuple[str, int]],
    recording: str,
    env: Mapping[str, str],
    secrets: Iterable[str] = (),
    capture: Capture | None = None,
) -> RecordedServices | None:
    """The services of a process that may reach `network`; None where nothing is recorded.

    `env` are the variables of its configuration, whose secrets no file gets, nor `secrets`. With `capture` they are recorded.

    Raises:
        TargetError: there is no such recording, or it is wrong, or it needs what is not installed.
    """
    if not network or not (recording or capture):
        return None
    hidden = [*secrets_of(env), *secrets]
    try:
        if capture is not None:
            capture.learn(hidden)
            return RecordedServices(network, None, capture, *_trust())
        read = _read(recording)
        replay = Replay(read, hidden, dt.datetime.now(dt.UTC).date())
        is_encrypted = any(exchange.request.url.startswith("https:") for exchange in read.exchanges)
        return RecordedServices(network, replay, None, *(_trust() if is_encrypted else ({}, {})))
    except ConfigurationError as error:
        raise TargetError(str(error)) from None


def _trust() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The files and the variables by which a process trusts the certificates of the services."""
    return {AUTHORITY_FILE: authority().pem}, VARIABLES


def _read(path: str) -> Recording:
    try:
        status = Path(path).stat()
    except OSError as error:
        raise ConfigurationError(
            f"{path}: the recording cannot be read ({error.strerror}): make it by `aptix-conformance record`"
        ) from None
    return _read_once(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=16)
def _read_once(path: str, changed: int, size: int) -> Recording:  # noqa: ARG001 - another state of the file is another one
    return read_recording(Path(path))
