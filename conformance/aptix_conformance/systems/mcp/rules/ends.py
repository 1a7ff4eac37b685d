"""MCP116: what runs on when the client of a server over stdio is gone."""

from collections.abc import Iterator
from typing import Final

from aptix_conformance.core.model import Call, Exploration
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, OwnPractice, rule
from aptix_conformance.systems.mcp.rules.accessors import is_legacy, name_of, received

_END: Final = "end-of-input"
_AFTER: Final = {
    "cut-message": "its input had ended in the middle of a message",
    "client-gone": "its client had closed both its output and its input",
    "wrapper-killed": "the program that starts it was killed and its input had ended",
}
ENDS: Final = frozenset({*_AFTER, _END})
"""The stimuli after which a server has to end."""
_BUSY: Final = 0.5
"""The share of its time in which a process that waits for something has no work."""
_A_CALL: Final = "the server had served a call and ended with its input"


@rule(
    "MCP116",
    source=OwnPractice("suite", ("mcp",)),
    of=("tool", "server"),
    when=lambda exploration: any(True for _ in _outliving(exploration)),
    unseen_reason=NotApplicable("no process of the server was left"),
    probes=("wire", "server"),
    differs_by="how the server was left",
    remedy="End the process when standard input ends or standard output cannot be written to; wait for and end your child processes "
    "then. In a wrapper, use exec, so that the server takes its place.",
)
def nothing_outlives_its_client(exploration: Exploration) -> Iterator[Finding]:
    """A server over stdio ends with its children when its client is gone, however it goes.

    A client that is killed closes both pipes, in the middle of a message if need be; many kill only the program that they have
    started, such as npx, uvx or a shell. What does not notice stays for ever, one process more with each session. Each process has
    5 s of its own time. One that reads on where nothing comes any more keeps a processor busy. In 2026-07-28 MCP059 is on a server that stays after its input has ended.
    """
    yield from _outliving(exploration)


def _outliving(exploration: Exploration) -> Iterator[Finding]:
    """What was left after each way of leaving; where a server never ends, only that."""
    facts = [(call, found) for call in exploration.calls if (found := received(call)) is not None]
    staying = next((call for call, found in facts if name_of(call) == _END and not found.ended), None)
    if staying is not None and any(map(is_legacy, exploration.declarations)):
        message = f"It had not ended 5 s after its standard input{while_busy(staying)}."
        yield Finding(message, staying, cause=_END, timed=True)
    for call, found in facts:
        name = name_of(call)
        if found.left and not (staying is not None and name in _AFTER):
            names = ", ".join(printable(each, 40) for each in dict.fromkeys(found.left))
            message = f"5 s after {_AFTER.get(name, _A_CALL)}, these processes still ran: {names}{while_busy(call)}."
            yield Finding(message, call, cause=name, timed=True)


def while_busy(call: Call) -> str:
    """What to say of a server that has outlived its client and kept a processor busy meanwhile; empty where it did not."""
    found = received(call)
    return ", and kept a processor busy meanwhile" if found and found.busy > _BUSY else ""
