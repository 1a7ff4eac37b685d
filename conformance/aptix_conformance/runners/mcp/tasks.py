"""Calls as tasks from their beginning to their end, in 2025-11-25.

The disturbance `wire:task` is for a tool, `wire:cancelled-task` and `wire:unknown-task` are for its server. The requests
and their answers are a list of steps. For a tool, a plain call comes before each of three tasks: the end of the first is polled for, the
result of the second is asked for at once, and the third is cancelled. Each wait ends after the time that a call may take, and
all of them together after ten times as much. A server is left alone when it does not answer, writes a message that is too long,
asks for input, or when the task has lived for its `ttl`: from then on it may be forgotten.
"""

import contextlib
import json
import time
from typing import Any, Final, Literal

from .connection import Message, ServerEndedError, excerpt, is_response, parsed
from .opening import Session
from .stimuli import AS_TASK, Observed, call_members

TASK: Final = "task"
CANCELLED: Final = "cancelled-task"
UNKNOWN: Final = "unknown-task"
OF_SERVERS: Final = (CANCELLED, UNKNOWN)
"""The stimuli for servers."""
_FINAL: Final = ("completed", "failed", "cancelled")
"""The states in which a task stays."""

_UNKNOWN_TASK: Final = "aptix-no-such-task"
_ALL: Final = 10
"""Times of a call for all waits together."""
_LONGEST: Final = 65_536
"""Characters of a message that is kept."""
_MOST_OTHERS: Final = 50
_MOST_LOOKS: Final = 40
"""Looks at the state of one task."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0
"""Seconds between two looks where the server suggests no other time; they grow."""
_AFTERWARDS: Final = 0.2
"""Seconds, besides the usual duration of a call, after which a cancelled task is looked at once more."""

Operation = Literal["call", "create", "get", "result", "cancel"]


class _LeftAloneError(Exception):
    """Nothing more is asked of the server."""


class _Conversation:
    """Asks one thing after the other, within a time, and keeps the steps."""

    def __init__(self, session: Session, seconds: float) -> None:
        """`seconds` is the time that a call may take."""
        self.seconds = seconds
        self.steps: list[dict[str, Any]] = []
        self.others: list[str] = []
        self.first: Message | None = None
        self.ended = ""
        self._session, self._connection = session, session.connection
        self._end = time.monotonic() + _ALL * seconds
        self._task = 0
        self._forgotten = float("inf")

    def call(self, members: str) -> float:
        """Make a plain call; gives its duration in seconds."""
        began = time.monotonic()
        self._ask("call", 0, "tools/call", members)
        return time.monotonic() - began

    def create(self, members: str) -> dict[str, Any]:
        """Make a call as a task; gives the task.

        Raises:
            _LeftAloneError: it was refused, or is not named so that it can be asked for.
        """
        began, self._forgotten = time.monotonic(), float("inf")
        self._task += 1
        message = self._ask("create", self._task, "tools/call", members)
        self.first = self.first or message
        result = message.value.get("result")
        task = result.get("task") if isinstance(result, dict) else None
        if not isinstance(task, dict) or not isinstance(task.get("taskId"), str):
            raise _LeftAloneError
        life = _milliseconds(task.get("ttl"))
        self._forgotten = float("inf") if life is None else began + life
        return task

    def about(self, operation: Operation, number: str) -> dict[str, Any]:
        """Ask about the latest task; gives the result, empty for an error."""
        message = self._ask(operation, self._task, f"tasks/{operation}", _naming(self._session, number))
        result = message.value.get("result")
        return result if isinstance(result, dict) else {}

    def about_unknown(self, operation: Operation) -> None:
        self._ask(operation, 0, f"tasks/{operation}", _naming(self._session, _UNKNOWN_TASK))

    def pause(self, seconds: float) -> None:
        """Let some time go by; what comes meanwhile is kept."""
        end = min(time.monotonic() + seconds, self._end)
        while (remaining := end - time.monotonic()) > 0:
            self._keep(self._connection.take(remaining), None)

    def _ask(self, operation: Operation, task: int, method: str, members: str) -> Message:
        """Send a request and keep its response as a step, an empty one where none comes in time.

        Raises:
            _LeftAloneError: none came, it is too long, the task may be forgotten by now, or all time is used up.
        """
        number = self._connection.send_request(method, members)
        end = min(time.monotonic() + self.seconds, self._end)
        message = None
        while message is None and (remaining := end - time.monotonic()) > 0:
            message = self._keep(self._connection.take(remaining), number)
        text = message.text if message else ""
        is_late = message is None and time.monotonic() >= self._end
        if is_late or len(text) > _LONGEST or (task and time.monotonic() >= self._forgotten):
            raise _LeftAloneError
        self.steps.append({"task": task, "asked": operation, "message": text})
        if message is None or not text:
            raise _LeftAloneError
        return message

    def _keep(self, messages: list[Message], number: int | None) -> Message | None:
        """The response to a request, where it is among some messages; the others are kept."""
        response = None
        for message in messages:
            if response is None and number is not None and is_response(message, number, alone=True):
                response = message
            elif len(self.others) < _MOST_OTHERS:
                self.others.append(excerpt(message))
        return response


def lived(session: Session, tool: str, arguments: str | None, seconds: float) -> Observed:
    """Three tasks between plain calls; the response is that to the first call as a task.

    A task that does not come to its end in `seconds` is cancelled instead, if the server can do that. A server that ends of a
    cancellation is the business of `cancelled`.

    Raises:
        ValueError: the arguments are no JSON object.
    """
    plain = call_members(session, tool, arguments)
    as_task = call_members(session, tool, arguments, more=AS_TASK)
    conversation, is_able = _Conversation(session, seconds), _can_cancel(session)
    with contextlib.suppress(_LeftAloneError):
        usual = conversation.call(plain)
        task = conversation.create(as_task)
        if _polled(conversation, task, is_able=is_able):
            conversation.call(plain)
            _awaited(conversation, conversation.create(as_task))
            conversation.call(plain)
            task = conversation.create(as_task) if is_able else task
        if is_able:
            _cancelled(conversation, task["taskId"], usual)
    return _observed(conversation)


def cancelled(session: Session, tool: str, arguments: str | None, seconds: float) -> Observed:
    """A task that is cancelled after a plain call, and how the server ended of that, where it did.

    Raises:
        ValueError: the arguments are no JSON object.
    """
    conversation = _Conversation(session, seconds)
    with contextlib.suppress(_LeftAloneError):
        usual = conversation.call(call_members(session, tool, arguments))
        task = conversation.create(call_members(session, tool, arguments, more=AS_TASK))
        _cancelled(conversation, task["taskId"], usual)
    return _observed(conversation)._replace(ended=conversation.ended)


def unknown(session: Session, seconds: float) -> Observed:
    """Questions about a task that there is not; there is no response besides those in the steps."""
    conversation = _Conversation(session, seconds)
    with contextlib.suppress(_LeftAloneError):
        for operation in ("get", "result", *(("cancel",) if _can_cancel(session) else ())):
            conversation.about_unknown(operation)
    return Observed(None, conversation.others, steps=conversation.steps)


def _observed(conversation: _Conversation) -> Observed:
    first = conversation.first
    text, http = (first.text or None, first.http) if first else (None, None)
    return Observed(text, conversation.others, http, steps=conversation.steps)


def _polled(conversation: _Conversation, task: dict[str, Any], *, is_able: bool) -> bool:
    """Look at a task until its end, then ask for its result, and try to cancel it; gives whether it came to its end."""
    number, pause = task["taskId"], _FIRST_PAUSE
    end = time.monotonic() + conversation.seconds
    for _ in range(_MOST_LOOKS):
        state = conversation.about("get", number)
        if state.get("status") in _FINAL:
            break
        remaining = end - time.monotonic()
        if state.get("status") != "working" or remaining <= 0:
            return _check_at_work(state)
        suggested = _milliseconds(state.get("pollInterval"))
        conversation.pause(min(max(suggested or 0.0, pause), remaining))
        pause = min(2 * pause, _LONGEST_PAUSE)
    else:
        return False
    conversation.about("result", number)
    conversation.about("get", number)
    if is_able:
        conversation.about("cancel", number)
        conversation.about("get", number)
    return True


def _check_at_work(state: dict[str, Any]) -> Literal[False]:
    """A task that is still at work may be cancelled; any other is left alone.

    Raises:
        _LeftAloneError: it needs input, is unknown, or is in a state that there is not.
    """
    if state.get("status") != "working":
        raise _LeftAloneError
    return False


def _awaited(conversation: _Conversation, task: dict[str, Any]) -> None:
    """Ask for the result at once, and look at the task; where it ended meanwhile, ask once more for a result that was refused."""
    if (_milliseconds(task.get("pollInterval")) or 0) >= conversation.seconds:
        return  # an SDK in wide use answers after that time only
    number = task["taskId"]
    result = conversation.about("result", number)
    state = conversation.about("get", number)
    if not result and state.get("status") in _FINAL:
        conversation.about("result", number)


def _cancelled(conversation: _Conversation, number: str, usual: float) -> None:
    """Cancel a task, and look at it then and after the time of a call."""
    try:
        is_taken = bool(conversation.about("cancel", number))
        conversation.about("get", number)
        if is_taken:
            conversation.pause(min(usual + _AFTERWARDS, conversation.seconds))
            conversation.about("get", number)
    except ServerEndedError as error:
        conversation.ended = str(error)


def _can_cancel(session: Session) -> bool:
    """Whether the server declares tasks/cancel."""
    value: Any = parsed(session.opening.encode())
    for name in ("result", "capabilities", "tasks", "cancel"):
        value = value.get(name) if isinstance(value, dict) else None
    return value is not None


def _naming(session: Session, number: str) -> str:
    return json.dumps({"params": session.params({"taskId": number})})[1:-1]


def _milliseconds(value: Any) -> float | None:
    """A time in seconds; None for what is none."""
    is_time = isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0
    return min(value, 1e12) / 1000 if is_time else None
