"""Probe `outage`: calls that work, made again while each recorded service fails, in one way after another.

The services of a tool whose configuration names a `recording` answer from it. So they can be made to fail for a tool in any language, and
for a server whose inside cannot be seen. An outage lasts as long as the call: trying again does not help.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, get_args

from aptix_conformance.core.model import Call, Change, Failure, Kind, Outage, Shortfall, Stimulus
from aptix_conformance.stimuli.probes.planning import plan
from aptix_conformance.stimuli.probes.probe import Probe, Subject

NAME: Final = "outage"
"""The probe, and the kind of its disturbance."""
FAILURES: Final[tuple[Failure, ...]] = get_args(Failure)
_MOST_BASES: Final = 3
_QUERY: Final = re.compile(r"\?.*")


class OutageProbe(Probe):
    """Plans the first calls that work and ask different things of recorded services, once for each failure."""

    name = NAME

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The calls."""
        if NAME not in subject.disturbances:
            return
        for base in bases(calls):
            is_encrypted = any(" https:" in request for request in base.asked)
            for failure in FAILURES:
                if failure != "certificate" or is_encrypted:
                    change = Change(Kind.DISTURBED, number=1)
                    yield plan(subject, NAME, change, base.plan.arguments, disturbance=Outage(failure))

    def shortfall(self, subject: Subject, calls: Sequence[Call]) -> Shortfall | None:
        """Services are recorded, and no call that works asked one."""
        if NAME not in subject.disturbances or bases(calls):
            return None
        reason = "no call that works asked a service that is recorded, so none was made to fail: record the calls of `examples`"
        return Shortfall(NAME, reason)


def bases(calls: Sequence[Call]) -> list[Call]:
    """The first valid calls that work and ask recorded services, each for something that those before did not ask for."""
    chosen: dict[frozenset[str], Call] = {}
    for call in calls:
        if call.plan.probe == "valid" and call.succeeded and call.asked and not call.unrecorded:
            chosen.setdefault(frozenset(_QUERY.sub("", request) for request in call.asked), call)
    return list(chosen.values())[:_MOST_BASES]
