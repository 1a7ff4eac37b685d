"""Writes disturbances as the host protocol does, as one string: `nothing` or `KIND:WHAT`.

All other code uses the typed records.
"""

from collections.abc import Mapping
from typing import Final

from aptix_conformance.core.model.disturbance import (
    SECOND,
    BrokenFiles,
    CancellationPoint,
    Disturbance,
    InjectedFault,
    OtherConditions,
    OtherDisturbance,
    OtherHashSeed,
    Outage,
    ProtocolStimulus,
    ReplacedCatalog,
    ScarceResource,
    WatchedArguments,
)

NOTHING: Final = "nothing"
LASTING: Final = "lasting-"
"""How the kind of a fault begins that lasts until the call ends."""

_NUMBERED: Final = ("token", "delay", "task")
"""Kinds of cancellation that use `at`."""

_NAMED: Final[Mapping[type, str]] = {
    ReplacedCatalog: "catalog",
    OtherHashSeed: "hash-seed",
    BrokenFiles: "files",
    ScarceResource: "resource",
    Outage: "outage",
    ProtocolStimulus: "wire",
}
"""The kinds that have a name only."""


def write_disturbance(disturbance: Disturbance | None) -> str:
    """A disturbance as the host protocol writes it."""
    match disturbance:
        case None:
            return NOTHING
        case CancellationPoint():
            return "cancel:" + _write_point(disturbance)
        case InjectedFault(area, number, fault, modules, lasts):
            kind = f"{LASTING}{fault}" if lasts else fault
            return f"fault:{area}:{number}:{kind}" + (f":{','.join(modules)}" if modules else "")
        case (
            ReplacedCatalog(what)
            | OtherHashSeed(what)
            | BrokenFiles(what)
            | ScarceResource(what)
            | Outage(what)
            | ProtocolStimulus(what)
        ):
            return f"{_NAMED[type(disturbance)]}:{what}"
        case WatchedArguments() | OtherConditions():
            return _write_members(disturbance)
        case OtherDisturbance(text):
            return text


def _write_members(disturbance: WatchedArguments | OtherConditions) -> str:
    if isinstance(disturbance, WatchedArguments):
        return "arguments:"
    return "conditions:" + ";".join(f"{name}={what}" for name, what in disturbance.by_name.items())


def _write_point(point: CancellationPoint) -> str:
    text = point.kind + (f":{point.at:g}" if point.kind in _NUMBERED else "")
    text += f";within={point.within:g}" if point.within != SECOND else ""
    text += f";block={point.block:g}" if point.block != SECOND else ""
    text += f";hold={point.hold:g}" if point.hold else ""
    return text + (";long=1" if point.long else "")
