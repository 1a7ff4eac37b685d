"""MCP102 to MCP104: a server that asks the client for input, and one that cannot, in the revision 2026-07-28.

A server asks by a result `input_required`. The client retries the call with its answers and with the server's own state, which
passes through the client and may come back changed.
"""

from collections.abc import Iterator
from typing import Any, Final

from aptix_conformance.core.model import Call
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.systems.mcp.rules.accessors import (
    Message,
    answered,
    error,
    http,
    members,
    messages,
    response,
)

_NEEDS_CAPABILITY: Final = -32021
_BAD_REQUEST: Final = 400
_METHODS: Final = ("elicitation/create", "sampling/createMessage", "roots/list")
_DECLARED: Final[Message] = {"elicitation": {"form": {}}, "sampling": {}, "roots": {}}
"""What the client of the stimulus `wire:asking` declares; every other call declares nothing."""
_is_askable = answered("asking")


def _asking_result(message: Message) -> Message | None:
    """The result by which a server asks; None where it does not."""
    value = members(message.get("result"))
    return value if value.get("resultType") == "input_required" else None


def _asks(call: Call) -> bool:
    return _asking_result(response(call) or {}) is not None


@rule(
    "MCP102",
    "MCP.L.19",
    when=_asks,
    unseen_reason=NotApplicable("no call came back as input_required"),
    probes=("wire",),
    differs_by="what is wrong: requestState, inputRequests, the method of a request, or that there is neither",
    remedy='Give inputRequests, an object of requests such as {"method": "elicitation/create", "params": {…}}, or requestState, '
    "a string, or both.",
)
def input_is_asked_for_in_its_form(call: Call) -> Iterator[Finding]:
    """A result input_required has inputRequests, or requestState, or both.

    Each input request is an elicitation/create, sampling/createMessage or roots/list; the state is a string.
    """
    value = _asking_result(response(call) or {}) or {}
    requests, state = value.get("inputRequests"), value.get("requestState")
    if requests is None and state is None:
        yield Finding("The result has neither inputRequests nor requestState.", cause="neither")
    if state is not None and not isinstance(state, str):
        yield Finding(f"requestState is {printable(repr(state), 40)}.", cause="state")
    if requests is not None and not isinstance(requests, dict):
        yield Finding("inputRequests is no object.", cause="requests")
    for name, request in members(requests).items():
        method = members(request).get("method")
        if method not in _METHODS:
            message = f"The input request {quoted(name, 40)} has the method {printable(repr(method), 40)}."
            yield Finding(message, cause="method")


def _retried(call: Call) -> list[Message]:
    """The answers to the retries: two with the server's own state, and one with each changed state."""
    return [each for each in messages(call) if "method" not in each][1:]


def _answer_content(message: Message) -> Any:
    """The content of an answer; one that asks again is only named as such."""
    if _asking_result(message) is not None:
        return "asked again"
    value = message.get("result")
    return {k: v for k, v in members(value).items() if k != "_meta"} if value is not None else None


@rule(
    "MCP103",
    "MCP.L.20",
    when=lambda call: _asks(call) and len(_retried(call)) > len(("own", "own again")),
    unseen_reason=NotApplicable("no call was retried with a state of the server's"),
    probes=("wire",),
    remedy="Sign or encrypt requestState, bind it to the call, and refuse one that fails the check.",
)
def changed_state_is_refused(call: Call) -> Iterator[Finding]:
    """A call that is retried with a changed requestState fails, asks again, or has the answer of the unchanged one.

    The state passes through the client, which may change it. A tool whose answer to the unchanged state varies is not judged.
    """
    own, again, *others = map(_answer_content, _retried(call))
    for answer in others if own == again else ():
        is_success = isinstance(answer, dict) and answer.get("isError") is not True
        if is_success and answer != own:
            shown = printable(str(answer), 120)
            yield Finding(f"A call with a changed requestState had another answer: {shown}.")


def _is_within(required: Any, declared: Any) -> bool:
    """Whether capabilities are all among others."""
    return all(
        name in declared and _is_within(each, declared[name]) for name, each in members(required).items()
    )


@rule(
    "MCP104",
    "MCP.L.13",
    when=lambda call: error(call).get("code") == _NEEDS_CAPABILITY or (_is_askable(call) and _asks(call)),
    unseen_reason=NotApplicable("no call needed a capability of the client"),
    differs_by="what is wrong with the refusal: its code, its data or its HTTP status",
    remedy='Answer {"error": {"code": -32021, "message": …, "data": {"requiredCapabilities": {"elicitation": {}}}}}, over HTTP '
    "with the status 400, or do without the capability.",
)
def missing_capability_is_named(call: Call) -> Finding | None:
    """A call that cannot be served without an undeclared capability of the client is refused with -32021, which names it.

    A tool that asks a client that can be asked may do without where it cannot. If it neither does nor refuses so, that is a
    finding; if it asks all the same, MCP025 reports it.
    """
    if error(call).get("code") != _NEEDS_CAPABILITY:
        plain = next((each for each in messages(call) if "method" not in each), {})
        code = members(plain.get("error")).get("code")
        is_failure = "error" in plain or members(plain.get("result")).get("isError") is True
        message = "The tool asks for input, and where it may not, its call fails without the code -32021."
        return Finding(message, cause="failure") if is_failure and code != _NEEDS_CAPABILITY else None
    required = members(error(call).get("data")).get("requiredCapabilities")
    if _is_within(required, _DECLARED if _is_askable(call) else {}):
        shown = printable(repr(required), 80)
        return Finding(f"data.requiredCapabilities names none that the client lacks: {shown}.", cause="data")
    answer = http(call)
    if answer is not None and answer.status != _BAD_REQUEST:
        return Finding(f"The HTTP status is {answer.status}.", cause="status")
    return None
