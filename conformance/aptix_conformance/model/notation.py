"""Writes and parses disturbances as text.

The host protocol and the report format `/1` write a disturbance as one string, `nothing` or `KIND:WHAT`. All other code
uses the typed records.
"""

from collections.abc import Callable, Mapping
from typing import Final, get_args

from aptix_conformance.model.disturbance import (
    SECOND,
    CancellationPoint,
    Cancelling,
    Disturbance,
    FaultArea,
    InjectedFault,
    OtherDisturbance,
    OtherHashSeed,
    ProtocolStimulus,
    ReplacedCatalog,
    ScarceResource,
    Scarcity,
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


def read_disturbance(text: str) -> Disturbance | None:
    """The disturbance that a text of the protocol names; an unknown text gives an `OtherDisturbance`."""
    if text == NOTHING:
        return None
    kind, _, what = text.partition(":")
    try:
        found = _READERS[kind](what)
    except (KeyError, ValueError):
        found = None
    return found if found is not None and write_disturbance(found) == text else OtherDisturbance(text)


def _write_point(point: CancellationPoint) -> str:
    text = point.kind + (f":{point.at:g}" if point.kind in _NUMBERED else "")
    text += f";within={point.within:g}" if point.within != SECOND else ""
    text += f";block={point.block:g}" if point.block != SECOND else ""
    text += f";hold={point.hold:g}" if point.hold else ""
    return text + (";long=1" if point.long else "")


def _read_point(text: str) -> Disturbance:
    moment, *options = text.split(";")
    kind, _, at = moment.partition(":")
    given = dict(option.split("=", 1) for option in options)
    known: dict[str, Cancelling] = {name: name for name in get_args(Cancelling)}
    within, block = (float(given.get(name, SECOND)) for name in ("within", "block"))
    hold = float(given.get("hold", 0.0))
    return CancellationPoint(known[kind], float(at or 0), within, block, long="long" in given, hold=hold)


def _read_fault(text: str) -> Disturbance:
    place, number, fault, *modules = text.split(":", 3)
    areas: dict[str, FaultArea] = {name: name for name in get_args(FaultArea)}
    return InjectedFault(areas[place], int(number), fault, tuple(modules[0].split(",")) if modules else ())


def _read_resource(text: str) -> Disturbance:
    names: dict[str, Scarcity] = {name: name for name in get_args(Scarcity)}
    return ScarceResource(names[text])


_READERS: Final[Mapping[str, Callable[[str], Disturbance]]] = {
    "cancel": _read_point,
    "fault": _read_fault,
    "catalog": ReplacedCatalog,
    "hash-seed": OtherHashSeed,
    "arguments": lambda _: WatchedArguments(),
    "resource": _read_resource,
    "wire": ProtocolStimulus,
}
