"""CTX: the execution context, and the identifiers that a result takes from it."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from aptix_conformance.core.model import Call, Exploration
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib.documents import (
    has_readable_payload,
    member,
    plain,
    read,
    read_arguments,
    strings_in,
)
from aptix_conformance.rules.lib.earlier_calls import AnyTellingCall, by_turns, refused_at_times
from aptix_conformance.rules.lib.kernel import Finding, NoSuccess, rule
from aptix_conformance.rules.lib.leaks import error_texts, exception_words
from aptix_conformance.rules.lib.scope import (
    PROPER,
    answered,
    any_call,
    both,
    came_back,
    contextual,
    fault_of,
    faults,
    payload,
    raised_at,
    threw,
    thrown,
    to_be_accepted,
    together,
)

_NAMES: Final = {"session_id": "sessionId", "conversation_id": "conversationId"}
"""The identifiers: their name in a context, and their name in findings."""

_OF_A_MISSING_VALUE: Final = frozenset(
    ("AttributeError", "TypeError", "KeyError", "NullReferenceException", "ArgumentNullException")
)
"""Exceptions that the use of a missing value raises; no tool raises them to refuse a call."""


def own_identifiers(call: Call, name: str) -> list[Any]:
    """The identifiers in a call's context under one of `_NAMES`, without null; empty if it has none.

    Both the context and its request name the session; the context's own value comes first.
    """
    context = call.plan.context or {}
    request = member(context, "request")
    holders = [context, request] if name == "session_id" else [request]
    values = (member(holder, name) for holder in holders if isinstance(holder, Mapping))
    return [value for value in values if value is not None]


def _is_due(call: Call, name: str) -> bool:
    """Whether the context itself has a printable identifier."""
    context = call.plan.context or {}
    holder = context if name == "session_id" else member(context, "request")
    value = member(holder, name) if isinstance(holder, Mapping) else None
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


def is_unwarranted(call: Call) -> bool:
    """Whether a payload has an identifier under its key although the call's own context has none."""
    return has_readable_payload(call) and _unwarranted(call) is not None


def _unwarranted(call: Call) -> tuple[str, Any] | None:
    """(key, value) of an identifier in the payload that the context does not have; None without one."""
    for name, label in _NAMES.items():
        carried = _carried(call, name)
        if carried and not own_identifiers(call, name):
            return label, carried[0]
    return None


def _is_identified(call: Call) -> bool:
    return (
        (call.plan.disturbance is None or _is_cancelled(call))
        and not together(call)
        and has_readable_payload(call)
        and any(_is_due(call, name) for name in _NAMES)
    )


def _is_cancelled(call: Call) -> bool:
    point = call.plan.cancellation
    return point is not None and not point.is_watched_only


def _carried(call: Call, name: str) -> list[Any]:
    """The values under an identifier's key in a payload, in objects at any depth but not in arrays.

    A list of sessions is data, and so is a value that the caller sent. A payload that is a list of one object stands for that
    object. Null means no identifier.
    """
    own = own_identifiers(call, name)
    text = call.result.payload if call.result else None
    values = _identifiers_in(text)[name] if text is not None else []
    carried = [value for value in values if value is not None]
    if all(value in own for value in carried):
        return carried
    sent = _texts_sent(call.plan.arguments or "")
    return [value for value in carried if value in own or not (isinstance(value, str) and value in sent)]


@lru_cache(maxsize=4)  # several rules ask at once, for both identifiers
def _texts_sent(arguments: str) -> frozenset[str]:
    """The strings in arguments that are an object."""
    value = read_arguments(arguments).value
    return frozenset(strings_in(value)) if isinstance(value, dict) else frozenset()


@lru_cache(maxsize=4)  # as above
def _identifiers_in(text: str) -> dict[str, list[Any]]:
    """The values under each identifier's key in a payload, in objects at any depth but not in arrays."""
    identifiers: dict[str, list[Any]] = {name: [] for name in _NAMES}
    by_key = {plain(name): values for name, values in identifiers.items()}
    for key, value in _members(read(text).value):
        values = by_key.get(plain(key))
        if values is not None:
            values.append(value)
    return identifiers


