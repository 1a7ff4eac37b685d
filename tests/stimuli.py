"""Stimuli for tests, written as people read them: `stimulus("invalid", "type:count:string", arguments, context)`."""

import re

from aptix_conformance.core.model import (
    CancellationPoint,
    Change,
    InjectedFault,
    Kind,
    OtherDisturbance,
    ReplacedCatalog,
    Stimulus,
    WatchedArguments,
)
from aptix_conformance.core.model.labels import write_label

_KINDS = {kind.value for kind in Kind} - {"disturbed"}
_FIELDS = {
    ("example", "declared"): ("number",),
    ("same", "idempotent"): ("detail", "number"),
    ("turn", "extra"): ("argument", "number"),
    ("boundary", "type", "coercible", "bounds", "length", "items", "extreme", "varied"): (
        "argument",
        "detail",
    ),
    ("enum", "const", "pattern"): ("argument", "detail"),
    ("missing", "null", "format", "additional", "control", "other"): ("argument",),
    ("omitted-optional", "null-optional"): ("argument",),
    ("context",): ("detail", "turn"),
    ("whole",): ("turn",),
    ("again",): ("number",),
}
_FIELDS_OF = {kind: fields for kinds, fields in _FIELDS.items() for kind in kinds}


def stimulus(probe, label, arguments, context, demand="either", disturbance=None, expected=None):
    """The stimulus with that label."""
    change = read_change(label, disturbance)
    return Stimulus(probe, change, arguments, context, demand, disturbance, expected)


def read_change(label, disturbance=None):
    """The change with that label; a label of no known form gives a change of a third party."""
    disturbed = Change(Kind.DISTURBED, number=1)
    if disturbance and write_label(disturbed, disturbance) == label:
        return disturbed
    kind, _, rest = label.partition(":")
    if kind not in _KINDS:
        return Change(Kind.CUSTOM, detail=label)
    if kind in ("again", "after") and not rest.isdecimal():
        return Change(Kind(kind), of=(read_change(rest),))
    if kind == "combined":
        return Change(Kind(kind), of=tuple(map(read_change, rest.split("+"))))
    if together := re.fullmatch(r"together:(\d+):(\w+)-(\d+)", label):
        count, group, number = together.groups()
        return Change(Kind.TOGETHER, detail=group, number=int(number), count=int(count))
    fields = _FIELDS_OF.get(kind, ("detail",))
    texts = rest.rsplit(":", len(fields) - 1) if rest else ()
    members = dict(zip(fields, texts, strict=False))
    if "number" in members:
        members["number"] = int(members["number"])
    return Change(Kind(kind), **members)


def read_disturbance(text):
    """The disturbance that a host reads from a text, as `cancel:token:3` or `fault:service:1:timeout`."""
    kind, _, what = text.partition(":")
    if kind == "catalog":
        return ReplacedCatalog(what)
    if kind == "cancel":
        moment, *options = what.split(";")
        name, _, at = moment.partition(":")
        seconds = {key: float(value) for key, _, value in (option.partition("=") for option in options)}
        return CancellationPoint(name, float(at or 0), **seconds)
    if kind == "fault" and what.count(":") > 1:
        area, number, fault, *modules = what.split(":")
        kind = fault.removeprefix("lasting-")
        named = tuple(modules[0].split(",")) if modules else ()
        return InjectedFault(area, int(number), kind, named, lasts=kind != fault)
    return {"nothing": None, "arguments:": WatchedArguments()}.get(text, OtherDisturbance(text))
