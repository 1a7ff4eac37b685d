"""Which calls a rule is for, and how calls are put into words.

The areas share one partition, so that one fault of a tool breaks one rule. What a call *threw* is judged by
what was asked of it: arguments that are no object (ARG), objects that the schema forbids (ARG), calls that
the contract wants accepted (EXC), calls with parts of the context missing (CTX). A call that did not come
back, or that ended its process, is judged by EXC alone and counts as examined nowhere else. What a call
*returned* is judged by RES for its form, and by the others only where that form is right.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final

from aptix_conformance.model import INCIDENTS, Call, Exploration, Kind, Outcome
from aptix_conformance.probes.corpus import NULL
from aptix_conformance.rules.lib.documents import reads_as_object
from aptix_conformance.text import printable

Predicate = Callable[[Call], bool]

NO_SUCCESS: Final = (
    "no call succeeded: give an example, as examples = [{ … }] in [tool.aptix-conformance.tool.NAME]"
)
"""What is missing where a rule needs a successful call."""

_FRAME: Final = re.compile(r'File "([^"\n]+)", line (\d+)')


# ---- how a call ended


def made(call: Call) -> bool:
    """The tool was there to be called."""
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
    """The call took its process with it, did not come back, or raised SystemExit or KeyboardInterrupt."""
    if call.outcome in INCIDENTS:
        return True
    return call.raised is not None and call.raised.category in ("exit", "interrupt")


def threw(call: Call) -> bool:
    """An exception came out of `execute`; so did a cancellation that nobody had asked for."""
    return call.outcome is Outcome.RAISED and not ended_process(call)


def came_back(call: Call) -> bool:
    """The call ended by itself, with a result or with an exception."""
    return returned(call) or threw(call)


# ---- what was asked of it


def cancelled(call: Call) -> bool:
    """Cancelled at some moment: what such a call of the cancel probe returns is for CAN to judge, of others for nobody."""
    if call.plan.catalog == "hangs" or unanswered(call):
        return True
    point = call.plan.cancellation
    return point is not None and not point.is_watched_only


def unanswered(call: Call) -> bool:
    """A service was made never to answer, and the token cancelled while it was waited for: EXC013 judges that."""
    return call.plan.fault is not None and call.plan.fault.fault == "never_answers"


def malformed(call: Call) -> bool:
    """The malformed probe's: documents that are not JSON, or not objects."""
    return call.plan.probe == "malformed"


def invalid(call: Call) -> bool:
    """The invalid probe's: objects with something done to them."""
    return call.plan.probe == "invalid"


def valid(call: Call) -> bool:
    """The valid probe's: examples, and arguments drawn from the schema."""
    return call.plan.probe == "valid"


def contextual(call: Call) -> bool:
    """The context probe's, with something wrong with the context."""
    return call.plan.probe == "context" and call.plan.kind is not Kind.WHOLE


def whole(call: Call) -> bool:
    """The context probe's in a whole context, which show whether their arguments work."""
    return call.plan.probe == "context" and call.plan.kind is Kind.WHOLE


def to_be_refused(call: Call) -> bool:
    """The contract wants a failed result."""
    return call.plan.demand == "refused"


def to_be_accepted(call: Call) -> bool:
    """The contract wants a successful result."""
    return call.plan.demand == "accepted"


def repeated(call: Call) -> bool:
    """The repeat probe's: calls known to work, again and at the same time."""
    return call.plan.probe == "repeat"


def together(call: Call) -> bool:
    """Made at the same time as others."""
    return repeated(call) and call.plan.kind is Kind.TOGETHER


def overburdened(call: Call) -> bool:
    """Ended because many calls together held or wrote too much, which says nothing of one."""
    return together(call) and call.outcome in (Outcome.OVER_MEMORY, Outcome.OVER_OUTPUT)


def proper(call: Call) -> bool:
    """A call that a model may rightly make: drawn from the schema, or with optional arguments left out."""
    return valid(call) or repeated(call) or whole(call) or (invalid(call) and to_be_accepted(call))


def improper_object(call: Call) -> bool:
    """An object that the schema forbids, or that a parser may have made of a malformed document."""
    if invalid(call):
        return not to_be_accepted(call)
    return malformed(call) and reads_as_object(call.plan.arguments)


def blank(call: Call) -> bool:
    """Null, empty or blank arguments, the JSON text null among them."""
    return call.plan.kind is Kind.BLANK or call.plan.change == NULL


def of_kind(*kinds: Kind) -> Predicate:
    """Calls to which one of some kinds of change was made."""
    wanted = frozenset(kinds)
    return lambda call: call.plan.kind in wanted


def both(*predicates: Predicate) -> Predicate:
    """Calls of which all of some predicates hold."""
    return lambda call: all(predicate(call) for predicate in predicates)


def any_call(*predicates: Predicate) -> Callable[[Exploration], bool]:
    """Explorations that hold a call of which all of some predicates hold."""
    wanted = both(*predicates)
    return lambda exploration: any(wanted(call) for call in exploration.calls)


def argument(call: Call) -> str:
    """The path of the argument that was changed; empty where none was."""
    return call.plan.change.argument or ""


def accepted_arguments(calls: Iterable[Call], *kinds: Kind) -> frozenset[str]:
    """The arguments for which a call of some kinds succeeded that should have been refused."""
    return frozenset(
        argument(call) for call in calls if call.plan.kind in kinds and to_be_refused(call) and call.succeeded
    )


def fault_of(call: Call) -> tuple[str, str]:
    """What tells one thrown exception from another: its type, and the line that raised it."""
    if call.raised is None:
        return ("", "")
    frames = _FRAME.findall(call.raised.traceback)
    return (call.raised.type_name, ":".join(frames[-1]) if frames else "")


def faults(calls: Iterable[Call]) -> frozenset[tuple[str, str]]:
    """The faults that proper calls show: EXC001 has them, so no other rule reports them again."""
    return frozenset(fault_of(call) for call in calls if proper(call) and threw(call))


def shortest(calls: Iterable[Call]) -> Call | None:
    """The call that is easiest to read, None where there is none."""
    return min(calls, key=lambda call: (len(call.plan.arguments or ""), call.plan.label), default=None)


# ---- words


def sent(call: Call) -> str:
    """What was sent, for a sentence: the label, and the arguments cut short."""
    arguments = call.plan.arguments
    text = (
        "no arguments at all"
        if arguments is None
        else f"the arguments {printable(arguments, 90) or '(empty)'}"
    )
    return f"{text} [{printable(call.plan.label, 60)}]"


def thrown(call: Call) -> str:
    """What was raised, for a sentence."""
    if call.raised is None:
        return "an exception"
    message = printable(call.raised.message, 120)
    name = printable(call.raised.type_name, 60)
    return f"{name}: {message}" if message else name


def payload(call: Call) -> str:
    """The payload, for a sentence, cut short."""
    text = call.result.payload if call.result else None
    return "no text" if text is None else printable(text, 120)
