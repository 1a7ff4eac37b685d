"""Calls while something is scarce: the disk is full, the only writable folder is read-only, no file descriptor is left.

What takes the place of faults in a tool's dependencies, which cannot be made from outside. The host takes it away from a process of
its own after the server has started and was read, and gives it back before the next call (`runners/mcp/scarce_resources.py`).
"""

from collections.abc import Iterator, Sequence
from typing import Final

from aptix_conformance.core.model import Call, Change, Kind, ScarceResource, Scarcity, Shortfall, Stimulus
from aptix_conformance.stimuli.generate import write
from aptix_conformance.stimuli.probes import Probe, Subject
from aptix_conformance.stimuli.probes.planning import plan, succeeded
from aptix_conformance.systems.mcp.facts import McpTool

NAME: Final = "resources"
KIND: Final = "resource"
"""The kind of disturbance."""
_WORDS: Final[dict[Scarcity, str]] = {
    "full-disk": "a full disk",
    "read-only-folder": "a read-only folder",
    "no-descriptors": "a process without a file descriptor to open",
}
_OVER_HTTP: Final[tuple[Scarcity, ...]] = ("full-disk", "read-only-folder")


class ResourcesProbe(Probe):
    """Plans the first call that works, once for each thing that can be scarce."""

    name = NAME

    def fixed(self, subject: Subject, observed_calls: Sequence[Call]) -> Iterator[Stimulus]:
        """One call for each."""
        works = next(succeeded(observed_calls), None)
        if KIND not in subject.disturbances or works is None:
            return
        for name in _OVER_HTTP if _is_over_http(subject) else _WORDS:
            change = Change(Kind.DISTURBED, number=1)
            yield plan(subject, self.name, change, write(works), disturbance=ScarceResource(name))

    def shortfall(self, subject: Subject, observed_calls: Sequence[Call]) -> Shortfall | None:
        """Nothing could be made scarce, no call works, or a server over HTTP was left its descriptors."""
        if KIND not in subject.disturbances:
            reason = "it was not called with a full disk, a read-only folder or no file descriptors: its process has no file system of its own"
            return Shortfall(self.name, reason, reduced_coverage=True)
        own_calls = [call for call in observed_calls if call.plan.probe == self.name and not call.left_out]
        if not own_calls and next(succeeded(observed_calls), None) is None:
            reason = "no call succeeded that could be made with a full disk: give an example"
            return Shortfall(self.name, reason, reduced_coverage=True)
        missed = [
            _WORDS[call.plan.disturbance.name]
            for call in own_calls
            if call.disturbed
            and not call.disturbed.reached
            and isinstance(call.plan.disturbance, ScarceResource)
        ]
        if missed:
            reason = f"this machine could not make {', '.join(missed)}"
            return Shortfall(self.name, reason, reduced_coverage=True)
        if _is_over_http(subject):
            reason = "a server over HTTP needs a file descriptor to be asked, so it was left some"
            return Shortfall(self.name, reason, reduced_coverage=True, expected=True)
        return None


def _is_over_http(subject: Subject) -> bool:
    facts = subject.declaration.facts
    return isinstance(facts, McpTool) and facts.http is not None


RESOURCES: Final = ResourcesProbe()
