"""What a client may send other than a plain call: each stimulus by its name for the host (`runners/mcp/`), and in words."""

from collections.abc import Mapping
from typing import Final

from aptix_conformance.core.model import ProtocolStimulus, Stimulus
from aptix_conformance.core.model.allowance import Allowance

_CALLED: Final = "made a call that works"
WORDS: Final[Mapping[str, str]] = {
    # of tools
    "followed-call": f"{_CALLED}, and sent another request before it was answered",
    "unknown-tool": "called a tool that does not exist",
    "as-task": f"{_CALLED}, once plainly and once as a task",
    "task": f"{_CALLED} as a task, and asked about it to its end",
    "between-lists": f"listed the tools, {_CALLED}, and listed them again",
    "two-clients": f"{_CALLED} in its own name and in that of another client, by turns",
    "asking": f"{_CALLED}, as a client that can be asked for input",
    "watched-call": f"{_CALLED} with a progress token",
    "watched-call-afterwards": f"{_CALLED} with a progress token, after some that it had cancelled",
    "cancelled-at-25": f"{_CALLED} with a progress token, and cancelled it after a quarter of its usual time",
    "cancelled-at-50": f"{_CALLED} with a progress token, and cancelled it after half of its usual time",
    "cancelled-at-75": f"{_CALLED} with a progress token, and cancelled it after three quarters of its usual time",
    "cancelled-at-progress": f"{_CALLED} with a progress token, and cancelled it at the first progress",
    "restarted-call": "made the call twice in a new process of the server",
    # of servers
    "other-case": "called the first tool by its name in the other case",
    "unknown-method": "sent a request for a method that does not exist",
    "inherited-tool": "called a tool that does not exist, `constructor`, by the name of a member of each object in JavaScript",
    "inherited-method": "sent a request for a method that does not exist, `constructor`, a member of each object in JavaScript",
    "nameless-call": "sent a call without a name",
    "text-for-arguments": "sent a call with a text in place of the object of arguments",
    "unknown-notification": "sent a notification that does not exist",
    "unknown-cancellation": "cancelled a request that it had not made",
    "malformed-cancellation": "sent a cancellation that does not say of which request",
    "not-json": "sent a message that is no JSON",
    "ping": "sent a ping",
    "unknown-tool-task": "called a tool that does not exist as a task",
    "without-meta": "sent a request without _meta",
    "listen": "subscribed to changes of the list of tools",
    "cancelled-task": "called the first tool as a task, and cancelled the task",
    "unknown-task": "asked about a task that does not exist",
    # hostile
    "text-id": "sent a request whose id is a text",
    "digits-id": "sent a request whose id is a text of digits",
    "empty-id": "sent a request whose id is an empty text",
    "zero-id": "sent a request whose id is 0",
    "odd-ids": "sent requests whose ids are null, a fraction, too large, and an object",
    "batch": "sent a batch",
    "bare-text": "sent a JSON string as a message",
    "bad-utf-8": "sent a message that is no UTF-8",
    "duplicate-keys": "sent a call in whose arguments a key stands twice",
    "lone-surrogate": "sent a call in whose arguments half of a character stands",
    "long-integer": "sent a call in whose arguments an integer of 5,000 digits stands",
    "deep": "sent a call in whose arguments arrays nest 1,000 deep",
    "params-array": "sent a call with an array for params",
    "one-mebibyte": "sent a call of 1 MiB",
    "eight-mebibytes": "sent a call of 8 MiB",
    "sixteen-mebibytes": "sent a call of 16 MiB",
    "unknown-cursor": "listed the tools with a cursor of its own invention",
    "page-again": "asked for the same page of the list of tools twice",
    "end-of-input": "ended the server's standard input",
    "cut-message": "ended the server's standard input in the middle of a message",
    "client-gone": "sent a request, and closed the server's standard output and its standard input",
    "wrapper-killed": "killed the program that had started the server, and closed the server's standard output and input",
    "second-initialize": "sent initialize a second time",
    "batched-requests": "sent a batch of two requests",
    "unknown-version-first": "opened a connection with the protocol version 1999-01-01",
    "unknown-version": "sent a request with the protocol version 1999-01-01",
    "list-first": "listed the tools before anything else",
    # of HTTP
    "http-origin": "sent a request with the Origin of another site",
    "http-get": "opened a stream with GET",
    "http-delete": "sent a DELETE",
    "http-version": "sent a request with the header of a protocol version that does not exist",
    "http-ended": "ended the session, and sent a request in it",
    "http-resumed": "sent a request with the headers of a session and of a stream to be resumed",
    "http-method-missing": "sent a request without the header Mcp-Method",
    "http-method-other": "sent a request whose header Mcp-Method is not the method of its body",
    "http-name-missing": "sent a call without the header Mcp-Name",
    "http-name-other": "sent a call whose header Mcp-Name is not the name in its body",
    "http-name-encoded": "sent a call whose header Mcp-Name is in the Base64 form",
    "http-version-other": "sent a request whose header of the protocol version is not the version of its body",
    "http-param-missing": "sent a call without the header of an argument",
    "http-param-other": "sent a call in which the header of an argument is not the argument",
}


_MADE_TWICE: Final = Allowance(factor=3.0, extra=10.0)
"""A call that is cancelled, or made around a restart, may be made twice, and its server is then waited for."""
_TASK: Final = Allowance(factor=12.0)
"""The host ends a stimulus on tasks after ten time limits, and starts a server before."""
ALLOWANCES: Final[Mapping[str, Allowance]] = {
    "watched-call": _MADE_TWICE,
    "watched-call-afterwards": _MADE_TWICE,
    "cancelled-at-25": _MADE_TWICE,
    "cancelled-at-50": _MADE_TWICE,
    "cancelled-at-75": _MADE_TWICE,
    "cancelled-at-progress": _MADE_TWICE,
    "restarted-call": _MADE_TWICE,
    "task": _TASK,
    "cancelled-task": _TASK,
    "unknown-task": _TASK,
    # A long line: an SDK in wide use takes 9 s to read 15 MiB.
    "eight-mebibytes": Allowance(factor=10.0),
    "sixteen-mebibytes": Allowance(factor=20.0),
}
"""The stimuli that may take longer than others. So each is known by its name alone: a report has no allowance."""
OF_SERVERS: Final = Allowance(factor=3.0)
"""Any other stimulus for a server, which is several requests."""


def allowance_of(plan: Stimulus, otherwise: Allowance) -> Allowance:
    """The allowance that the name of a stimulus gives; `otherwise` where it gives none, or the plan has no such stimulus."""
    sent = plan.disturbance
    return ALLOWANCES.get(sent.name, otherwise) if isinstance(sent, ProtocolStimulus) else otherwise


def stimulus(name: str) -> ProtocolStimulus:
    """A stimulus by its name.

    Raises:
        KeyError: there is none of that name.
    """
    return ProtocolStimulus(name, WORDS[name])
