"""Predicates that select the calls of a rule, and phrases that describe calls.

The areas partition the calls, so that one fault of a tool breaks one rule. If a call *threw*, its stimulus selects
the area: arguments that are not an object (ARG), objects that the schema forbids (ARG), calls that the contract wants
accepted (EXC), calls with parts of the context missing (CTX). Only EXC judges a call that did not return or that ended
its process; no other area counts it as examined. If a call *returned*, RES judges the form of its result, and the
other areas judge it only if the form is right.
"""

import re
from collections.abc import Callable, Hashable, Iterable
from typing import Final

from aptix_conformance.core.model import INCIDENTS, Call, Kind, Outcome
from aptix_conformance.core.model.kept_files import AT_ONCE
from aptix_conformance.core.text import printable, readable
from aptix_conformance.rules.lib.documents import holds_lone_surrogate, reads_as_object
from aptix_conformance.rules.lib.kernel import AnyCall
from aptix_conformance.stimuli.probes.corpus import NULL

Predicate = Callable[[Call], bool]

OWN_TABLE: Final = "[tool.aptix-conformance.tool.NAME]"
"""How texts of rules name the table of a tool's settings; what is said of one tool has its key in place of NAME."""

EXAMPLE_HELPS: Final = f"give an example, as examples = [{{ … }}] in {OWN_TABLE}"
"""The advice where no call succeeds."""

PROPER: Final = ("context", "invalid", "repeat", "pages", "defaults", "extremes")
"""The `probes` of a rule that judges calls that a model may make, or gives way to EXC001, which does."""

WITH_SLOW_CALLS: Final = ("context", "malformed", "invalid", "repeat", "after-refusals", "cancel")
"""The `probes` of a rule on calls that the cancel probe watches: those too that were slow in an earlier probe."""

BY_EXCEPTION: Final = "the exception's type and where in the tool's own code it came from"
"""The `differs_by` of a rule whose findings have the cause `raised_at`."""

BY_OCCASION: Final = "what was wrong with the call, and the argument that this is about"
"""The `differs_by` of a rule whose findings have the cause `occasion`."""

_NUMBER: Final = re.compile(r"\d+")
_FRAME: Final = re.compile(r'File "([^"\n]+)", line (\d+)')
_PYTHON_FUNCTION: Final = re.compile(r'File "([^"\n]+)", line \d+, in (\S+)')
_OTHER_FUNCTION: Final = re.compile(r"^ +at (?:async )?([\w.$<>`+|]+) ?\(([^\n]*)", re.MULTILINE)
_LIBRARY: Final = re.compile(
    r"[/\\](?:lib[/\\]python3|site-packages|dist-packages|node_modules)|^<frozen|^node:"
)
"""A frame of code that is not the tool's own."""
_NO_TEXT: Final = re.compile(r"<.{1,200} that raises (.{1,200}) when it is shown>")
"""The text that the runner for Python gives in place of that of an exception that has none it can read (`foreign.safe_str`)."""
_RUNTIME: Final = re.compile(r"^System\.| <anonymous>")
"""A function and a file of .NET or JavaScript that are not the tool's own."""


# ---- how a call ended


def constructed(call: Call) -> bool:
    """The tool was constructed, so that it could be called."""
    return call.outcome is not Outcome.NOT_CONSTRUCTED


def returned(call: Call) -> bool:
    """`execute` returned something."""
    return call.outcome is Outcome.RETURNED and call.result is not None


def succeeded(call: Call) -> bool:
    """`execute` returned a successful result."""
    return call.succeeded


def refused(call: Call) -> bool:
    """`execute` returned a failed result, and not because it was cancelled."""
    return call.refused and not cancelled(call)


def answered(call: Call) -> bool:
    """`execute` returned a result that says whether it is successful."""
    return call.succeeded or call.refused


def ended_process(call: Call) -> bool:
    """The call ended its process, did not return, or raised SystemExit or KeyboardInterrupt."""
    if call.outcome in INCIDENTS:
        return True
    return call.raised is not None and call.raised.category in ("exit", "interrupt")


def threw(call: Call) -> bool:
    """An exception left `execute`, or a cancellation that nobody requested."""
    return call.outcome is Outcome.RAISED and not ended_process(call)


