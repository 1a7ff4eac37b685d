"""MCP106 and MCP107: what becomes of a call as a task, an experimental part of the revision 2025-11-25.

The stimulus for a tool makes three tasks between plain calls (`runners/mcp/tasks.py`): of the first the end is polled for, of
the second the result is asked for at once, and the third is cancelled. The order of the answers decides, and no clock does. A
server is asked about a task that there is not; MCP035 judges whether it survives the cancellation of one.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from aptix_conformance.core.model import Call, Declaration
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib.documents import read
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.systems.mcp.facts import TaskStep
from aptix_conformance.systems.mcp.rules.accessors import (
    Message,
    members,
    received,
    task_support,
    wire,
)
from aptix_conformance.systems.mcp.rules.messages import INVALID_PARAMS

_FINAL: Final = ("completed", "failed", "cancelled")
_STATES: Final = ("working", "input_required", *_FINAL)
_RELATED: Final = "io.modelcontextprotocol/related-task"
_PLAIN_CALLS: Final = 3
"""Plain calls that have to be alike, before a task's result is compared with them."""
_TIME: Final = re.compile(r"\d{4}-?\d{2}-?\d{2}[Tt ]\d{2}:?\d{2}\S*")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_time(value: Any) -> bool:
    return isinstance(value, str) and _TIME.fullmatch(value) is not None


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


_REQUIRED: Final[dict[str, Callable[[Any], bool]]] = {
    "taskId": _is_text,
    "status": lambda value: value in _STATES,
    "createdAt": _is_time,
    "lastUpdatedAt": _is_time,
    "ttl": lambda value: value is None or _is_number(value),
}
_OPTIONAL: Final[dict[str, Callable[[Any], bool]]] = {"statusMessage": _is_text, "pollInterval": _is_number}


def _steps(call: Call) -> Sequence[TaskStep]:
    facts = received(call)
    return facts.steps if facts else ()


_is_followed = wire("task")


def _answer(step: TaskStep) -> Message:
    return members(read(step.message).value)


def _result(step: TaskStep) -> Message:
    return members(_answer(step).get("result"))


def _code(step: TaskStep) -> Any:
    return members(_answer(step).get("error")).get("code")


def _state(step: TaskStep) -> Message | None:
    """The task that an answer tells of; None for one that tells of none."""
    if step.asked == "create":
        task = _result(step).get("task")
        return task if isinstance(task, dict) else None
    return _result(step) if step.asked in ("get", "cancel") and "result" in _answer(step) else None


def _status(step: TaskStep) -> Any:
    return (_state(step) or {}).get("status")


def _is_accepted(step: TaskStep) -> bool:
    """Whether a call as a task was neither refused nor failed at once."""
    return step.asked == "create" and bool(_result(step)) and _result(step).get("isError") is not True


def _tasks(steps: Sequence[TaskStep]) -> Iterator[list[TaskStep]]:
    """The requests about each task, in their order."""
    for number in sorted({step.task for step in steps} - {0}):
        yield [step for step in steps if step.task == number]


def _how(step: TaskStep) -> str:
    """An answer in a few words: an error, a result, or none."""
    if not step.message:
        return "was not answered"
    if "error" in _answer(step):
        return f"was answered with the error {printable(repr(_code(step)), 20)}"
    return "was answered with a result"


def _faults_of_form(steps: Sequence[TaskStep]) -> Iterator[Finding]:
    for step in steps:
        method = "tools/call" if step.asked == "create" else f"tasks/{step.asked}"
        task = _state(step)
        if _is_accepted(step) and task is None:
            yield Finding("A call as a task was answered with a result that holds no task.", cause="no task")
        if task is None:
            continue
        names = [name for name, fits in _REQUIRED.items() if name not in task or not fits(task[name])]
        names += [name for name, fits in _OPTIONAL.items() if name in task and not fits(task[name])]
        if names:
            text = f"The task in the answer to {method} lacks, or has of another type: {', '.join(names)}."
            yield Finding(text, cause=("form", *names))


