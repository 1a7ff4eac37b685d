"""Stimuli that compare: two clients on one connection, a plain call and a task, the list of tools around a call, a new process.

Also a subscription, which is a conversation of its own. Each is a disturbance `wire:NAME`.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from .connection import Answer, Message, excerpt, is_response
from .opening import PREFIX, Session
from .stimuli import AS_TASK, UNKNOWN_TOOL, Observed, call_members

SUBSCRIPTION: Final = "listen-1"
"""The id of the request that opens a stream."""
_OTHER_CLIENT: Final = {f"{PREFIX}clientInfo": {"name": "ExampleClient", "version": "1.0.0"}}
"""The client in the examples of the specification. No product has this name."""
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
    observed = _by_turns(session, plain, call_members(session, tool, arguments, more=AS_TASK), _form)
    return observed._replace(others=[unknown.response.text, *unknown.others, *observed.others])


def _by_turns(session: Session, own: str, other: str, compared: Callable[[Answer], Any]) -> Observed:
    """Two calls by turns, each given by its members, as long as what is compared differs; no response where one has none.

    Every other turn begins with the other call: a tool that answers each second call otherwise answers both calls both ways.
    """
    others: list[str] = []
    answer = None
    for turn in range(_TURNS):
        is_reversed = turn % 2 == 1
        answers = [_called(session, members) for members in ((other, own) if is_reversed else (own, other))]
        others += [] if answer is None else _all_of(answer)
        first, answer = reversed(answers) if is_reversed else answers
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
    if _names(early) != _names(before) or max(len(page.response.text) for page in (before, after)) > _LONGEST:
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
    if not 0 < max(len(answer.response.text) for answer in (first, second)) <= _LONGEST:
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
    messages: list[Message] = []
    for _ in range(_FOLLOWING):
        number, is_read = session.ask_lightly(), False
        while not is_read:
            arrived = connection.take()
            is_read = any(is_response(message, number, alone=False) for message in arrived)
            messages += [message for message in arrived if not is_response(message, number, alone=False)]
        if _response_to_subscription(messages):
            break
    if not messages and connection.answers_all:
        messages = connection.take(_PATIENCE)  # each answer comes in its own time, on a connection of its own
    response = _response_to_subscription(messages)
    others = [excerpt(message) for message in messages if message is not response]
    connection.cancel(SUBSCRIPTION)
    return Observed(
        (response.text or None) if response else None, others, response.http if response else None
    )


def _response_to_subscription(messages: Sequence[Message]) -> Message | None:
    return next((message for message in messages if is_response(message, SUBSCRIPTION, alone=False)), None)


def _called(session: Session, members: str) -> Answer:
    return session.connection.wait_for(session.connection.send_request("tools/call", members))


def _all_of(answer: Answer) -> list[str]:
    return [*answer.others, answer.response.text]


def _content(answer: Answer) -> Any:
    """The result or error of a response, without `_meta`."""
    message = answer.response.value
    result = message.get("result")
    if not isinstance(result, dict):
        return message.get("error")
    return {name: value for name, value in result.items() if name != "_meta"}


def _form(answer: Answer) -> Any:
    """The members of a result, and whether it is a failure; the code of an error."""
    content = _content(answer)
    if isinstance(content, dict):
        return sorted(content), content.get("isError") is True, content.get("code")
    return content


def _names(page: Answer) -> set[str]:
    tools = page.result.get("tools") if isinstance(page.result, dict) else None
    return {json.dumps(tool.get("name") if isinstance(tool, dict) else tool) for tool in tools or ()}
