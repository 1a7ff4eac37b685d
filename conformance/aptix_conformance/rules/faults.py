"""EXC and LOG: what a tool does when its dependencies fail, or its files are broken.

The probe `fault` makes a service or a library call fail at one place. EXC003 to EXC006 judge leaks as usual. Exceptions
that a tool should expect are not judged as unforeseen: a documented exception of a parser, a missing key of a mapping. A
tool that retries and succeeds is correct.
"""

import re
from collections.abc import Iterator
from typing import Final

from aptix_conformance.core.model import BrokenFiles, Call, Exploration
from aptix_conformance.core.model.canaries import DEPENDENCY_MARK
from aptix_conformance.rules.lib.declarations import misplaced_parameter, takes_the_logger
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.rules.lib.leaks import failure_texts, secrets
from aptix_conformance.rules.lib.scope import (
    BY_EXCEPTION,
    PROPER,
    WITH_SLOW_CALLS,
    answered,
    any_call,
    by_disturbance,
    came_back,
    fault_of,
    faults,
    passed_lines,
    raised_at,
    threw,
    thrown,
)
from aptix_conformance.stimuli.probes.broken_files import NAME as BROKEN_FILES
from aptix_conformance.stimuli.probes.fault import UNKNOWN, fails_at

_NO_SITE: Final = "no service was used and no library called that could be made to fail"
_WRITES: Final = re.compile(
    r"(?:[\w.]*\.)?(?:(?:safe_|model_)?dump(?:s|_all|_json|_python)?|(?:iter)?encode|to_json|to_builtins|to_jsonable_python)"
    r"\(\)"
)
"""The functions of `fault_modules.toml` that write documents, as the place of a fault begins."""
_BY_PLACE: Final = "the place where the dependency failed"
_GUARD: Final = (
    "Put the whole body of execute, from the reading of the arguments to the writing of the result, into "
    "try … except Exception; log the exception (with add_exception, where there is an admin logger) and return a failed "
    "result with a message."
)


def _struck(call: Call) -> bool:
    """A dependency failed during the call, or returned a wrong value."""
    return call.plan.probe == "fault" and call.disturbed is not None and bool(call.disturbed.injected)


def _kind(call: Call) -> str:
    return call.disturbed.injected if call.disturbed else ""


def _is_of_parser(call: Call) -> bool:
    return call.plan.fault is not None and call.plan.fault.area == "parser"


def _is_of_writer(call: Call) -> bool:
    """A function that writes documents failed, on data that it writes in calls without a fault."""
    of_library = call.plan.fault is not None and call.plan.fault.area == "library"
    return of_library and _WRITES.match(_place(call)) is not None


def _is_beyond_its_library(call: Call) -> bool:
    """A library raised an exception that it is not known to raise, or a writer one for data that it can write."""
    undocumented = call.disturbed is not None and call.disturbed.undocumented
    return undocumented or _is_of_writer(call) or (_is_of_parser(call) and _kind(call) == UNKNOWN)


def _leaves_it_to_the_service(call: Call) -> bool:
    """The tool passed its token to the service and did not look at it itself."""
    passed = call.disturbed is not None and call.disturbed.token_passed
    return passed and not call.token_consultations


def _place(call: Call) -> str:
    """The `cause` of a finding: the place at which the dependency failed."""
    return call.disturbed.place if call.disturbed else ""


def _came_out(call: Call) -> bool:
    return _struck(call) and came_back(call) and _kind(call) != "never_answers"


def _is_dependency_that_failed(call: Call) -> bool:
    return _came_out(call) and not _is_beyond_its_library(call)


def _read_the_unreadable(call: Call) -> bool:
    """The tool passed on the exception that it got when it read the text of an exception that gives none."""
    return (
        _kind(call) == "unprintable"
        and call.raised is not None
        and call.raised.message.startswith(DEPENDENCY_MARK)
    )


def _forwards_exception_text(exploration: Exploration) -> bool:
    """Whether an error of a result holds the text of a dependency's exception."""
    struck = filter(_struck, exploration.calls)
    return any(secrets(call, failure_texts(call)) for call in struck)


def _is_surprise(call: Call) -> bool:
    """An unforeseen exception that was injected into the call, and that the tool did not retry."""
    if not (_struck(call) and _kind(call) == UNKNOWN and not _is_of_parser(call) and answered(call)):
        return False
    retried = call.disturbed.retried if call.disturbed else None
    return not retried if call.refused else retried is False