def _members(value: object) -> Iterator[tuple[str, Any]]:
    waiting = list(value) if isinstance(value, list) and len(value) == 1 else [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            yield from item.items()
            waiting.extend(item.values())


def is_foreign(call: Call) -> bool:
    """Whether a payload has identifiers that are not the call's own."""
    return _is_identified(call) and _foreign(call) is not None


def _foreign(call: Call) -> str | None:
    """Why a payload's identifiers are not the call's own, as a phrase; None if they are, or if there are none."""
    for name, label in _NAMES.items():
        carried, own = _carried(call, name), own_identifiers(call, name)
        if _is_due(call, name) and carried and not any(value in own for value in carried):
            return f"{label} is {quoted(str(carried[0]), 60)} in the payload and {quoted(str(own[0]), 60)} in the context"
    return None


@rule(
    "CTX001",
    "AGN-005.5.2",
    "ART.4.1",
    when=any_call(contextual, came_back),
    kind=lambda call: call.plan.change.detail,
    masks_others=True,
    unseen_reason="no call with a part of the context missing was answered",
    probes=PROPER,
    differs_by="the exception's type and where in the tool's own code it came from, or the message of the failed result",
    remedy="Treat each part of the context as optional: session_id = context.session_id if context else None.",
)
def missing_context_is_no_obstacle(exploration: Exploration) -> Iterator[Finding]:
    """A context that is missing, incomplete or unusual does not break the tool.

    It broke where it raised, and where it failed because it used what is not there: it then logged the exception of a
    missing value, or handed on its words. A clean failed result with a clear message is allowed; CTX006 advises against it.
    """
    reported = faults(exploration.calls)
    for call in filter(contextual, exploration.calls):
        if threw(call):
            defers_to = "EXC001" if fault_of(call) in reported else ""
            message = f"The tool raised {thrown(call)}."
            yield Finding(message, call, defers_to, raised_at(call))
        elif _is_refused_for_context(call) and (used := _used_nothing(call)):
            message = f"The tool failed with {used}, and said: {_first_error_text(call)}."
            yield Finding(message, call, cause=_first_error_text(call))


@rule(
    "CTX006",
    "AGN-005.5.2",
    "ART.4.1",
    source="suite",
    when=AnyTellingCall(both(contextual, answered)),
    kind=lambda call: call.plan.change.detail,
    unseen_reason="no call with a part of the context missing was answered",
    probes=("context",),
    differs_by="the message of the refusal",
    remedy="Leave out what needs the missing part, and write null for a missing identifier; refuse only what cannot be done "
    "without it.",
)
def works_without_context(exploration: Exploration) -> Iterator[Finding]:
    """A call that succeeds also succeeds without a context, and without any part of it.

    The model cannot supply a context, so a refusal gives it nothing to do better. Words in which a call was refused that succeeds
    at other times, as too many calls an hour, are no refusal of a context.
    """
    other_rule = "RES010" if by_turns(exploration.calls) else ""
    says_nothing = refused_at_times(exploration.calls)
    for call in filter(_is_refused_for_context, exploration.calls):
        if says_nothing(call):
            continue
        defers_to = "CTX001" if _used_nothing(call) else other_rule
        message = f"The tool refused a call that it accepts with a context: {_first_error_text(call)}."
        yield Finding(message, call, defers_to, _first_error_text(call))


def _is_refused_for_context(call: Call) -> bool:
    return contextual(call) and call.refused and to_be_accepted(call)


def _is_cleanly_refused_for_context(call: Call) -> bool:
    return _is_refused_for_context(call) and _used_nothing(call) is None


def _used_nothing(call: Call) -> str | None:
    """The proof that a refused call used a value that is not there, as a phrase; None without one."""
    for record in call.logs:
        if record.exception_type in _OF_A_MISSING_VALUE:
            return f"the logged exception {printable(record.exception_type, 60)}"
    leak = exception_words(call)
    return leak.kind if leak else None


def _first_error_text(call: Call) -> str:
    return quoted(next(error_texts(call), "no message"), 120)


@rule(
    "CTX002",
    "TUL-011.3.3",
    "AGN-005.5.1",
    applies=lambda declaration: (
        f"{own} asks the same of it, by its own contract"
        if (own := declaration.own_rules.identifiers)
        else None
    ),
    when=_is_identified,
    differs_by="the identifiers that are missing",
    remedy="Put session_id and request.conversation_id of the context into the result object.",
)
def result_carries_the_identifiers(call: Call) -> Finding | None:
    """A successful result carries the session's and the conversation's identifiers if the context has them.

    So does one that says that the call was cancelled. Any casing counts, at the top of the payload or in an object inside it. A
    list of one object counts as that object.
    """
    missing = [label for name, label in _NAMES.items() if _is_due(call, name) and not _carried(call, name)]
    if not missing:
        return None
    message = f"The payload {payload(call)} carries no {' and no '.join(missing)}."
    return Finding(message, cause=tuple(missing))


@rule(
    "CTX003",
    "TUL-011.3.3",
    "AGN-005.5.1",
    when=_is_identified,
    remedy="Take the identifiers from the context of the current call; keep none between calls.",
)
def identifiers_are_the_calls_own(call: Call) -> Finding | None:
    """The identifiers that a result carries are those of its own call's context."""
    fault = _foreign(call)
    return Finding(f"The {fault}.") if fault else None


@rule(
    "CTX004",
    "AGN-005.5.2",
    when=AnyTellingCall(
        both(
            lambda call: has_readable_payload(call) or _is_cleanly_refused_for_context(call),
            lambda call: not all(own_identifiers(call, name) for name in _NAMES),
        )
    ),
    unseen_reason=NoSuccess("no call without an identifier in its context had a result to look at"),
    differs_by="the identifier",
    remedy="Write null if the context has no identifier, and keep none of an earlier call, in a cache or on the class.",
)
def absent_identifiers_are_null(exploration: Exploration) -> Iterator[Finding]:
    """If the context has no identifier, the result's identifier is null or left out.

    CTX003 reports identifiers of other calls. A tool that refuses each such context has no result that could show one: CTX006
    reports that.
    """
    defers_to = "CTX003" if any(map(is_foreign, exploration.calls)) else ""
    says_nothing = refused_at_times(exploration.calls)
    for call in exploration.calls:
        if says_nothing(call):
            continue
        if _is_cleanly_refused_for_context(call) and not all(own_identifiers(call, name) for name in _NAMES):
            yield Finding("The call was refused.", call, "CTX006", tuple(_NAMES.values()), not_its_own=True)
        unwarranted = _unwarranted(call) if has_readable_payload(call) else None
        if unwarranted:
            label, value = unwarranted[0], printable(repr(unwarranted[1]), 60)
            message = f"{label} is {value} in the payload of a call without one."
            yield Finding(message, call, defers_to, label)
