"""Stimuli that compare: two clients on one connection, and the list of tools before and after a call.

Also a subscription, which is a conversation of its own. Each is a disturbance `wire:NAME`.
"""

import json
from typing import Any, Final

from .connection import Answer, is_response, shown
from .opening import PREFIX, Session
from .stimuli import Observed, call_members

SUBSCRIPTION: Final = "aptix-listen"
"""The id of the request that opens a stream."""
_OTHER_CLIENT: Final = {f"{PREFIX}clientInfo": {"name": "claude-ai", "version": "0.1.0"}}
"""A name that servers know; they do not know the suite's."""
_FOLLOWING: Final = 5
"""Later requests that a server answers before a subscription counts as unanswered."""
_TURNS: Final = 3
"""Calls by each of two clients before an answer counts as the client's."""
_LONGEST: Final = 65_536
"""Characters of a message that is compared."""
_PATIENCE: Final = 5.0
"""Seconds for the first message of a stream on a connection of its own."""


def by_two_clients(session: Session, tool: str, arguments: str | None) -> Observed:
    """A call by the suite, and the same one by a client of another name, by turns, as long as the two differ.

    The last response is the other client's; the earlier ones are among the other messages, in their order. There is none
    where a response is too long to be compared.

    Raises:
        ValueError: the arguments are no JSON.
    """
    others: list[str] = []
    answer = None
    for _ in range(_TURNS):
        own = _called(session, tool, arguments, None)
        others += [] if answer is None else _all_of(answer)
        others += _all_of(own)
        answer = _called(session, tool, arguments, _OTHER_CLIENT)
        if max(len(own.response.text), len(answer.response.text)) > _LONGEST:
            return Observed(None, [])
        if _content(own) == _content(answer):
            break
    assert answer is not None
    return Observed(answer.response.text or None, [*others, *answer.others], answer.response.http)


def between_lists(session: Session, tool: str, arguments: str | None) -> Observed:
    """The first page of the list before a call and after it, in a session that has served no other call.

    The response is the later page; the first of the other messages is the earlier one. There is none where a page is too
    long to be compared, or where the list changes by itself.

    Raises:
        ValueError: the arguments are no JSON.
    """
    connection = session.connection
    early = connection.ask("tools/list", session.params({}))
    before = connection.ask("tools/list", session.params({}))
    call = _called(session, tool, arguments, None)
    after = connection.ask("tools/list", session.params({}))
    last = connection.wait_for(session.ask_lightly())
    if _names(early) != _names(before) or max(len(each.response.text) for each in (before, after)) > _LONGEST:
        return Observed(None, [])
    others = [before.response.text, *call.others, *after.others, *last.others]
    return Observed(after.response.text or None, others, after.response.http)


def listened(session: Session) -> Observed:
    """A subscription to changes of the list of tools, and up to five requests after it; then it is cancelled.

    The response is that to the subscription, where one came; the notifications are among the other messages.
    """
    connection = session.connection
    params = session.params({"notifications": {"toolsListChanged": True}})
    request = {"jsonrpc": "2.0", "id": SUBSCRIPTION, "method": "subscriptions/listen", "params": params}
    connection.send(json.dumps(request))
    others: list[str] = []
    response = None
    for _ in range(_FOLLOWING):
        number, is_read = session.ask_lightly(), False
        while not is_read:
            for message in connection.take():
                if is_response(message, number, alone=False):
                    is_read = True
                elif is_response(message, SUBSCRIPTION, alone=False):
                    response = message
                else:
                    others.append(shown(message))
        if response is not None:
            break
    if response is None and connection.answers_all and not others:
        others += map(shown, connection.take(_PATIENCE))
    connection.cancel(SUBSCRIPTION)
    return Observed(
        (response.text or None) if response else None, others, response.http if response else None
    )


def _called(session: Session, tool: str, arguments: str | None, meta: dict[str, Any] | None) -> Answer:
    members = call_members(session, tool, arguments, meta)
    return session.connection.wait_for(session.connection.send_request("tools/call", members))


def _all_of(answer: Answer) -> list[str]:
    return [*answer.others, answer.response.text]


def _content(answer: Answer) -> Any:
    """What a response says, without what belongs to the message."""
    found = answer.response.value
    result = found.get("result")
    if not isinstance(result, dict):
        return found.get("error")
    return {name: value for name, value in result.items() if name != "_meta"}


def _names(page: Answer) -> set[str]:
    tools = page.result.get("tools") if isinstance(page.result, dict) else None
    return {json.dumps(each.get("name") if isinstance(each, dict) else each) for each in tools or ()}
