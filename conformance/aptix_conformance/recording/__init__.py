"""Recordings of the services that tools call over HTTP: the file, its making, and the services that answer from it.

A tool's process has a network of its own. The hosts that its author names are addresses there, at which sockets of this process
listen (`hosts/gateway.py` passes them on to the real hosts). Here they are answered: `Capture` asks the real host and keeps the exchange,
`Replay` answers from the file, and can make each service fail.
"""

from aptix_conformance.recording.capture import Capture
from aptix_conformance.recording.exchanges import (
    Recording,
    read_recording,
    require_replaceable,
    write_recording,
)
from aptix_conformance.recording.http_gateway import HttpGateway
from aptix_conformance.recording.replay import Replay, Traffic

__all__ = [
    "Capture",
    "HttpGateway",
    "Recording",
    "Replay",
    "Traffic",
    "read_recording",
    "require_replaceable",
    "write_recording",
]
