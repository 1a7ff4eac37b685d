"""CAN: what a tool does when it is cancelled, by its token or as a task, and what it leaves behind.

The rules partition the faults. CAN001 judges what a cancelled call threw. CAN002 judges failed results; CAN003 and
CAN004 judge successful results that do not say why the call ended early. A call that ends normally in time breaks none
of them. If a call takes too long, CAN005 reports tools that checked their token, CAN006 tools that never did, and
CAN009 tools that blocked the event loop. EXC002 reports calls that never return.

A finding about time, or about what a call leaves running, needs two equal calls that both show it: a busy machine is
not the tool's fault.

One file, because the rules partition the faults: each is read beside those that it leaves its other cases to.
"""

import json
import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any, Final

from aptix_conformance.core.model import Call, CancellationPoint, Disturbance, Disturbed, Exploration
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib.documents import has_readable_payload, payload_of, strings_in
from aptix_conformance.rules.lib.earlier_calls import AnyTellingCall, refused_at_times
from aptix_conformance.rules.lib.kernel import Finding, NoSuccess, NotApplicable, rule
from aptix_conformance.rules.lib.leaks import error_texts
from aptix_conformance.rules.lib.scope import (
    BY_EXCEPTION,
    WITH_SLOW_CALLS,
    answered,
    any_call,
    both,
    came_back,
    payload,
    raised_at,
    repeated,
    returned,
    sort_of_leftover,
    threw,
    thrown,
    to_be_accepted,
    valid,
)

CANCELLATION_WORDS: Final = re.compile(r"cancel|abort|interrupt|terminat|stopped|halted", re.IGNORECASE)
"""Words by which a text says that something was cancelled."""

_NEVER_WAITS: Final = "no call that works was ever suspended"
_BY_PLACE: Final = "the place where the call was cancelled"
_TWICE: Final = 2


# ---- selecting calls


def _point(call: Call) -> CancellationPoint:
    return call.plan.cancellation or CancellationPoint("watch")


def _disturbed(call: Call) -> Disturbed:
    return call.disturbed or Disturbed(reached=False)


def _watched(call: Call) -> bool:
    """The cancel probe made the call without cancelling it."""
    point = call.plan.cancellation
    return point is not None and point.is_watched_only


def _by_token(call: Call) -> bool:
    """The token was cancelled during the call, and the call ended."""
    point = call.plan.cancellation
    return point is not None and point.is_of_token and _disturbed(call).reached and came_back(call)


def _as_task(call: Call) -> bool:
    """The task was cancelled during the call, and the call ended."""
    point = call.plan.cancellation
    return point is not None and point.kind == "task" and _disturbed(call).reached and came_back(call)


def _is_cancelled(call: Call) -> bool:
    return _by_token(call) or _as_task(call)


def _moment(call: Call) -> tuple[str | None, Disturbance | None]:
    """The key of equal calls: the arguments, and the moment of the cancellation."""
    return call.plan.arguments, call.plan.disturbance


def _groups(calls: Iterable[Call]) -> list[list[Call]]:
    """Groups of at least two equal calls, in the order of the calls.

    The first call of a process is left out: it may import, connect and initialise for all later calls. Only where a tool
    changes the files that it was given is each call the first of its process.
    """
    groups: dict[Hashable, list[Call]] = {}
    for call in calls:
        groups.setdefault(_moment(call), []).append(call)
    comparable = (_later_calls(group) for group in groups.values())
    return [group for group in comparable if len(group) >= _TWICE]


def _comparable(exploration: Exploration) -> Iterator[Call]:
    """The calls that were not the first of their process; the first ones too where the uncancelled ones are first ones."""
    is_cold = any(_watched(call) and not call.earlier and came_back(call) for call in exploration.calls)
    return (call for call in exploration.calls if call.earlier or is_cold)


def _later_calls(group: list[Call]) -> list[Call]:
    """Those of some equal calls that were not the first of their process; all of them where each was, and came back."""
    later = [call for call in group if call.earlier]
    return later or [call for call in group if came_back(call)]


# ---- what a cancelled call returns


@rule(
    "CAN001",
    "AGN-005.8.3",
    when=_by_token,
    masks_others=True,
    unseen_reason=NoSuccess("no call could be cancelled"),
    probes=("repeat", "cancel"),
    differs_by=BY_EXCEPTION,
    remedy="Catch what the token raises, OperationCanceledError, and return a successful result that says that the "
    "call was cancelled.",
)
def cancelled_token_is_not_thrown(call: Call) -> Finding | None:
    """A call whose token is cancelled comes back as a result; nothing is thrown.

    The token asks a tool to stop; the caller that cancelled it waits for an answer. An OperationCanceledError that
    leaves `execute` is an exception like any other, and so is a CancelledError that nobody requested.
    """
    if not threw(call) or call.raised is None:
        return None
    of_cancelling = call.raised.type_name == "OperationCanceledError" or call.raised.category == "cancelled"
    if of_cancelling or to_be_accepted(call):
        return Finding(f"The tool raised {thrown(call)}.", cause=raised_at(call))
    return None


