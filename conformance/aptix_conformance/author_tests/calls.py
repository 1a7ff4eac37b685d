"""How a test makes the call of a finding: after earlier calls, with a cancelled token, with a failing service, in a process.

Each way is the functions of the test file that make the call, and the lines of the test that run it.
"""

import json
from dataclasses import dataclass
from typing import Any, Final

from aptix_conformance.author_tests.reasons import unshown
from aptix_conformance.author_tests.source import INDENT
from aptix_conformance.model import CancellationPoint, Disturbance, InjectedFault, Kind, Outcome
from aptix_conformance.model.disturbance import WatchedArguments
from aptix_conformance.model.report import CallReport, FindingReport

MOST_EARLIER: Final = 8
"""Earlier calls that a test may make."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a call is made: functions, the lines of the test before its assertions, and the names that both use.

    `service` is the name of the class of `classes` that replaces each service of the tool; empty where none is replaced.
    """

    functions: tuple[str, ...]
    run: tuple[str, ...]
    classes: tuple[str, ...] = ()
    modules: tuple[str, ...] = ("asyncio",)
    harness: tuple[str, ...] = ("CancellationToken",)
    constants: tuple[str, ...] = ()
    service: str = ""


_NONE: Final = "CancellationToken.none()"
_RESULT: Final = "result = asyncio.run(call())"

_FAULTS: Final = {
    "unknown": "raise UnforeseenError(SECRET)",
    "key_error": "raise KeyError(SECRET)",
    "os_error": "raise OSError(SECRET)",
    "timeout": "raise TimeoutError(SECRET)",
    "exception_group": "raise ExceptionGroup(SECRET, [ValueError(SECRET)])",
}
"""What a failing service does, by the kind of the fault."""

_UNFORESEEN: Final = '''\
class UnforeseenError(Exception):
    """An exception of which the tool knows nothing."""
'''

_FAILING: Final = '''\
class FailingService:
    """A service whose methods all fail."""

    def __getattr__(self, name):
        def fail(*args, **kwargs):
            {fault}

        return fail
'''

_IN_PROCESS: Final = """\
def call_in_process(answers):
    answers.send("started")
    asyncio.run(call())
    answers.send("returned")
"""

_RUN_IN_PROCESS: Final = (
    'context = multiprocessing.get_context("spawn")',
    "here, there = context.Pipe(duplex=False)",
    "process = context.Process(target=call_in_process, args=(there,))",
    "process.start()",
    "there.close()",
    "try:",
    '    assert here.recv() == "started"',
    '    assert here.poll(SECONDS), "the call did not come back"',
    '    assert here.recv() == "returned"  # EOFError: the process ended',
    "finally:",
    "    process.kill()",
    "    process.join()",
)


def parsed_arguments(arguments: str | None) -> Any:
    """The value that a client or an orchestrator parses from the arguments of a call.

    Raises:
        ReportError: they are no JSON.
    """
    try:
        return json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        raise unshown("the arguments are no JSON") from None


def refuse_unshown(finding: FindingReport) -> None:
    """Refuse a finding that no test can show.

    Raises:
        ReportError: it was not reproduced, takes calls at the same time, or too many or disturbed earlier calls.
    """
    if not finding.reproduced:
        raise unshown("it was seen once and not again, so that a test would pass by chance")
    if finding.call is not None and finding.call.plan.kind is Kind.TOGETHER:
        raise unshown("it takes calls at the same time, whose order differs from run to run")
    if len(finding.history) > MOST_EARLIER:
        raise unshown(
            f"it takes {len(finding.history)} earlier calls, and a test makes at most {MOST_EARLIER}"
        )
    if any(_disturbing(plan.disturbance) for plan in finding.history):
        raise unshown("the suite disturbed an earlier call")


