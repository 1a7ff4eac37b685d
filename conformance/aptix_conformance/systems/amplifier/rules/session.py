"""AMP: what a module does in the application around it: what it prints, which events it emits, how it cleans up."""

import re
from collections.abc import Iterator
from typing import Final

from aptix_conformance.core.model import Declaration, Exploration
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.systems.amplifier.facts import Cleanup
from aptix_conformance.systems.amplifier.rules import mounting

_NUMBER: Final = re.compile(r"\d+")
"""The number of a thread, a process or a socket, which is another in each run."""
_NOT_CLEANED: Final = "the module was not cleaned up"


def _cleanups(exploration: Exploration) -> list[Cleanup]:
    mounts = [mounting.mount_if_any(declaration) for declaration in exploration.declarations]
    return [mount.cleanup for mount in mounts if mount is not None and mount.cleanup is not None]


@rule(
    "AMP022",
    source="suite",
    when=lambda exploration: bool(_cleanups(exploration)),
    unseen_reason=_NOT_CLEANED,
    differs_by="the exception and its message",
    remedy="Let the cleanup function take no arguments, expect that nothing was opened or that it is closed already, and "
    "register it once: return it from mount, or give it to coordinator.register_cleanup.",
)
def cleanup_raises_nothing(exploration: Exploration) -> Iterator[Finding]:
    """The functions that clean up raise nothing.

    Amplifier logs the exception and goes on: what the function had still to close stays open.
    """
    for cleanup in _cleanups(exploration):
        for fault in cleanup.faults:
            yield Finding(f"A cleanup function raised {printable(fault, 200)}.", cause=fault)


@rule(
    "AMP023",
    source="suite",
    when=lambda exploration: bool(_cleanups(exploration)),
    unseen_reason=_NOT_CLEANED,
    differs_by="what was left, without its numbers",
    remedy="End in a cleanup function what mount and the calls have started: cancel tasks, close clients, end processes. "
    "Return the function from mount.",
)
def cleanup_leaves_nothing_running(exploration: Exploration) -> Iterator[Finding]:
    """After the cleanup no task, thread, child process or socket of the module is left.

    Applications run many sessions in one process: what each leaves adds up.
    """
    for cleanup in _cleanups(exploration):
        for what in cleanup.left:
            yield Finding(f"After the cleanup was left: {printable(what, 160)}.", cause=_NUMBER.sub("", what))


@rule(
    "AMP024",
    "AMP.5.1",
    when=lambda tool: any(record.method == "event" for call in tool.calls for record in call.logs),
    unseen_reason=NotApplicable("no call emitted an event of its own"),
    differs_by="the name of the event",
    remedy="Add the event to the list that mount gives to observability.events.",
)
def emitted_events_are_declared(exploration: Exploration) -> Iterator[Finding]:
    """Every event that a call emits by the coordinator's hooks is declared under observability.events.

    Hooks that log learn from there which events to listen to; Amplifier's own events need no declaration. Where nothing is
    declared at all, AMP015 says so.
    """
    mount = mounting.mount_if_any(exploration.declarations[0])
    declared = set(mount.events) if mount else set()
    tags: set[str] = set()
    for call in exploration.calls if declared else ():
        for record in call.logs:
            if record.method == "event" and record.tag not in declared | tags:
                tags.add(record.tag)
                yield Finding(f"The event {printable(record.tag, 80)!r} was emitted.", call, cause=record.tag)


@rule(
    "AMP025",
    source="suite",
    when=mounting.was_called.holds,
    unseen_reason=mounting.was_called.otherwise,
    remedy="Log instead: standard output belongs to the application that runs the session.",
)
def mount_prints_nothing(declaration: Declaration) -> Finding | None:
    """Importing and mounting the module writes nothing to standard output."""
    printed = mounting.mount_of(declaration).printed
    return Finding(f"Importing or mounting it printed {printable(printed, 100)!r}.") if printed else None