def came_back(call: Call) -> bool:
    """The call ended by itself, with a result or with an exception."""
    return returned(call) or threw(call)


# ---- the stimulus


def cancelled(call: Call) -> bool:
    """The call was cancelled. CAN judges the result if the cancel probe made the call; otherwise no rule does."""
    if call.plan.catalog == "hangs" or unanswered(call):
        return True
    point = call.plan.cancellation
    return point is not None and not point.is_watched_only


def unanswered(call: Call) -> bool:
    """A service never answered, and the token was cancelled during the wait. EXC013 judges that."""
    return call.plan.fault is not None and call.plan.fault.fault == "never_answers"


def malformed(call: Call) -> bool:
    """A call of the malformed probe: its arguments are not JSON, or not an object."""
    return call.plan.probe == "malformed"


def invalid(call: Call) -> bool:
    """A call of the invalid probe: its arguments are a changed object."""
    return call.plan.probe == "invalid"


def valid(call: Call) -> bool:
    """A call of the valid probe: an example, or arguments generated from the schema."""
    return call.plan.probe == "valid"


def contextual(call: Call) -> bool:
    """A call of the context probe with a changed or incomplete context."""
    return call.plan.probe == "context" and call.plan.kind is not Kind.WHOLE


def whole(call: Call) -> bool:
    """A call of the context probe with a complete context, which shows whether the arguments work."""
    return call.plan.probe == "context" and call.plan.kind is Kind.WHOLE


def to_be_refused(call: Call) -> bool:
    """The contract wants a failed result."""
    return call.plan.demand == "refused"


def to_be_accepted(call: Call) -> bool:
    """The contract wants a successful result."""
    return call.plan.demand == "accepted"


def repeated(call: Call) -> bool:
    """A call of the repeat probe: known to work, repeated one after the other or concurrently."""
    return call.plan.probe == "repeat"


def together(call: Call) -> bool:
    """The call ran concurrently with others."""
    is_group = repeated(call) or call.plan.probe == AT_ONCE
    return is_group and call.plan.kind is Kind.TOGETHER


def overburdened(call: Call) -> bool:
    """Concurrent calls exceeded a limit of memory, output or processes together; no single call is to blame."""
    return together(call) and call.outcome in (
        Outcome.OVER_MEMORY,
        Outcome.OVER_OUTPUT,
        Outcome.OVER_PROCESSES,
    )


def extreme(call: Call) -> bool:
    """A call of the extremes probe: allowed by the schema, with a value that careless code does not expect."""
    return call.plan.probe == "extremes"


def ill_formed(call: Call) -> bool:
    """The arguments are an object that holds half of a character: valid JSON that UTF-8 cannot carry unescaped."""
    return (malformed(call) or extreme(call)) and holds_lone_surrogate(call.plan.arguments)


def proper(call: Call) -> bool:
    """A call that a model may make: generated from the schema, a next page, or with optional arguments left out or at their defaults."""
    if extreme(call):
        return not ill_formed(call)
    if call.plan.probe in ("valid", "pages", "defaults"):
        return True
    return repeated(call) or whole(call) or (invalid(call) and to_be_accepted(call))


def improper_object(call: Call) -> bool:
    """The arguments are an object that the schema forbids, or that a lenient parser may read from a malformed document."""
    if invalid(call):
        return not to_be_accepted(call)
    return malformed(call) and reads_as_object(call.plan.arguments) and not ill_formed(call)


def occasion(call: Call) -> Hashable:
    """The `cause` of a finding on refusals: what was wrong with the call, and the argument that it is about."""
    if call.plan.fault is not None or (call.plan.catalog and to_be_refused(call)):
        return ("a failing service", "")
    if improper_object(call):
        return ("an object that the schema forbids", argument(call))
    return ("arguments that are no object" if malformed(call) else "arguments that the schema allows", "")


def blank(call: Call) -> bool:
    """The arguments are null, empty, blank, or the JSON text null."""
    return call.plan.kind is Kind.BLANK or call.plan.change == NULL


def of_kind(*kinds: Kind) -> Predicate:
    """A predicate: the change of the call is of one of these kinds."""
    members = frozenset(kinds)
    return lambda call: call.plan.kind in members