def _faults_of_ids(steps: Sequence[TaskStep]) -> Iterator[Finding]:
    created = [(_state(step) or {}).get("taskId") for step in steps if step.asked == "create"]
    texts = [each for each in created if isinstance(each, str)]
    if len(set(texts)) < len(texts):
        yield Finding("Two tasks have the same taskId.", cause="same id")
    for life in _tasks(steps):
        own = (_state(life[0]) or {}).get("taskId")
        answered = [task.get("taskId") for step in life[1:] if (task := _state(step)) is not None]
        if any(isinstance(each, str) and each != own for each in answered):
            yield Finding("A question about one task was answered with another's taskId.", cause="other id")


def _faults_of_states(life: Sequence[TaskStep]) -> Iterator[Finding]:
    final, is_cancelled = None, False
    for step, following in pairwise([*life, None]):
        assert step is not None
        status = _status(step)
        if final and status in _STATES and status != final:
            yield Finding(f"A task was {final}, and then {status}.", cause="final")
        if step.asked == "cancel" and status in _STATES and status != "cancelled" and not final:
            yield Finding(f"tasks/cancel was answered with the status {status}.", cause="cancel")
        is_gone = is_cancelled and _code(step) == INVALID_PARAMS
        if step.asked == "get" and "result" not in _answer(step) and not is_gone:
            message = f"tasks/get of a task before the end of its ttl {_how(step)}."
            yield Finding(message, cause="get", timed=not step.message)
        if following is not None and _status(following) == "working" and not final:
            yield from _faults_before_the_end(step)
        final = final or (status if status in _FINAL else None)
        is_cancelled |= final == "cancelled"


def _faults_before_the_end(step: TaskStep) -> Iterator[Finding]:
    """A request after which the task is still at work."""
    if step.asked == "result":
        message = f"tasks/result {_how(step)}, and the task was still working after that."
        yield Finding(message, cause="early")
    if step.asked == "cancel" and "error" in _answer(step):
        message = f"tasks/cancel of a task that was working and went on {_how(step)}."
        yield Finding(message, cause="cancel")


def _faults_of_results(life: Sequence[TaskStep]) -> Iterator[Finding]:
    number = (_state(life[0]) or {}).get("taskId")
    results = [step for step in life if step.asked == "result"]
    is_done = any(_status(step) in ("completed", "failed") for step in life)
    for step in results:
        if "result" not in _answer(step):
            continue
        if members(members(_result(step).get("_meta")).get(_RELATED)).get("taskId") != number:
            message = f"A result of tasks/result does not name its task in _meta as {_RELATED}."
            yield Finding(message, cause="related")
        if is_done and not isinstance(_result(step).get("content"), list):
            yield Finding("A result of tasks/result has no list `content`.", cause="content")
    for before, step in pairwise(life):
        if step.asked == "result" and _status(before) in _FINAL and not step.message:
            yield Finding("tasks/result of a finished task was not answered.", cause="silent", timed=True)
    if len(results) > 1 and "error" in _answer(results[0]) and "result" in _answer(results[1]):
        message = f"tasks/result before the end of the task {_how(results[0])}; it has to wait for the end."
        yield Finding(message, cause="early")


def _outcome_and_content(step: TaskStep) -> Any:
    """The outcome of a plain call or a task: a result without `_meta`, or an error."""
    if "error" in _answer(step):
        return "error", _answer(step)["error"]
    result = {"isError": False, **_result(step)}
    return "result", {name: value for name, value in result.items() if name != "_meta"}