def _logged(call: Call) -> bool:
    """Whether the admin logger received the exception, or Python's logging an exception or an error."""
    return any(
        record.method == "add_exception"
        or (record.method == "log" and (bool(record.exception_type) or record.level in ("ERROR", "CRITICAL")))
        for record in call.logs
    )


@rule(
    "EXC010",
    "AGN-005.4.2",
    "TUL-011.3.5",
    "AGN-005.9.5",
    "AMP.3.4",
    when=any_call(_is_dependency_that_failed),
    masks_others=True,
    kind=by_disturbance,
    unseen_reason=NotApplicable(_NO_SITE),
    probes=("fault", *PROPER),
    differs_by=_BY_PLACE,
    remedy=_GUARD,
)
def failing_dependency_never_raises(exploration: Exploration) -> Iterator[Finding]:
    """When a service or a library fails, no exception leaves `execute`, for any exception that may come at any place.

    A service may raise any exception, or return None or a value of another type. A function of the standard library, or of a
    package whose own error the suite knows, raises what it is documented to raise; EXC012 reports other exceptions. A function
    that only writes documents, such as json.dumps, does not fail on data that it can write.

    The suite makes every other package fail from outside: a file cannot be opened, or an address cannot be reached. The package
    then raises its own exception or that of the system, or handles the failure.

    EXC001 reports an exception that calls raise whether or not a dependency fails. EXC004 reports tools that forward the text of
    exceptions; for such tools, this rule does not report exceptions that cannot be shown as text.
    """
    forwards = _forwards_exception_text(exploration)
    reported = faults(exploration.calls)
    for call in exploration.calls:
        if _is_dependency_that_failed(call) and threw(call):
            defers_to = "EXC004" if forwards and _kind(call) == "unprintable" else ""
            defers_to = "EXC001" if fault_of(call) in reported else defers_to
            why = ", since it read the text of that exception" if _read_the_unreadable(call) else ""
            message = f"The tool raised {thrown(call)}{why}."
            yield Finding(message, call, defers_to, _place(call))


@rule(
    "EXC011",
    "AGN-005.4.2",
    "TUL-011.3.5",
    "AMP.3.4",
    when=lambda call: _is_surprise(call) and (call.refused or _logged(call)),
    kind=by_disturbance,
    unseen_reason=NotApplicable(_NO_SITE),
    probes=("fault",),
    differs_by=_BY_PLACE,
    remedy="Return a failed result when a dependency fails, or say in the result that part of it is missing.",
    source="advice",
)
def failing_dependency_gives_a_failed_result(call: Call) -> Finding | None:
    """An unforeseen exception of a service or a library becomes a failed result.

    Otherwise the model does not learn that the result is incomplete.
    """
    if not call.succeeded:
        return None
    message = "The tool logged the error and succeeded."
    return Finding(message, cause=_place(call))


@rule(
    "EXC012",
    "AGN-005.4.2",
    "AMP.3.4",
    when=any_call(_came_out, _is_beyond_its_library),
    masks_others=True,
    kind=by_disturbance,
    unseen_reason=NotApplicable(
        "no document was read or written, and no function with a documented error was made to fail"
    ),
    probes=("fault", "malformed", *PROPER),
    differs_by=_BY_PLACE,
    remedy=_GUARD,
    source="advice",
)
def unforeseen_parser_failure_is_caught(exploration: Exploration) -> Iterator[Finding]:
    """No exception of a parser leaves `execute`, even one that the parser is not known to raise; and none of a writer.

    The rule also covers exceptions that a library is not documented to raise: anything but an OSError from a reader of files,
    or anything but its own error from a client such as httpx.

    A tool that handles only some exceptions may raise after the next release of the library. A tool that writes its result
    outside of its guard raises with the first value that cannot be written. The rule is advice, because no call without an
    injected fault raises such an exception today.
    """
    others = [call for call in exploration.calls if threw(call) and not _is_beyond_its_library(call)]
    raises_anyway = any(map(_came_out, others))
    for call in exploration.calls:
        if not (_came_out(call) and _is_beyond_its_library(call) and threw(call)):
            continue
        place = call.disturbed.place if call.disturbed else ""
        if raises_anyway or not any(fails_at(other, place) for other in others):
            message = f"The tool raised {thrown(call)}."
            yield Finding(message, call, "EXC010" if raises_anyway else "", _place(call))