def both(first: Predicate, *others: Predicate) -> Predicate:
    """A predicate: all of these predicates hold for the call."""
    if not others:
        return first
    rest = both(*others)
    return lambda call: first(call) and rest(call)


def any_call(*predicates: Predicate) -> AnyCall:
    """A predicate: the exploration has a call for which all of these predicates hold."""
    return AnyCall(both(*predicates))


def changed(call: Call) -> Hashable:
    """The `kind` of a rule on changed arguments: the kind of the change, and the argument."""
    return call.plan.probe, call.plan.kind, argument(call)


def as_sent(call: Call) -> Hashable:
    """The `kind` of a rule for which no two calls are alike: what was sent."""
    return call.plan.arguments


def by_disturbance(call: Call) -> Hashable:
    """The `kind` of a rule on what the host does to a call: what was made to fail, and how."""
    return call.plan.disturbance


def argument(call: Call) -> str:
    """The path of the argument that was changed; empty if none was."""
    return call.plan.change.argument or ""


def accepted_arguments(calls: Iterable[Call], *kinds: Kind) -> frozenset[str]:
    """The paths of arguments for which a call of these kinds succeeded that should have been refused."""
    return frozenset(
        argument(call) for call in calls if call.plan.kind in kinds and to_be_refused(call) and call.succeeded
    )


def fault_of(call: Call) -> tuple[str, str]:
    """The identity of an exception: (type name, file and line that raised it); empty strings without one."""
    if call.raised is None:
        return ("", "")
    frames = _FRAME.findall(call.raised.traceback)
    return (call.raised.type_name, ":".join(frames[-1]) if frames else "")


def raised_at(call: Call) -> tuple[str, str]:
    """The `cause` of a finding on an exception: (type name, file and line in the tool's own code that it came from)."""
    if call.raised is None:
        return ("", "")
    frames = [":".join(frame) for frame in _FRAME.findall(call.raised.traceback)]
    own = [frame for frame in frames if not _LIBRARY.search(frame)]
    return (call.raised.type_name, (own or frames or [""])[-1])


def passed_lines(call: Call) -> frozenset[str]:
    """Each file and line that the call's exception passed, in anybody's code."""
    return frozenset(
        ":".join(frame) for frame in _FRAME.findall(call.raised.traceback if call.raised else "")
    )


def raised_in(call: Call) -> tuple[str, str]:
    """The identity of an exception wherever its lines stand: (type name, function of the tool that it came from)."""
    if call.raised is None:
        return ("", "")
    trace = call.raised.traceback
    # The innermost function is last in a traceback of Python, and first in a stack of JavaScript or .NET.
    frames = [(function, file) for file, function in reversed(_PYTHON_FUNCTION.findall(trace))]
    frames = frames or _OTHER_FUNCTION.findall(trace)
    own = [frame for frame in frames if not (_LIBRARY.search(frame[1]) or _RUNTIME.search(" ".join(frame)))]
    return (call.raised.type_name, (own or frames or [("", "")])[0][0])


def faults(calls: Iterable[Call]) -> frozenset[tuple[str, str]]:
    """The exceptions of proper calls, as `fault_of` gives them; EXC001 reports them, so no other rule does."""
    return frozenset(fault_of(call) for call in calls if proper(call) and threw(call))


def shortest(calls: Iterable[Call]) -> Call | None:
    """The call with the shortest arguments; None if there is no call."""
    return min(calls, key=lambda call: (len(call.plan.arguments or ""), call.plan.label), default=None)


def sort_of_leftover(text: str) -> str:
    """The kind of a leaked task, thread, process or socket, without its numbers and its source line."""
    return _NUMBER.sub("#", text.partition(" at ")[0])


# ---- phrases for findings


def thrown(call: Call) -> str:
    """The exception of a call, as a phrase: `TypeName: message`."""
    if call.raised is None:
        return "an exception"
    name = printable(call.raised.type_name, 60)
    if unread := _NO_TEXT.fullmatch(call.raised.message):
        return f"{name}, whose text cannot be read: reading it raises {printable(unread[1], 60)}"
    message = readable(call.raised.message, 120).removesuffix(".")
    return f"{name}: {message}" if message else name


def payload(call: Call) -> str:
    """The truncated payload, as a phrase."""
    text = call.result.payload if call.result else None
    return "no text" if text is None else readable(text, 120)