@rule(
    "CAN002",
    "AGN-005.8.2",
    when=AnyTellingCall(both(_by_token, answered)),
    unseen_reason=NoSuccess("no call was cancelled and answered"),
    probes=("repeat", "cancel"),
    differs_by=_BY_PLACE,
    remedy='Return InvokeResult.create(…) with a member that says so, such as "cancelled": true.',
)
def cancelled_call_succeeds(exploration: Exploration) -> Iterator[Finding]:
    """A call whose token is cancelled gives a successful result, not a failed one.

    Cancellation is not a failure: the tool did what it was asked to do. A call that still ends normally succeeds as
    well.
    """
    says_nothing = refused_at_times(exploration.calls)
    for call in filter(_by_token, exploration.calls):
        if not call.refused or says_nothing(call):
            continue
        error = next(error_texts(call), "")
        if to_be_accepted(call) or (
            CANCELLATION_WORDS.search(error) and not CANCELLATION_WORDS.search(call.plan.arguments or "")
        ):
            message = quoted(error, 120) if error else "without a message"
            yield Finding(f"The tool failed: {message}.", call, cause=_disturbed(call).place)


@rule(
    "CAN003",
    "AGN-005.8.2",
    when=lambda exploration: any(True for _ in _cut_short(exploration)),
    unseen_reason=NotApplicable("no call ended early because it was cancelled"),
    probes=("repeat", "cancel"),
    differs_by=_BY_PLACE,
    remedy='Say in the result that the call was cancelled: "cancelled": true.',
)
def result_says_that_the_call_was_cancelled(exploration: Exploration) -> Iterator[Finding]:
    """A successful result of a call that ended early because it was cancelled says that it was.

    Otherwise the model takes a partial answer for the whole answer.
    """
    for call, normal in _cut_short(exploration):
        if not _says_so(call) and not _says_anything(call, normal):
            message = f"The result {payload(call)} says nothing of the cancellation."
            yield Finding(message, call, cause=_disturbed(call).place)


@rule(
    "CAN004",
    "AGN-005.8.2",
    when=lambda exploration: any(True for _ in _cut_short(exploration)),
    unseen_reason=NotApplicable("no call ended early because it was cancelled"),
    probes=("repeat", "cancel"),
    differs_by=_BY_PLACE,
    remedy='Use the word that the model looks for: "cancelled": true.',
    source="advice",
)
def result_names_the_cancellation(exploration: Exploration) -> Iterator[Finding]:
    """A cancelled call that reports its early end uses a word for cancellation."""
    for call, normal in _cut_short(exploration):
        if not _says_so(call) and _says_anything(call, normal):
            message = f"The result {payload(call)} may mean that it was cancelled, and does not use the word."
            yield Finding(message, call, cause=_disturbed(call).place)


# ---- how long a cancelled call takes


@rule(
    "CAN005",
    "TUL-011.3.6",
    "AGN-005.8.1",
    applies=lambda declaration: declaration.traits.undisturbed.get("cancel"),
    when=any_call(_by_token),
    unseen_reason=NoSuccess("no call could be cancelled"),
    probes=("repeat", "cancel"),
    differs_by=_BY_PLACE,
    remedy="Check the token while waiting, not between waits: await token.wait() together with the work, or register a "
    "callback that ends the wait.",
)
def cancelled_call_ends_promptly(exploration: Exploration) -> Iterator[Finding]:
    """A call whose token is cancelled ends within a second, or within 25% of its normal duration if that is longer.

    `cancel_grace` in the configuration sets another time than a second.
    """
    for group in _groups(filter(_by_token, exploration.calls)):
        if all(_disturbed(call).token_passed and not call.token_consultations for call in group):
            continue  # whatever has the token now must end the wait
        call = min(group, key=lambda call: _disturbed(call).after)
        if _disturbed(call).after <= _point(call).within:
            continue
        duration = f"{_disturbed(call).after:.1f} s where {_point(call).within:g} s are allowed"
        finding = Finding(f"The call went on for {duration}.", call, "", _disturbed(call).place, timed=True)
        defers_to = _reports_delay(group)
        if not defers_to:
            yield finding
            continue
        # None of the equal calls shows this rule anything then, so each of them gives way.
        for equal in filter(_by_token, exploration.calls):
            if _moment(equal) == _moment(call):
                yield replace(finding, call=equal, defers_to=defers_to)


def _reports_delay(calls: list[Call]) -> str:
    """The rule that reports a delay where it is not one between two looks at the token."""
    if any(map(_blocks, calls)):
        return "CAN009"
    return "" if all(call.token_consultations for call in calls) else "CAN006"