def earlier_calls(finding: FindingReport, *lines: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines that make the calls of `EARLIER`, whatever comes of them, and the modules that they use; none without one."""
    return (lines, ("contextlib",)) if finding.history else ((), ())


def refuse_disturbed(call: CallReport) -> None:
    """Refuse a call that the suite disturbed.

    Raises:
        ReportError: it did.
    """
    if _disturbing(call.plan.disturbance):
        raise unshown("the suite disturbed the call that did not come back")


def in_own_process(call: CallReport, function: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The functions and the lines of a test that makes the call of `function` in a process of its own.

    Raises:
        ReportError: a plain test cannot show how the call ended.
    """
    if call.outcome not in {Outcome.TIMED_OUT, Outcome.CRASHED, Outcome.RAISED}:
        raise unshown("it needs the suite's limits on memory, output and processes")
    refuse_disturbed(call)
    return (function, _IN_PROCESS), _RUN_IN_PROCESS


def way_of(rule: str, finding: FindingReport, call: CallReport, *, seconds: float, services: bool) -> Way:
    """How a test makes the call of a finding.

    Raises:
        ReportError: a plain test cannot make it.
    """
    earlier, _ = earlier_calls(
        finding,
        "for arguments, context in EARLIER:",
        "    with contextlib.suppress(Exception):",
        f"        await make_tool().execute(arguments, context, {_NONE})",
    )
    if rule == "EXC002":
        return _in_process(call, earlier, seconds)
    disturbance = _disturbing(call.plan.disturbance)
    match disturbance:
        case None:
            return _plain(rule, earlier)
        case CancellationPoint():
            return _cancelled(rule, disturbance, earlier)
        case InjectedFault():
            return _failing(disturbance, earlier, services=services)
    raise unshown("the suite replaced something that the tool uses")


def _disturbing(disturbance: Disturbance | None) -> Disturbance | None:
    """A disturbance that changes the call; None for one that only watches it."""
    watches = isinstance(disturbance, WatchedArguments) or (
        isinstance(disturbance, CancellationPoint) and disturbance.is_watched_only
    )
    return None if watches else disturbance


def _function(*lines: str) -> str:
    return "async def call():\n" + "".join(f"{INDENT}{line}".rstrip() + "\n" for line in lines)


def _modules(earlier: tuple[str, ...], *others: str) -> tuple[str, ...]:
    return ("asyncio", *others, *(("contextlib",) if earlier else ()))


def _plain(rule: str, earlier: tuple[str, ...]) -> Way:
    made = f"make_tool().execute(ARGUMENTS, CONTEXT, {_NONE})"
    if rule == "REG008":
        lines = (f"awaitable = {made}", "assert inspect.isawaitable(awaitable)", "return await awaitable")
        return Way(
            (_function(*earlier, *lines),), ("asyncio.run(call())",), modules=_modules(earlier, "inspect")
        )
    way = Way((_function(*earlier, f"return await {made}"),), (_RESULT,), modules=_modules(earlier))
    if rule != "RES011":
        return way
    twice = _function(*earlier, f"first = await {made}", f"second = await {made}", "return first, second")
    run = (
        "first, second = asyncio.run(call())",
        "assert first.successful and second.successful",
        "assert json.loads(second.result) == json.loads(first.result)",
    )
    return Way((twice,), run, modules=_modules(earlier, "json"))


def _in_process(call: CallReport, earlier: tuple[str, ...], seconds: float) -> Way:
    body = _function(*earlier, f"return await make_tool().execute(ARGUMENTS, CONTEXT, {_NONE})")
    functions, run = in_own_process(call, body)
    return Way(
        functions,
        run,
        modules=_modules(earlier, "multiprocessing"),
        constants=(f"SECONDS = {seconds:g}",),
    )


def _cancelled(rule: str, point: CancellationPoint, earlier: tuple[str, ...]) -> Way:
    if point.kind == "task" and rule != "CAN007":
        raise unshown("it takes a cancelled task, and something that only the suite sees")
    if point.kind in ("token", "task") and point.at != 1:
        raise unshown("the call is cancelled where it waits a later time, which a plain test cannot find")
    lines = ("source = CancellationTokenSource()", *_cancelling(point))
    end: tuple[str, ...] = ("return await task",)
    run: tuple[str, ...] = (_RESULT,)
    modules = _modules(earlier)
    if point.kind == "task":
        run, modules = (
            ("with pytest.raises(asyncio.CancelledError):", "    asyncio.run(call())"),
            (*modules, "pytest"),
        )
    elif rule == "CAN005":
        end = (f"ended, _ = await asyncio.wait([task], timeout={point.within:g})", "return ended")
        run = ("assert asyncio.run(call())",)
    function = _function(*earlier, *lines, *end)
    return Way((function,), run, modules=modules, harness=("CancellationTokenSource",))


def _cancelling(point: CancellationPoint) -> tuple[str, ...]:
    """The lines that start the call as a task, and cancel it."""
    start = "task = asyncio.create_task(make_tool().execute(ARGUMENTS, CONTEXT, source.token))"
    waits = f"await asyncio.sleep({point.hold:g})  # the call begins, and waits"
    match point.kind:
        case "before":
            return ("source.cancel()", start)
        case "delay":
            return (start, f"await asyncio.sleep({point.at:g})", "source.cancel()")
        case "task":
            return (start, waits, "task.cancel()")
        case _:
            return (start, waits, "source.cancel()")


def _failing(fault: InjectedFault, earlier: tuple[str, ...], *, services: bool) -> Way:
    if fault.area != "service" or not services:
        raise unshown("the suite made a library fail that the tool calls by itself")
    if fault.number != 1 or earlier:
        raise unshown("a service fails at a later use, which a plain test cannot find")
    does = _FAULTS.get(fault.fault)
    if does is None:
        raise unshown(f"the service fails in a way that only the suite can cause ({fault.fault})")
    failing = _FAILING.format(fault=does)
    classes = (_UNFORESEEN, failing) if fault.fault == "unknown" else (failing,)
    constants = ('SECRET = "postgresql://service:not-for-the-model@db"',) if "SECRET" in does else ()
    function = _function(f"return await make_tool().execute(ARGUMENTS, CONTEXT, {_NONE})")
    return Way((function,), (_RESULT,), classes, constants=constants, service="FailingService")
