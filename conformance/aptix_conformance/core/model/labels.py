"""Writes the label of a call, a short text for people.

A label is the kind and its details, separated by colons: `example:1`, `type:count:string`, `context:none:fullest`,
`cancelled:token-3:again-1`. People read labels in findings; code uses the typed change.
"""

from typing import Final

from aptix_conformance.core.model.change import Change, Kind
from aptix_conformance.core.model.disturbance import (
    BrokenFiles,
    CancellationPoint,
    Disturbance,
    InjectedFault,
    OtherDisturbance,
    Outage,
    ProtocolStimulus,
    ReplacedCatalog,
    ScarceResource,
)
from aptix_conformance.core.model.notation import LASTING, write_disturbance


def write_label(change: Change, disturbance: Disturbance | None = None) -> str:
    """The label of a change, or of the disturbance if nothing else was done."""
    kind = change.kind
    if kind in _SPECIAL:
        return _write_special(change, disturbance)
    # Runs for every drawn call: a kind is its own text, and joining is faster than formatting.
    parts: list[str] = [kind]
    parts += [part for part in (change.argument, change.detail, change.turn) if part is not None]
    if change.number is not None:
        parts.append(str(change.number))
    parts += [write_label(each) for each in change.of]
    return ":".join(parts)


_SPECIAL: Final = frozenset({Kind.CUSTOM, Kind.DISTURBED, Kind.COMBINED, Kind.TOGETHER})
"""Kinds whose labels have another form."""


def _write_special(change: Change, disturbance: Disturbance | None) -> str:
    if change.kind is Kind.DISTURBED:
        return _write_disturbed(disturbance, change.number or 1)
    if change.kind is Kind.COMBINED:
        return "combined:" + "+".join(map(write_label, change.of))
    if change.kind is Kind.TOGETHER:
        return f"together:{change.count}:{change.detail}-{change.number}"
    return change.detail or ""


def _write_disturbed(disturbance: Disturbance | None, time: int) -> str:
    match disturbance:
        case CancellationPoint(kind="watch"):
            return f"uncancelled:{time}"
        case CancellationPoint(kind, at, hold=hold):
            place = f"{kind}-{int(at)}" if kind in ("token", "task") else kind
            place += "-held" if hold else ""
            return f"cancelled:{place}" + (f":again-{time - 1}" if time > 1 else "")
        case InjectedFault(area, number, fault, lasts=lasts):
            return f"{area}:{number}:{LASTING if lasts else ''}{fault}"
        case ReplacedCatalog(name):
            return f"catalog:{name}" + (":again" if time > 1 else "")
        case BrokenFiles() | ScarceResource() | Outage() | ProtocolStimulus() | OtherDisturbance():
            return write_disturbance(disturbance)
    return Kind.DISTURBED.value