@rule(
    "CAN006",
    "TUL-011.3.6",
    "AGN-005.8.1",
    when=lambda exploration: bool(_long_running(exploration)),
    unseen_reason=NotApplicable(
        "no call took longer than a second, and the tool is not configured as long_running"
    ),
    probes=WITH_SLOW_CALLS,
    remedy="Check cancellation_token during the work, and pass it to the services that do the work.",
)
def long_running_tool_consults_its_token(exploration: Exploration) -> Iterator[Finding]:
    """A tool that takes longer than a second, or that its author calls long-running, checks its token or passes it on."""
    for calls in _long_running(exploration).values():
        if any(call.token_consultations or _disturbed(call).token_passed for call in calls):
            continue
        duration = min(call.elapsed for call in calls)
        message = f"The tool never looked at its token in {len(calls)} calls of {duration:.1f} s or more."
        defers_to = "CAN009" if any(map(_blocks, calls)) else ""
        yield Finding(message, calls[0], defers_to, timed=True)


# ---- tasks, background work and the event loop


@rule(
    "CAN007",
    "AGN-005.8.1",
    when=_as_task,
    masks_others=True,
    unseen_reason=NotApplicable(_NEVER_WAITS),
    probes=("repeat", "cancel"),
    differs_by="whether the cancellation was swallowed, and otherwise the exception's type and where in the tool's own code it came from",
    remedy="Catch Exception, not BaseException; if you catch CancelledError to clean up, raise it again.",
)
def task_cancellation_goes_through(call: Call) -> Finding | None:
    """When the task that runs the call is cancelled, CancelledError comes out of `execute` unchanged.

    Timeouts and the shutdown of a server depend on it. A tool that swallows it or converts it continues to run after
    its caller has stopped waiting.
    """
    if returned(call):
        return Finding("The tool swallowed CancelledError and returned.")
    if call.raised is not None and call.raised.category != "cancelled":
        message = f"The tool made {thrown(call)} of CancelledError."
        return Finding(message, cause=raised_at(call))
    return None


@rule(
    "CAN008",
    "AGN-005.8.1",
    "TUL-011.3.6",
    when=lambda exploration: any(map(_is_cancelled, _comparable(exploration))),
    unseen_reason=NotApplicable(_NEVER_WAITS),
    probes=WITH_SLOW_CALLS,
    differs_by="the first kind of task, thread, process or socket that was left",
    remedy="Wait for everything that you start: use asyncio.TaskGroup for tasks, async with for connections, and "
    "try … finally to end processes and threads.",
)
def nothing_is_left_running(exploration: Exploration) -> Iterator[Finding]:
    """A cancelled call leaves no task, thread, child process or socket behind that an uncancelled one does not.

    The suite waits for what is about to end. A pool that lives as long as the process is not a leak; neither is an idle
    thread of a pool.
    """
    usual = {
        sort_of_leftover(text)
        for call in exploration.calls
        if _watched(call)
        for text in _disturbed(call).left_running
    }
    for group in _groups(filter(_is_cancelled, exploration.calls)):
        kinds = [{sort_of_leftover(text) for text in _disturbed(call).left_running} for call in group]
        stayed = set.intersection(*kinds) - usual
        leftovers = [text for text in _disturbed(group[0]).left_running if sort_of_leftover(text) in stayed]
        if leftovers:
            more = f" and {len(leftovers) - 1} more" if len(leftovers) > 1 else ""
            message = f"{printable(leftovers[0][:1].upper() + leftovers[0][1:], 160)}{more} went on."
            yield Finding(message, group[0], cause=sort_of_leftover(leftovers[0]), timed=True)


@rule(
    "CAN009",
    "AGN-005.8.1",
    "TUL-011.3.6",
    when=any_call(lambda call: call.disturbed is not None and call.plan.cancellation is not None),
    unseen_reason=NoSuccess("no call could be watched"),
    probes=WITH_SLOW_CALLS,
    remedy="Await long operations; run code that cannot be awaited in a thread: await asyncio.to_thread(…).",
)
def event_loop_stays_responsive(exploration: Exploration) -> Iterator[Finding]:
    """A call yields to the event loop at least once a second; a blocked loop delivers no cancellation.

    It also stops every other call in the process. `block_limit` in the configuration sets another time.
    """
    for group in _groups(call for call in exploration.calls if call.plan.cancellation is not None):
        call = min(group, key=lambda call: _disturbed(call).blocked)
        if _blocks(call):
            stack = printable(_disturbed(call).blocked_at, 400) or "in code that cannot be looked into"
            phrase = f"kept the event loop to itself for {_disturbed(call).blocked:.1f} s, {stack}"
            yield Finding(f"The call {phrase}.", call, timed=True)


