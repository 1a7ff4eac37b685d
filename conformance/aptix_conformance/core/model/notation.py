"""Writes disturbances as the host protocol does, as one string: `nothing` or `KIND:WHAT`.

All other code uses the typed records.
"""

from collections.abc import Mapping
from typing import Final

from aptix_conformance.core.model.disturbance import (
    SECOND,
    CancellationPoint,
    Disturbance,
    InjectedFault,
    OtherDisturbance,
    OtherHashSeed,
    ProtocolStimulus,
    ReplacedCatalog,
    ScarceResource,
    WatchedArguments,
)

NOTHING: Final = "nothing"

_NUMBERED: Final = ("token", "delay", "task")
"""Kinds of cancellation that use `at`."""

_NAMED: Final[Mapping[type, str]] = {
    ReplacedCatalog: "catalog",
    OtherHashSeed: "hash-seed",
    ScarceResource: "resource",
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
        case InjectedFault(area, number, fault, modules):
            return f"fault:{area}:{number}:{fault}" + (f":{','.join(modules)}" if modules else "")
        case ReplacedCatalog(what) | OtherHashSeed(what) | ScarceResource(what) | ProtocolStimulus(what):
            return f"{_NAMED[type(disturbance)]}:{what}"
        case WatchedArguments():
            return "arguments:"
        case OtherDisturbance(text):
            return text


def _write_point(point: CancellationPoint) -> str:
    text = point.kind + (f":{point.at:g}" if point.kind in _NUMBERED else "")
    text += f";within={point.within:g}" if point.within != SECOND else ""
    text += f";block={point.block:g}" if point.block != SECOND else ""
    text += f";hold={point.hold:g}" if point.hold else ""
    return text + (";long=1" if point.long else "")
