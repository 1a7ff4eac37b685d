"""MCP095 to MCP098: two clients on one connection, the list before and after a call, and a subscription to its changes."""

from collections.abc import Iterator
from typing import Any, Final

from aptix_conformance.core.model import Call, Exploration
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib.kernel import AnyCall, Finding, NotApplicable, rule
from aptix_conformance.systems.mcp.rules.accessors import (
    Message,
    answered,
    capabilities,
    http,
    is_legacy,
    members,
    messages,
    response,
    server_rule,
    tool_names,
    wire,
)
from aptix_conformance.systems.mcp.rules.messages import SPECIAL_IDS

_EACH: Final = 3
"""Answers of a client that have to be alike."""
_SUBSCRIPTION: Final = SPECIAL_IDS["listen"]
_ID: Final = "io.modelcontextprotocol/subscriptionId"
_ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"
_CHANGED: Final = "notifications/tools/list_changed"
_OF_STREAMS: Final = (_ACKNOWLEDGED, _CHANGED)


def _response_content(message: Message) -> Any:
    """The content of a response: its result without `_meta`, or its error."""
    value = message.get("result")
    return (
        {k: v for k, v in value.items() if k != "_meta"} if isinstance(value, dict) else message.get("error")
    )


@rule(
    "MCP095",
    "MCP.Sec.8",
    when=answered("two-clients"),
    unseen_reason=NotApplicable("no call of two clients could be compared"),
    probes=("wire",),
    remedy="Do not read clientInfo to decide what a tool does or who may call it; it is what a client says of itself.",
)
def client_name_changes_no_answer(call: Call) -> Finding | None:
    """A call has the same answer whatever the client calls itself in clientInfo.

    The suite and a client of another name make the same call by turns. A finding needs three equal answers to each.
    """
    answers = [_response_content(each) for each in messages(call) if "method" not in each]
    answers.append(_response_content(response(call) or {}))
    own, other = answers[::2], answers[1::2]
    steady = all(each == own[0] for each in own) and all(each == other[0] for each in other)
    if len(own) < _EACH or not steady or own[0] == other[0]:
        return None
    shown = printable(str(other[0]), 120)
    return Finding(
        f"A client of another name got another answer to the same call, each of {_EACH} times: {shown}."
    )


def _change(call: Call) -> str:
    """How the list differs after the call; empty where it does not."""
    before = set(tool_names(next(iter(messages(call)), {})))
    after = set(tool_names(response(call) or {}))
    if not before or not after or before == after:
        return ""
    new, missing = sorted(after - before), sorted(before - after)
    parts = [f"has {quoted(new[0], 60)}"] if new else []
    parts += [f"has no {quoted(missing[0], 60)} any more"] if missing else []
    return " and ".join(parts)


@rule(
    "MCP096",
    "MCP.P.3",
    when=answered("between-lists"),
    unseen_reason=NotApplicable("the lists before and after a call could not be compared"),
    probes=("wire",),
    remedy="List the same tools whatever was called before; let a tool refuse what it cannot do yet.",
)
def call_changes_no_list(call: Call) -> Finding | None:
    """The list of tools is the same before a call and after it, in a process that has served no other call.

    It may depend on who asks, and on time: a list that changes without a call is not judged.
    """
    change = _change(call)
    return Finding(f"After the call, tools/list {change}.") if change else None


def _announces(exploration: Exploration) -> bool:
    tools = members(capabilities(exploration.declarations[0]).get("tools"))
    return tools.get("listChanged") is True


@rule(
    "MCP097",
    "MCP.P.6",
    when=lambda exploration: (
        is_legacy(exploration.declarations[0])
        and _announces(exploration)
        and any(_change(call) for call in exploration.calls if answered("between-lists")(call))
    ),
    unseen_reason=NotApplicable(
        "no call changed the list of tools, or the server does not declare listChanged"
    ),
    probes=("wire",),
    remedy="Send notifications/tools/list_changed when the list has changed, or do not declare listChanged.",
)
def changed_list_is_announced(exploration: Exploration) -> Iterator[Finding]:
    """A server that declares listChanged sends notifications/tools/list_changed when a call has changed its list.

    A request that is sent after the call and the list shows that the server had time for it. In 2026-07-28 a server
    tells subscribers only. The suite calls no tool during a subscription, so the rule does not apply there.
    """
    for call in filter(answered("between-lists"), exploration.calls):
        change = _change(call)
        if change and not any(each.get("method") == _CHANGED for each in messages(call)):
            yield Finding(f"After the call, tools/list {change}, and the server did not say so.", call)


def _is_accepted(call: Call) -> bool:
    """A subscription that was not refused, neither by an error nor by HTTP."""
    answer = response(call)
    return wire("listen")(call) and ("error" not in answer if answer else http(call) is None)


@server_rule(
    "MCP098",
    "MCP.P.8",
    when=AnyCall(_is_accepted),
    unseen_reason=NotApplicable("the server takes no subscriptions"),
    differs_by="what is wrong: the first message, an id, or what is acknowledged",
    remedy="Begin the stream with notifications/subscriptions/acknowledged; put the request's id into each message's _meta as "
    "io.modelcontextprotocol/subscriptionId; acknowledge only what was asked for and is supported.",
)
def subscription_is_acknowledged_first(exploration: Exploration) -> Iterator[Finding]:
    """A stream of subscriptions/listen begins with its acknowledgement; all that comes on it has the request's id.

    The acknowledgement repeats what was asked for, as far as the server supports it. A subscription counts as not
    acknowledged when the server has answered five later requests.
    """
    is_able = _announces(exploration)
    for call in filter(_is_accepted, exploration.calls):
        stream = [each for each in messages(call) if each.get("method") in _OF_STREAMS]
        if not stream or stream[0].get("method") != _ACKNOWLEDGED:
            yield Finding("The subscription was not acknowledged first.", call, cause="first")
        for message in stream:
            stream_id = members(members(message.get("params")).get("_meta")).get(_ID)
            if stream_id != _SUBSCRIPTION:
                shown = (
                    "no subscription id"
                    if stream_id is None
                    else f"the subscription id {printable(repr(stream_id), 40)}"
                )
                yield Finding(f"{message['method']} has {shown}.", call, cause="id")
        granted = members(members(stream[0].get("params")).get("notifications")) if stream else {}
        unsupported = sorted(
            name for name, value in granted.items() if value and (name != "toolsListChanged" or not is_able)
        )
        if unsupported:
            yield Finding(
                f"It acknowledges {quoted(unsupported[0], 60)}, which is not supported or was not asked for.",
                call,
                cause="more",
            )
