"""Which probes some rules need: a run of a few rules makes only the calls that these rules judge.

A rule that is not listed here needs every probe; so does any rule that looks for traces of other calls. Every run makes
the calls of `valid`: other probes build on calls that work. A rule over declarations judges the readings before and
after these calls, in this and in other processes.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from aptix_conformance.model import Declaration
from aptix_conformance.probes import Probe
from aptix_conformance.rules import Rule

_BASE: Final = "valid"

_OF_RULES: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("ARG001", "ARG002", "ARG003", "ARG004"), ("malformed",)),
    "CTX006": ("context",),
    # What no call reads is reported by SCH019 and not by these.
    **dict.fromkeys(("ARG006", "ARG007", "ARG008", "ARG009", "ARG010"), ("invalid", "reading")),
    "ARG011": ("invalid",),
    **dict.fromkeys(("CAN001", "CAN002", "CAN003", "CAN004", "CAN007"), ("repeat", "cancel")),
    # An exception that EXC001 reports is not also reported by EXC010.
    "EXC010": ("fault", "invalid", "repeat"),
    **dict.fromkeys(("EXC011", "EXC013", "LOG010"), ("fault",)),
    "RES006": (),
    "RES009": (),
    "RES012": ("malformed", "invalid", "after-refusals"),
    "SCH016": ("reading",),
    "SCH018": ("reading",),
    "SCH019": ("reading",),
}
"""By the code of a rule: the probes whose calls it judges, besides `valid`."""


def needed_probes(rules: Iterable[Rule], probes: tuple[Probe, ...]) -> tuple[Probe, ...]:
    """Those of some probes, in their order, whose calls some rules judge."""
    wanted = {_BASE}
    for rule in rules:
        known = () if rule.over is Declaration else _OF_RULES.get(rule.code)
        if known is None:
            return probes
        wanted.update(known)
    return tuple(probe for probe in probes if probe.name in wanted)
