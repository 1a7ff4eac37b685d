"""MCP109: whether a server serves again when it has back what was scarce."""

from typing import Final

from aptix_conformance.core.model import Call, ScarceResource, Scarcity
from aptix_conformance.rules.lib.documents import read
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, OwnPractice, rule
from aptix_conformance.systems.mcp.rules.accessors import is_success, members, received
from aptix_conformance.systems.mcp.scarcity_probe import NAME

_BACK: Final[dict[Scarcity, str]] = {
    "full-disk": "The disk was full, and then free again",
    "read-only-folder": "The folder was read-only, and then writable again",
    "no-descriptors": "There was no file descriptor left, and then there were some again",
}


def _shows_what_follows(call: Call) -> bool:
    """Something was scarce, and the call succeeded, or it can be seen how it ends afterwards."""
    facts = received(call)
    if not isinstance(call.plan.disturbance, ScarceResource) or facts is None:
        return False
    if call.disturbed is None or not call.disturbed.reached:
        return False
    later = (*facts.afterwards, *((facts.renewed,) if facts.renewed is not None else ()))
    return call.succeeded or any(is_success(members(read(text).value)) for text in later)


@rule(
    "MCP109",
    source=OwnPractice("suite", ("mcp",)),
    when=_shows_what_follows,
    unseen_reason=NotApplicable("no call could be made while something was scarce and again afterwards"),
    probes=(NAME,),
    differs_by="what was scarce",
    remedy="Do not keep what a failed call has left half done: close it and open it again in the next call.",
)
def server_recovers_from_scarcity(call: Call) -> Finding | None:
    """A call that fails while something is scarce works again when it is there.

    The disk is full, the folder that the server may write to is read-only, or no file descriptor is left; then all is as it was.
    A finding needs that the same call fails three times after that, and succeeds twice in a new process of the server.
    """
    facts, scarce = received(call), call.plan.disturbance
    if facts is None or not isinstance(scarce, ScarceResource) or facts.renewed is None or call.succeeded:
        return None
    times = len(facts.afterwards)
    message = f"{_BACK[scarce.name]}; the call still failed, {times} times, and succeeded in a new process of the server."
    return Finding(message, cause=scarce.name)
