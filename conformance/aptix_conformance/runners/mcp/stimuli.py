"""Requests and other lines that are not a plain call: the disturbances `wire:NAME`.

A line that need not be answered is followed by a tools/list: its response shows that the server still serves, and what
comes before is all that the line caused. So no clock decides.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from .opening import Session

UNKNOWN_TOOL: Final = "aptix-no-such-tool"
AS_TASK: Final = {"task": {"ttl": 60_000}}
"""The member that makes a tools/call a request for a task; the time to keep it is in ms."""
OTHER_CASE: Final = "other-case"
INHERITED: Final = "inherited-tool"
"""Both are sent as `named-call` with a name that `server_host.py` chooses."""
INHERITED_NAME: Final = "constructor"
"""Each object of JavaScript has a member of that name, so a server that looks a name up in one finds it."""
_LINES: Final = {
    "not-json": "This line is not JSON.",
    "unknown-notification": '{"jsonrpc": "2.0", "method": "notifications/aptix-no-such-notification"}',
    "unknown-cancellation": '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "aptix-none"}}',
    "malformed-cancellation": '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}}',
}


class Observed(NamedTuple):
    """The response, None where none is owed or came, the other messages, and the HTTP answer."""

    response: str | None
    others: list[str]
    http: Mapping[str, Any] | None = None
    ended: str = ""
    """How the server ended; empty where it did not."""
    tokened: Mapping[str, Any] | None = None
    """The facts of a call with a progressToken (`cancelling.py`)."""
    steps: Sequence[Mapping[str, Any]] = ()
    """The requests about tasks, and their answers (`tasks.py`)."""
    left: Sequence[str] = ()
    """The names of processes that still ran after the server should have ended (`ends.py`)."""
    busy: float = 0.0
    """The share of the time in which what should have ended had work."""


def apply(name: str, session: Session, tool: str, arguments: str | None) -> Observed:
    """Make one stimulus; `arguments` are those of a call that works, where one does.

    Raises:
        KeyError: there is none of that name.
        ValueError: the arguments are no JSON.
        ServerEndedError: the server ended.
    """
    connection = session.connection
    if name in _LINES:
        connection.send_unowed(_LINES[name])
        number = connection.request("tools/list", session.params({}))
        return Observed(None, connection.wait_for(number, alone=False).others, connection.unowed)
    if name == "followed-call":
        answer = connection.wait_for(
            connection.send_request("tools/call", call_members(session, tool, arguments))
        )
        after = connection.ask("tools/list", session.params({}))
        return Observed(answer.response.text or None, [*answer.others, *after.others], answer.response.http)
    method, params = _request(name, session, tool, json.loads(arguments or "{}"))
    answer = connection.ask(method, params)
    return Observed(answer.response.text or None, answer.others, answer.response.http)


def _request(name: str, session: Session, tool: str, arguments: Any) -> tuple[str, dict[str, Any]]:
    requests: dict[str, tuple[str, dict[str, Any]]] = {
        "unknown-tool": ("tools/call", session.params({"name": UNKNOWN_TOOL, "arguments": arguments})),
        "unknown-tool-task": (
            "tools/call",
            session.params({"name": UNKNOWN_TOOL, "arguments": arguments, **AS_TASK}),
        ),
        "unknown-method": ("aptix/no-such-method", session.params({})),
        "inherited-method": (INHERITED_NAME, session.params({})),
        "named-call": ("tools/call", session.params({"name": tool, "arguments": arguments})),
        "nameless-call": ("tools/call", session.params({"arguments": arguments})),
        "text-for-arguments": ("tools/call", session.params({"name": tool, "arguments": "{}"})),
        "ping": ("ping", {}),
        "without-meta": ("tools/list", {}),
    }
    return requests[name]


def call_members(
    session: Session,
    tool: str,
    arguments: str | None,
    meta: Mapping[str, Any] | None = None,
    more: Mapping[str, Any] | None = None,
) -> str:
    """The members of a tools/call besides its id and method, as JSON text; the arguments are sent as they are written.

    `meta` are members of `_meta` besides those that the revision demands, and in place of them; `more` are members of params.

    Raises:
        ValueError: the arguments are no JSON object.
    """
    arguments_member = ""
    if arguments is not None:
        if not isinstance(json.loads(arguments), dict):
            raise ValueError("the arguments are no object")
        is_one_line = not any(line_end in arguments for line_end in "\r\n")
        arguments_member = f', "arguments": {arguments if is_one_line else json.dumps(json.loads(arguments))}'
    rest = json.dumps(session.params(dict(more or {}), meta))[1:-1]
    return f'"params": {{"name": {json.dumps(tool)}{arguments_member}{", " if rest else ""}{rest}}}'
