"""MCP099 to MCP101: calls as tasks, an experimental part of the revision 2025-11-25.

A server declares whether it runs calls as tasks, and then each tool whether it must, may or cannot be called so.
"""

from collections.abc import Iterator
from itertools import product
from typing import Final

from aptix_conformance.core.model import Call, Declaration, Exploration
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib.kernel import AnyCall, Finding, NotApplicable, rule
from aptix_conformance.systems.mcp.rules.accessors import (
    Message,
    answered,
    error,
    members,
    messages,
    response,
    task_support,
)
from aptix_conformance.systems.mcp.rules.messages import METHOD_NOT_FOUND

_EACH: Final = 3
"""Answers of each form that have to be alike."""
_REQUIRED_CODES: Final = (METHOD_NOT_FOUND, -32600)
"""The page demands the first in one place and allows the second in another."""
_WORDS: Final = {
    "task": "with a new task",
    "failure": "with isError",
    "success": "with a success",
}
_is_tried = answered("as-task")
_is_unknown_tried = answered("unknown-tool-task")


def _kind(message: Message) -> str:
    """The kind of a response: `error`, or a name of `_WORDS`."""
    value = message.get("result")
    if not isinstance(value, dict):
        return "error"
    if isinstance(value.get("task"), dict) and "content" not in value:
        return "task"
    return "failure" if value.get("isError") is True else "success"


def _difference(plain: Message, task: Message) -> str:
    """How the answer to a call as a task differs from that to the plain call, as the end of a sentence; empty where it does not."""
    before, after = (
        _WORDS.get(_kind(each))
        or f"with the error {printable(str(members(each.get('error')).get('code')), 20)}"
        for each in (plain, task)
    )
    return "" if before == after else f"{before}, and as a task {after}"


def _by_turns(call: Call) -> tuple[Message, list[Message], list[Message]]:
    """The answer to a task of an unknown tool, those to the plain calls, and those to the same calls as tasks."""
    answers = [each for each in messages(call) if "method" not in each] + [response(call) or {}]
    return answers[0], answers[1::2], answers[2::2]


def _without_capability(declaration: Declaration) -> str | None:
    return "the server runs calls as tasks" if task_support(declaration) is not None else None


def _with_support(*support: str) -> str:
    return f"the server runs no calls as tasks, or execution.taskSupport is not {' or '.join(support)}"


@rule(
    "MCP099",
    "MCP.C.5",
    of=("tool", "server"),
    applies=_without_capability,
    when=AnyCall(lambda call: _is_tried(call) or _is_unknown_tried(call)),
    unseen_reason=NotApplicable("no call as a task was answered"),
    probes=("wire", "server"),
    differs_by="the kind of the answer to the task: an error, a task, a failure or a success",
    remedy="Ignore the member task of params, or declare the capability tasks.requests.tools.call.",
)
def task_is_ignored_without_the_capability(exploration: Exploration) -> Iterator[Finding]:
    """Without the capability tasks.requests.tools.call, a call with the member task is served as a plain call.

    A plain call and the same one as a task are made by turns. A finding needs three answers of one kind to each: a success,
    a failure, a task or an error of the protocol. Where a call of an unknown tool is refused in the same words, the finding
    is the server's.
    """
    plain = next(filter(answered("unknown-tool"), exploration.calls), None)
    for call in filter(_is_unknown_tried, exploration.calls):
        reply = response(call) or {}
        if plain and (difference := _difference(response(plain) or {}, reply)):
            yield Finding(f"A call of an unknown tool was answered {difference}.", call, cause=_kind(reply))
    for call in filter(_is_tried, exploration.calls):
        unknown, own, tasks = _by_turns(call)
        differences = {_difference(*pair) for pair in product(own, tasks)}
        is_the_servers = "error" in unknown and unknown["error"] == (response(call) or {}).get("error")
        if len(own) == len(tasks) == _EACH and len(differences) == 1 and not is_the_servers:
            difference = differences.pop()
            if difference:
                words = f"The call was answered {difference}, each of {_EACH} times."
                yield Finding(words, call, cause=_kind(tasks[0]))


@rule(
    "MCP100",
    "MCP.C.5",
    applies=lambda declaration: (
        None if task_support(declaration) == "required" else _with_support("required")
    ),
    when=_is_tried,
    unseen_reason=NotApplicable("no plain call was answered"),
    probes=("wire",),
    differs_by="the code of the error, or that a result came",
    remedy="Answer a plain call with the error -32601, or declare taskSupport optional.",
)
def required_task_is_demanded(call: Call) -> Finding | None:
    """A tool whose taskSupport is required answers a plain call with the error -32601.

    The specification allows -32600 in another place, so that is accepted, too.
    """
    _, own, _ = _by_turns(call)
    codes = [members(each.get("error")).get("code") for each in own]
    unexpected = next((code for code in codes if code not in _REQUIRED_CODES), METHOD_NOT_FOUND)
    if unexpected == METHOD_NOT_FOUND:
        return None
    shown = "a result" if unexpected is None else f"the code {printable(repr(unexpected), 20)}"
    return Finding(f"A plain call was answered with {shown}.", cause=unexpected)


@rule(
    "MCP101",
    "MCP.C.6",
    applies=lambda declaration: (
        None if task_support(declaration) == "forbidden" else _with_support("absent", "forbidden")
    ),
    when=_is_tried,
    unseen_reason=NotApplicable("no call as a task was answered"),
    probes=("wire",),
    differs_by="the code of the error, or the kind of the result: a task, a failure or a success",
    remedy="Refuse a call as a task with the error -32601, or declare taskSupport optional.",
)
def forbidden_task_is_refused(call: Call) -> Finding | None:
    """A tool whose taskSupport is forbidden or absent answers a call as a task with the error -32601."""
    code = error(call).get("code")
    if code == METHOD_NOT_FOUND:
        return None
    is_result = "result" in (response(call) or {})
    shown = "a result" if is_result else f"the code {printable(repr(code), 20)}"
    cause = _kind(response(call) or {}) if is_result else code
    return Finding(f"The call as a task was answered with {shown}.", cause=cause)
