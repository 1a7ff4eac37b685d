"""The probe `wire`: what a client may send besides a call with arguments. Each is one call with a disturbance `wire:NAME`."""

from collections.abc import Iterator, Sequence
from typing import Final

from aptix_conformance.generate import write
from aptix_conformance.model import Call, Change, Kind, OtherDisturbance, Stimulus
from aptix_conformance.probes import Probe, Subject
from aptix_conformance.probes.planning import base_of, plan
from aptix_conformance.systems.mcp.facts import McpTool

KIND: Final = "wire"
NO_ARGUMENTS: Final = Change(Kind.CUSTOM, detail="no-arguments")
"""A tools/call without the member `arguments`."""

_NAMES: Final = (
    *("followed-call", "unknown-tool", "unknown-method", "nameless-call", "text-for-arguments"),
    *("unknown-notification", "unknown-cancellation", "not-json"),
)
_OF_ONE_REVISION: Final = {"2025-11-25": ("ping",), "2026-07-28": ("without-meta",)}


class WireProbe(Probe):
    """A fixed list; the host implements each (`runners/mcp/stimuli.py`)."""

    name = KIND

    def fixed(self, subject: Subject, seen: Sequence[Call]) -> Iterator[Stimulus]:
        """A call without arguments, and each stimulus once, with the arguments of a call that works where it has any."""
        facts = subject.declaration.facts
        if not isinstance(facts, McpTool):
            return
        works = write(base_of(subject, seen).arguments)
        yield plan(subject, self.name, NO_ARGUMENTS, None)
        for name in (*_NAMES, *_OF_ONE_REVISION[facts.revision]):
            disturbance = OtherDisturbance(f"{KIND}:{name}")
            yield plan(subject, self.name, Change(Kind.DISTURBED, number=1), works, disturbance=disturbance)


WIRE: Final = WireProbe()