def _blocks(call: Call) -> bool:
    return _disturbed(call).blocked > _point(call).block


def _long_running(exploration: Exploration) -> dict[str, list[Call]]:
    """Successful, uncancelled calls that are long-running, or said to be, grouped by arguments."""
    calls: dict[str, list[Call]] = {}
    for call in exploration.calls:
        if call.succeeded and (_watched(call) or valid(call)):
            calls.setdefault(call.plan.arguments or "", []).append(call)
    return {arguments: same for arguments, same in calls.items() if _is_long(same)}


def _is_long(calls: list[Call]) -> bool:
    """Whether two of several equal calls took long, or the author calls the tool long-running.

    Not all of them need to: the time that a call waited for a processor is not counted, even if the call would have slept
    meanwhile, so a busy machine makes a call look short.
    """
    watched = [call for call in calls if _watched(call)]
    allowed = max((_point(call).within for call in watched), default=0.0)
    times = sorted(min(one.elapsed, _disturbed(one).after) if _watched(one) else one.elapsed for one in calls)
    return bool(watched) and (any(_point(call).long for call in watched) or times[-_TWICE:][0] > allowed)


# ---- what a result says about cancellation


def _cut_short(exploration: Exploration) -> Iterator[tuple[Call, list[Call]]]:
    """Yield (call, uncancelled equal calls) for successful calls that ended early because their token was cancelled.

    A payload that says that the call was cancelled, as those of uncancelled calls do not, shows it. If the uncancelled
    calls all give one payload, any other payload shows an early end. Where the tool answers other equal
    calls by chance, these may have agreed by chance too: then the payload has another shape, or suspensions are missing. If the
    uncancelled calls do not give one payload, an early end shows as fewer suspensions than in any of them together with a
    payload of another shape.
    """
    usual: dict[str | None, list[Call]] = {}
    for call in exploration.calls:
        if (_watched(call) or valid(call) or repeated(call)) and has_readable_payload(call):
            usual.setdefault(call.plan.arguments, []).append(call)

    @cache  # few calls ask for it
    def texts(arguments: str | None) -> set[str]:
        return set(map(_text, usual[arguments]))

    for call in filter(_by_token, exploration.calls):
        normal = usual.get(call.plan.arguments, []) if has_readable_payload(call) else []
        has_other_shape = _shape(call) not in set(map(_shape, normal)) if normal else False
        is_shorter = _is_shorter(call, normal)
        if len(normal) >= _TWICE and len(values := texts(call.plan.arguments)) == 1:
            differs = _text(call) not in values and (
                has_other_shape or is_shorter or all(len(texts(arguments)) == 1 for arguments in usual)
            )
        else:
            differs = is_shorter and has_other_shape
        if differs or (normal and _says_so(call) and not any(map(_says_so, normal))):
            yield call, normal


def _is_shorter(call: Call, normal: list[Call]) -> bool:
    counts = [len(_disturbed(other).suspensions) for other in normal if _watched(other)]
    return bool(counts) and len(_disturbed(call).suspensions) < min(counts)


def _text(call: Call) -> str:
    """A payload as JSON text without the identifiers of its call, which differ between calls."""
    own = {text for text in strings_in(call.plan.context) if len(text) > 1} if call.plan.context else set()
    return json.dumps(_without(payload_of(call).value, own), sort_keys=True)


def _without(value: Any, texts: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: _without(item, texts) for key, item in value.items()}
    if isinstance(value, list):
        return [_without(item, texts) for item in value]
    return "" if isinstance(value, str) and value in texts else value


def _shape(call: Call) -> str:
    return json.dumps(_outline(payload_of(call).value), sort_keys=True)


def _outline(value: Any) -> Any:
    """A value with each scalar replaced by its type, and each array by whether it is empty."""
    if isinstance(value, dict):
        return {key: _outline(item) for key, item in value.items()}
    if isinstance(value, list):
        return "array" if value else "empty array"
    return "number" if type(value) in (int, float) else type(value).__name__


def _says_so(call: Call) -> bool:
    """Whether a payload has a word for cancellation: in a string, or as a key with a truthy value."""
    arguments = call.plan.arguments or ""
    waiting = [payload_of(call).value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if any(CANCELLATION_WORDS.search(key) and item for key, item in value.items()):
                return True
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, str) and value not in arguments and CANCELLATION_WORDS.search(value):
            return True
    return False


def _says_anything(call: Call, normal: list[Call]) -> bool:
    """Whether a payload has a string that neither the uncancelled payloads nor the call's own input have."""
    known = {text for other in normal for text in strings_in(payload_of(other).value)}
    known |= set(strings_in(call.plan.context)) if call.plan.context else set()
    arguments = call.plan.arguments or ""
    return any(text not in known and text not in arguments for text in strings_in(payload_of(call).value))
