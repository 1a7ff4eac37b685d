"""MCP060 to MCP063: what a server does with a call that is cancelled, and the progress that it reports.

A cancellation counts from the moment at which the server had read it: a request that was sent behind it was answered by then.
What comes within a second after that is not judged, because it may have crossed the cancellation on the way. A call that
ends by itself within that second shows nothing.
"""

import itertools
import json
from collections.abc import Iterator
from typing import Any, Final

from aptix_conformance.core.model import Call
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.cancellation import CANCELLATION_WORDS
from aptix_conformance.rules.lib.documents import read
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.systems.mcp.cancelling import read_while_running, tokened
from aptix_conformance.systems.mcp.facts import TokenedCall
from aptix_conformance.systems.mcp.rules.accessors import error, is_protocol_error, members

_GRACE: Final = 1.0
"""Seconds after a cancellation in which what comes is not judged."""
_BUSY: Final = 0.3
"""The share of its time from which a server is at work."""
_IDLE: Final = 0.1
"""The share up to which it is not."""
_UNSEEN: Final = "no call ran for more than a second after it was cancelled, or kept silent"
_STOP: Final = "Keep each call's task by its request id, cancel it when notifications/cancelled names it, and send nothing more for it."


def _reports_cancellation(call: Call) -> bool:
    """The response is an error that is about the cancellation."""
    return is_protocol_error(call) and bool(CANCELLATION_WORDS.search(json.dumps(error(call))))


def _shows_what_follows(call: Call) -> bool:
    """The call was cancelled, and the server kept silent or answered more than a second later."""
    facts = tokened(call)
    begins = read_while_running(facts) if facts else None
    if facts is None or begins is None or facts.closed:
        return False
    return facts.answered is None or facts.answered - begins > _GRACE


def _late_progress(facts: TokenedCall) -> bool:
    begins = read_while_running(facts)
    return begins is not None and any(time - begins > _GRACE for time in facts.times)


@rule(
    "MCP060",
    "MCP.X.2",
    when=_shows_what_follows,
    unseen_reason=NotApplicable(_UNSEEN),
    probes=("cancelling",),
    differs_by="what was sent, progress or an error",
    remedy=_STOP,
)
def nothing_follows_a_cancellation(call: Call) -> Finding | None:
    """No error about its cancellation and no progress is sent for a call that was cancelled.

    A client has forgotten the request by then. In 2025-11-25 this is a SHOULD.
    """
    facts = tokened(call)
    if facts is not None and _late_progress(facts):
        message = "Progress was reported more than a second after the call was cancelled."
        return Finding(message, cause="progress", timed=True)
    if facts is not None and facts.answered is not None and _reports_cancellation(call):
        text = quoted(str(error(call).get("message")), 120)
        message = f"An error was sent more than a second after the call was cancelled: {text}."
        return Finding(message, cause="error", timed=True)
    return None


@rule(
    "MCP061",
    "MCP.X.2",
    when=_shows_what_follows,
    unseen_reason=NotApplicable(_UNSEEN),
    probes=("cancelling",),
    source="advice",
    remedy=_STOP,
)
def cancelled_call_has_no_result(call: Call) -> Finding | None:
    """A call that was cancelled is not answered by its ordinary result.

    A server may ignore the cancellation of a call that cannot be cancelled, so this is advice.
    """
    facts = tokened(call)
    if facts is None or facts.answered is None or _reports_cancellation(call):
        return None
    first = "MCP060" if _late_progress(facts) else ""
    message = "The call went on, and was answered more than a second after it was cancelled."
    return Finding(message, defers_to=first, timed=True)


def _shows_work(call: Call) -> bool:
    """The call was cancelled, and it can be seen whether its work went on."""
    facts = tokened(call)
    if facts is None or facts.sent is None or facts.read is None:
        return False
    if facts.answered is None or facts.left or _reports_cancellation(call):
        return True
    return read_while_running(facts) is None and facts.answered - facts.sent > _GRACE


@rule(
    "MCP062",
    "MCP.X.1",
    when=_shows_work,
    unseen_reason=NotApplicable(_UNSEEN),
    probes=("cancelling",),
    differs_by="what is wrong: the cancellation was read too late, the server was still computing, or processes were left",
    remedy="Read messages while a tool runs: run it in a task, or in a thread that looks at a flag. When it is cancelled, end its "
    "loops and its child processes.",
)
def cancelled_work_ends(call: Call) -> Iterator[Finding]:
    """The work of a cancelled call ends: no processor time is used, and the processes that it has started are gone.

    That needs a server that reads messages while a call runs. The work has a second to end. A process that also stays after a call that was not cancelled does not count.
    """
    facts = tokened(call)
    if facts is None or facts.sent is None or facts.read is None:
        return
    is_late = facts.closed or read_while_running(facts) is None
    if is_late and facts.read - facts.sent > _GRACE:
        message = "The server read nothing while the call ran, and so it read the cancellation too late."
        yield Finding(message, cause="unread", timed=True)
    is_over = facts.answered is None or _reports_cancellation(call)
    if is_over and (facts.busy or 0.0) >= _BUSY and facts.idle <= _IDLE:
        message = "A second after the cancellation, the server was still computing."
        first = "MCP060" if _late_progress(facts) else ""
        yield Finding(message, defers_to=first, cause="computing", timed=True)
    if facts.left and not facts.left_usually:
        names = ", ".join(printable(name, 40) for name in dict.fromkeys(facts.left))
        yield Finding(f"A second after the cancellation, these processes still ran: {names}.", cause="left")


def _progress(call: Call) -> list[dict[str, Any]]:
    """The params of the progress notifications of a call."""
    facts = tokened(call)
    return [members(members(read(text).value).get("params")) for text in (facts.progress if facts else ())]


@rule(
    "MCP063",
    "MCP.X.7",
    "MCP.X.8",
    when=lambda call: bool(_progress(call)),
    unseen_reason=NotApplicable("no call reported progress"),
    probes=("cancelling",),
    differs_by="what is wrong: progress that is no number, does not rise, or comes after the response",
    remedy="Report a number that grows with each notification, and none after the response; wait for the notifications to be "
    "sent before you return.",
)
def progress_rises_until_the_response(call: Call) -> Iterator[Finding]:
    """Progress is a number that rises with every notification, and no notification comes after the response."""
    values = [each.get("progress") for each in _progress(call)]
    numbers = [each for each in values if isinstance(each, (int, float)) and not isinstance(each, bool)]
    if len(numbers) < len(values):
        yield Finding("A progress was no number.", cause="number")
        return
    for before, after in itertools.pairwise(numbers):
        if after <= before:
            shown = (printable(repr(each), 30) for each in (before, after))
            yield Finding("After the progress {} came {}.".format(*shown), cause="order")
            break
    facts = tokened(call)
    if facts is not None and facts.in_time < len(values):
        yield Finding("Progress was reported after the response.", cause="after")