def _met_broken_files(call: Call) -> bool:
    return isinstance(call.plan.disturbance, BrokenFiles) and not call.left_out and came_back(call)


@rule(
    "EXC016",
    "AGN-005.4.2",
    "TUL-011.3.5",
    "AGN-005.9.5",
    "AMP.3.4",
    when=any_call(_met_broken_files, lambda call: not call.succeeded),
    masks_others=True,
    unseen_reason=NotApplicable(
        "its configuration names no `files`, or no call failed because these were broken",
        asked_for=lambda settings: bool(settings.files),
    ),
    probes=(BROKEN_FILES, "fault", *PROPER),
    differs_by=BY_EXCEPTION,
    remedy="Read files inside the try of execute, and catch Exception there: a file may be no UTF-8 (UnicodeDecodeError), empty, or "
    "not to be opened (OSError), and a parser raises errors of its own. Return a failed result with a message.",
)
def broken_file_never_raises(exploration: Exploration) -> Iterator[Finding]:
    """When a file that it reads is broken, no exception leaves `execute`.

    The suite copies the author's `files` and breaks each file of the copy. The broken file has bytes that are no UTF-8, is empty,
    or is replaced by a folder or by a link that leads to itself. A tool may then succeed or fail. EXC003 to EXC006 judge what
    the message of a failure gives away. Where the same line of the tool also raises when a dependency fails, EXC010 reports it.
    """
    struck = filter(_is_dependency_that_failed, exploration.calls)
    unguarded = frozenset[str]().union(*(passed_lines(call) for call in struck if threw(call)))
    reported = faults(exploration.calls)
    for call in filter(_met_broken_files, exploration.calls):
        if threw(call):
            defers_to = "EXC010" if raised_at(call)[1] in unguarded else ""
            defers_to = "EXC001" if fault_of(call) in reported else defers_to
            yield Finding(f"The tool raised {thrown(call)}.", call, defers_to, raised_at(call))


def _waits_for_silence(call: Call) -> bool:
    """A service never answered, and the tool had not passed its token to it."""
    return _struck(call) and _kind(call) == "never_answers" and not _leaves_it_to_the_service(call)


@rule(
    "EXC013",
    "AGN-005.8.1",
    "TUL-011.3.6",
    when=any_call(_waits_for_silence),
    unseen_reason=NotApplicable("it waits for no service, or passes its token to each that it waits for"),
    probes=(*WITH_SLOW_CALLS, "catalog", "fault"),
    differs_by=_BY_PLACE,
    remedy="Wait for the service and the token together, or with a time limit (asyncio.timeout); or pass the token to "
    "the service.",
    source="advice",
)
def hung_service_can_be_cancelled(exploration: Exploration) -> Iterator[Finding]:
    """A cancelled call ends although a service does not answer.

    A tool that passes its token to the service has done its part. CAN006 reports tools that take long by themselves and
    never look at their token, a rule of the tool's own contract the service that this is about (CAT018), REG009 a token
    that the tool takes for another argument.
    """
    own = next(filter(None, (each.own_rules.silent_service for each in exploration.declarations)), "")
    takes_another = any(map(misplaced_parameter, exploration.declarations))
    for call in filter(_waits_for_silence, exploration.calls):
        if call.disturbed and call.disturbed.given_up:
            others = own or ("" if call.token_consultations else "CAN006")
            defers_to = "REG009" if takes_another else others
            message = "The tool went on waiting for it after its token was cancelled."
            yield Finding(message, call, defers_to, _place(call), timed=True)


@rule(
    "LOG010",
    "AGN-005.6.1",
    "TUL-011.3.5",
    applies=lambda declaration: (
        None if takes_the_logger(declaration) else "REG010: it takes no admin logger that could be called"
    ),
    when=_is_surprise,
    kind=by_disturbance,
    unseen_reason=NotApplicable(_NO_SITE),
    probes=("fault",),
    differs_by=_BY_PLACE,
    remedy="Call add_exception(tag, error) in the handler, before you return the failed result.",
)
def unforeseen_exceptions_are_logged(call: Call) -> Finding | None:
    """An unforeseen exception of a service or a library is passed to the admin logger with add_exception."""
    if _logged(call):
        return None
    outcome = "succeeded" if call.succeeded else "failed"
    message = f"The tool {outcome} and logged no exception."
    return Finding(message, cause=_place(call))
