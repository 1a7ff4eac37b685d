"""Writes the label of a call, a short text for people, and reads labels from a report `/1`.

A label is the kind and its details, separated by colons: `example:1`, `type:count:string`, `context:none:fullest`,
`cancelled:token-3:again-1`. People read labels in findings; code uses the typed change.
"""

from collections.abc import Mapping
from typing import Final

from aptix_conformance.model.change import Change, Kind
from aptix_conformance.model.disturbance import (
    CancellationPoint,
    Disturbance,
    InjectedFault,
    OtherDisturbance,
    ProtocolStimulus,
    ReplacedCatalog,
    ScarceResource,
)
from aptix_conformance.model.notation import write_disturbance


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


def read_label(label: str, disturbance: Disturbance | None = None) -> Change:
    """The change that a label names; a label of unknown form gives a `custom` change."""
    kind, _, rest = label.partition(":")
    try:
        found = _read_disturbed(label, disturbance) or _read(Kind(kind), rest)
    except ValueError:
        return Change(Kind.CUSTOM, detail=label)
    same = write_label(found, disturbance) == label
    return found if same else Change(Kind.CUSTOM, detail=label)


def _write_disturbed(disturbance: Disturbance | None, time: int) -> str:
    match disturbance:
        case CancellationPoint(kind="watch"):
            return f"uncancelled:{time}"
        case CancellationPoint(kind, at, hold=hold):
            place = f"{kind}-{int(at)}" if kind in ("token", "task") else kind
            place += "-held" if hold else ""
            return f"cancelled:{place}" + (f":again-{time - 1}" if time > 1 else "")
        case InjectedFault(area, number, fault):
            return f"{area}:{number}:{fault}"
        case ReplacedCatalog(name):
            return f"catalog:{name}" + (":again" if time > 1 else "")
        case ScarceResource() | ProtocolStimulus() | OtherDisturbance():
            return write_disturbance(disturbance)
    return Kind.DISTURBED.value


def _read_disturbed(label: str, disturbance: Disturbance | None) -> Change | None:
    """The change of a call that is only disturbed, with its repetition number; None for any other label."""
    last = label.rpartition(":")[2]
    time = 1
    if last == "again":
        time = 2
    elif last.startswith("again-"):
        time = int(last.removeprefix("again-")) + 1
    elif label.startswith("uncancelled:"):
        time = int(last)
    found = Change(Kind.DISTURBED, number=time)
    return found if disturbance and write_label(found, disturbance) == label else None


_NAMED: Final = ("argument",)
_ARGUMENT: Final = ("argument", "detail")
_FIELDS: Final[Mapping[Kind, tuple[str, ...]]] = {
    Kind.EXAMPLE: ("number",),
    Kind.DECLARED: ("number",),
    Kind.SAME: ("detail", "number"),
    Kind.IDEMPOTENT: ("detail", "number"),
    Kind.TURN: ("argument", "number"),
    Kind.EXTRA: ("argument", "number"),
    Kind.WHOLE: ("turn",),
    **dict.fromkeys(
        (Kind.BOUNDARY, Kind.TYPE, Kind.COERCIBLE, Kind.BOUNDS, Kind.LENGTH, Kind.ITEMS), _ARGUMENT
    ),
    **dict.fromkeys((Kind.EXTREME, Kind.VARIED), _ARGUMENT),
    **dict.fromkeys(
        (Kind.MISSING, Kind.NULL, Kind.FORMAT, Kind.ADDITIONAL, Kind.CONTROL, Kind.OTHER), _NAMED
    ),
    **dict.fromkeys((Kind.OMITTED_OPTIONAL, Kind.NULL_OPTIONAL), _NAMED),
    **dict.fromkeys((Kind.ENUM, Kind.CONST, Kind.PATTERN), _NAMED),
}
"""The members that follow the kind in a label, in order; `detail` for all other kinds."""

_MAY_FOLLOW: Final = {Kind.ENUM: ("case",), Kind.CONST: ("case",), Kind.PATTERN: ("before", "behind")}
"""Details that may follow an argument."""


def _read(kind: Kind, rest: str) -> Change:
    """The change of a kind, parsed from the text after the kind; raises ValueError for another form."""
    first, _, last = rest.rpartition(":")
    match kind:
        case Kind.AGAIN | Kind.AFTER if not rest.isdecimal():
            return Change(kind, of=(read_label(rest),))
        case Kind.AGAIN:
            return Change(kind, number=int(rest))
        case Kind.COMBINED:
            return Change(kind, of=tuple(map(read_label, rest.split("+"))))
        case Kind.CONTEXT:
            detail, _, turn = rest.partition(":")
            return Change(kind, detail=detail, turn=turn or None)
        case Kind.TOGETHER:
            count, _, member = rest.partition(":")
            group, _, number = member.rpartition("-")
            return Change(kind, detail=group, number=int(number), count=int(count))
    has_both = last in _MAY_FOLLOW.get(kind, ()) or (kind is Kind.RELATION and first)
    fields = _ARGUMENT if has_both else _FIELDS.get(kind, ("detail",))
    texts = (first, last) if len(fields) > 1 else (rest or None,)
    found: dict[str, str | None] = dict(zip(fields, texts, strict=True))
    which = found.get("number")
    return Change(
        kind,
        found.get("argument"),
        found.get("detail"),
        found.get("turn"),
        number=None if which is None else int(which),
    )
