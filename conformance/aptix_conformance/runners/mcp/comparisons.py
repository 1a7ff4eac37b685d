"""Stimuli that compare: two clients on one connection, a plain call and a task, the list of tools around a call, a new process.

Also a subscription, which is a conversation of its own. Each is a disturbance `wire:NAME`.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from .connection import Answer, Message, excerpt, is_response
from .opening import PREFIX, Session
from .stimuli import AS_TASK, UNKNOWN_TOOL, Observed, call_members

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
    own, other = (call_members(session, tool, arguments, meta) for meta in (None, _OTHER_CLIENT))
    return _by_turns(session, own, other, _content)


def by_task(session: Session, tool: str, arguments: str | None) -> Observed:
    """A plain call and the same one as a task, by turns, as long as their answers are of different forms.

    The last response is that to a task; the earlier ones are among the other messages, in their order. Before them comes
    the response to a task of a tool that the server does not have, which shows what it says of every task.

    Raises:
        ValueError: the arguments are no JSON.
    """
    unknown = _called(session, call_members(session, UNKNOWN_TOOL, arguments, more=AS_TASK))
    if not unknown.response.text:
        return Observed(None, unknown.others, unknown.response.http)
    plain = call_members(session, tool, arguments)
    seen = _by_turns(session, plain, call_members(session, tool, arguments, more=AS_TASK), _form)
    return seen._replace(others=[unknown.response.text, *unknown.others, *seen.others])


def _by_turns(session: Session, own: str, other: str, compared: Callable[[Answer], Any]) -> Observed:
    """Two calls by turns, each given by its members, as long as what is compared differs; no response where one has none.

    Every other turn begins with the other call: a tool that answers each second call otherwise answers both calls both ways.
    """
    others: list[str] = []
    answer = None
    for turn in range(_TURNS):
        is_reversed = turn % 2 == 1
        made = [_called(session, members) for members in ((other, own) if is_reversed else (own, other))]
        others += [] if answer is None else _all_of(answer)
        first, answer = reversed(made) if is_reversed else made
        others += _all_of(first)
        if not (first.response.text and answer.response.text):
            return Observed(None, [*first.others, *answer.others], answer.response.http)
        if max(len(first.response.text), len(answer.response.text)) > _LONGEST:
            return Observed(None, [])
        if compared(first) == compared(answer):
            break
    assert answer is not None
    return Observed(answer.response.text or None, [*others, *answer.others], answer.response.http)


BY_TURNS: Final[dict[str, Callable[[Session, str, str | None], Observed]]] = {
    "two-clients": by_two_clients,
    "as-task": by_task,
}
"""The stimuli of two calls by turns."""


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
    call = _called(session, call_members(session, tool, arguments))
    after = connection.ask("tools/list", session.params({}))
    last = connection.wait_for(session.ask_lightly())
    if _names(early) != _names(before) or max(len(each.response.text) for each in (before, after)) > _LONGEST:
        return Observed(None, [])
    others = [before.response.text, *call.others, *after.others, *last.others]
    return Observed(after.response.text or None, others, after.response.http)


def restarted(session: Session, tool: str, arguments: str | None) -> Observed:
    """A call, made twice in a new process of the server: while it answers the first, it may still read its files.

    The response is that to the second; the first of the other messages is that to the first. There is none where one is too
    long to be compared.

    Raises:
        ValueError: the arguments are no JSON.
    """
    members = call_members(session, tool, arguments)
    first, second = _called(session, members), _called(session, members)
    if not 0 < max(len(each.response.text) for each in (first, second)) <= _LONGEST:
        return Observed(None, [])
    return Observed(second.response.text or None, [*_all_of(first), *second.others], second.response.http)


def listened(session: Session) -> Observed:
    """A subscription to changes of the list of tools, and up to five requests after it; then it is cancelled.

    The response is that to the subscription, where one came; the notifications are among the other messages.
    """
    connection = session.connection
    params = session.params({"notifications": {"toolsListChanged": True}})
    request = {"jsonrpc": "2.0", "id": SUBSCRIPTION, "method": "subscriptions/listen", "params": params}
    connection.send(json.dumps(request))
    found: list[Message] = []
    for _ in range(_FOLLOWING):
        number, is_read = session.ask_lightly(), False
        while not is_read:
            arrived = connection.take()
            is_read = any(is_response(each, number, alone=False) for each in arrived)
            found += [each for each in arrived if not is_response(each, number, alone=False)]
        if _response_to_subscription(found):
            break
    if not found and connection.answers_all:
        found = connection.take(_PATIENCE)  # each answer comes in its own time, on a connection of its own
    response = _response_to_subscription(found)
    others = [excerpt(each) for each in found if each is not response]
    connection.cancel(SUBSCRIPTION)
    return Observed(
        (response.text or None) if response else None, others, response.http if response else None
    )


def _response_to_subscription(found: Sequence[Message]) -> Message | None:
    return next((each for each in found if is_response(each, SUBSCRIPTION, alone=False)), None)


def _called(session: Session, members: str) -> Answer:
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


def _form(answer: Answer) -> Any:
    """The members of a result, and whether it is a failure; the code of an error."""
    found = _content(answer)
    if isinstance(found, dict):
        return sorted(found), found.get("isError") is True, found.get("code")
    return found


def _names(page: Answer) -> set[str]:
    tools = page.result.get("tools") if isinstance(page.result, dict) else None
    return {json.dumps(each.get("name") if isinstance(each, dict) else each) for each in tools or ()}