def _difference(steps: Sequence[TaskStep]) -> Iterator[Finding]:
    """A result that is another than that of the plain calls around it, of which each is the same.

    An SDK in wide use refuses the plain call of a tool that demands tasks by a failure, so only a success is compared.
    """
    calls = [step for step in steps if step.asked == "call"]
    plain = [
        _outcome_and_content(step)
        for step in calls
        if _result(step) and _result(step).get("isError") is not True
    ]
    # The last result of a task: an earlier one was refused before its end.
    tasks = [
        _outcome_and_content([step for step in life if step.asked == "result"][-1])
        for life in _tasks(steps)
        if any(step.asked == "result" and step.message for step in life)
    ]
    is_steady = len(plain) == _PLAIN_CALLS and all(each == plain[0] for each in plain)
    if is_steady and len(tasks) > 1 and all(each == tasks[0] for each in tasks) and tasks[0] != plain[0]:
        shown = printable(str(tasks[0][1]), 120)
        yield Finding(f"tasks/result gave something else than the plain call: {shown}.", cause="result")


def _with_tasks(declaration: Declaration) -> str | None:
    support = task_support(declaration)
    if support is None:
        return "the server runs no calls as tasks"
    if declaration.kind == "tool" and support not in ("optional", "required"):
        return "execution.taskSupport is not optional or required"
    return None


@rule(
    "MCP106",
    "MCP.C.7",
    applies=_with_tasks,
    when=lambda call: _is_followed(call) and any(map(_is_accepted, _steps(call))),
    unseen_reason=NotApplicable("no call as a task was accepted"),
    probes=("wire",),
    differs_by="the part of the promise that is broken, and for a task without its form the members that are wrong",
    remedy="Give each task an id of its own, and in every answer taskId, status, createdAt, lastUpdatedAt and ttl. Let "
    "tasks/result wait for the end, and then give what the plain call gives, with the task's id in _meta. Never change "
    "completed, failed or cancelled.",
)
def task_keeps_its_promise(call: Call) -> Iterator[Finding]:
    """A call as a task gives a task of its own, which moves to one final state, and then what the plain call gives.

    A task may be further than `working` in the first answer, and may go from `input_required` back to `working`; what needs
    input is not judged further. tasks/result waits for the end, and names its task. A result is compared only where three
    plain calls between the tasks succeed and are alike, and two tasks are alike. A task may be forgotten when its `ttl` is
    over, or when it was cancelled.
    """
    steps = _steps(call)
    yield from _faults_of_form(steps)
    yield from _faults_of_ids(steps)
    findings: list[Finding] = []
    for life in _tasks(steps):
        findings += _faults_of_states(life)
        findings += _faults_of_results(life)
    yield from findings
    if not findings:
        yield from _difference(steps)


def _refusable_requests(call: Call) -> Iterator[tuple[str, TaskStep]]:
    """Each request that has to be refused, in words, with its answer."""
    steps = _steps(call)
    for step in steps:
        if step.task == 0 and step.asked != "call":
            yield f"tasks/{step.asked} of an unknown task", step
    for life in _tasks(steps):
        for before, step in pairwise(life):
            if step.asked == "cancel" and _status(before) in _FINAL:
                yield "tasks/cancel of a finished task", step


@rule(
    "MCP107",
    "MCP.C.7",
    of=("tool", "server"),
    applies=_with_tasks,
    when=lambda call: any(_refusable_requests(call)),
    unseen_reason=NotApplicable("no task came to its end that could have been cancelled"),
    probes=("wire", "server"),
    differs_by="the question that was asked",
    remedy="Answer tasks/get, tasks/result and tasks/cancel with the error -32602 where there is no such task, and tasks/cancel "
    "also where the task is completed, failed or cancelled.",
)
def wrong_task_is_refused(call: Call) -> Iterator[Finding]:
    """An unknown taskId, and the cancellation of a finished task, are refused with -32602.

    tasks/cancel is judged only where the server declares it. An unknown id is the server's to refuse, a finished task the tool's.
    """
    for words, step in _refusable_requests(call):
        if _code(step) != INVALID_PARAMS:
            yield Finding(f"{words} {_how(step)}.", cause=words, timed=not step.message)
