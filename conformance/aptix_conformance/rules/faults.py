"""EXC and LOG: what a tool does when its dependencies fail.

The probe `fault` makes a service or a library call fail at one place. EXC003 to EXC006 judge leaks as usual. Exceptions
that a tool should expect are not judged as unforeseen: a documented exception of a parser, a missing key of a mapping. A
tool that retries and succeeds is correct.
"""

from typing import Final

from aptix_conformance.model import Call, Exploration
from aptix_conformance.probes.fault import UNKNOWN, fails_at
from aptix_conformance.rules.lib.declarations import takes_the_logger
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.rules.lib.leaks import error_texts, secrets
from aptix_conformance.rules.lib.scope import answered, any_call, came_back, sent, threw, thrown
from aptix_conformance.text import printable

_NO_SITE: Final = "no service was used and no library called that could be made to fail"
_GUARD: Final = (
    "Put the whole body of execute, from the reading of the arguments to the writing of the result, into "
    "try … except Exception; log the exception (with add_exception, where there is an admin logger) and return a failed "
    "result with a message."
)

_SPOKEN: Final = {
    "unknown": "an exception that nobody could foresee",
    "key_error": "a KeyError",
    "os_error": "an OSError",
    "timeout": "a TimeoutError",
    "exception_group": "an ExceptionGroup",
    "unprintable": "an exception that cannot be shown as text",
    "own": "what it raises for a broken document",
    "gives_none": "None",
    "gives_wrong_type": "an object of another type",
    "never_answers": "no answer at all",
}


def _struck(call: Call) -> bool:
    """A dependency failed during the call, or returned a wrong value."""
    return call.plan.probe == "fault" and call.disturbed is not None and bool(call.disturbed.injected)


def _kind(call: Call) -> str:
    return call.disturbed.injected if call.disturbed else ""


def _is_of_parser(call: Call) -> bool:
    return call.plan.fault is not None and call.plan.fault.area == "parser"


def _is_beyond_its_library(call: Call) -> bool:
    """A parser raised an exception that it is not known to raise."""
    return _is_of_parser(call) and _kind(call) == UNKNOWN


def _came_out(call: Call) -> bool:
    return _struck(call) and came_back(call) and _kind(call) != "never_answers"


def _is_dependency_that_failed(call: Call) -> bool:
    return _came_out(call) and not _is_beyond_its_library(call)


def _forwards_exception_text(exploration: Exploration) -> bool:
    """Whether an error of a result holds the text of a dependency's exception."""
    struck = filter(_struck, exploration.calls)
    return any(secrets(call, error_texts(call)) for call in struck)


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


def _fault(call: Call) -> str:
    place = call.disturbed.place if call.disturbed else "a dependency"
    gave = "gave" if _kind(call) in ("gives_none", "gives_wrong_type", "never_answers") else "raised"
    return f"{printable(place, 160)} {gave} {_SPOKEN.get(_kind(call), 'an exception')}"


@rule(
    "EXC010",
    "AGN-005.4.2",
    "TUL-011.3.5",
    "AGN-005.9.5",
    "AMP.3.4",
    over=Exploration,
    when=any_call(_is_dependency_that_failed),
    unseen_reason=_NO_SITE,
    if_unseen="not_applicable",
    remedy=_GUARD,
)
def failing_dependency_never_raises(exploration: Exploration) -> Finding | None:
    """When a service or a library fails, no exception leaves `execute`, for any exception at any place.

    The same holds for a service that returns None or a value of another type. EXC004 reports tools that forward the text
    of exceptions; for them, this rule does not report exceptions that cannot be shown as text.
    """
    failed = [call for call in exploration.calls if _is_dependency_that_failed(call) and threw(call)]
    if (
        failed
        and all(_kind(call) == "unprintable" for call in failed)
        and _forwards_exception_text(exploration)
    ):
        return None
    for call in failed:
        return Finding(f"When {_fault(call)}, the tool raised {thrown(call)}; sent: {sent(call)}.", call)
    return None


@rule(
    "EXC011",
    "AGN-005.4.2",
    "TUL-011.3.5",
    "AMP.3.4",
    over=Call,
    when=lambda call: _is_surprise(call) and (call.refused or _logged(call)),
    unseen_reason=_NO_SITE,
    if_unseen="not_applicable",
    remedy="Return a failed result when a dependency fails, or say in the result that part of it is missing.",
    advice=True,
)
def failing_dependency_gives_a_failed_result(call: Call) -> Finding | None:
    """An unforeseen exception of a service or a library becomes a failed result.

    Otherwise the model does not learn that the result is incomplete.
    """
    if not call.succeeded:
        return None
    return Finding(f"When {_fault(call)}, the tool logged it and succeeded; sent: {sent(call)}.")


@rule(
    "EXC012",
    "AGN-005.4.2",
    "AMP.3.4",
    over=Exploration,
    when=lambda exploration: any(_came_out(c) and _is_beyond_its_library(c) for c in exploration.calls),
    unseen_reason="no parser was called",
    if_unseen="not_applicable",
    remedy=_GUARD,
    advice=True,
)
def reading_is_guarded_against_the_unforeseen(exploration: Exploration) -> Finding | None:
    """No exception of a parser leaves `execute`, even one that the parser is not known to raise.

    A tool that handles only some exceptions of the parser may raise after the next release of the library.
    """
    others = [call for call in exploration.calls if threw(call) and not _is_beyond_its_library(call)]
    if any(map(_came_out, others)):
        return None  # EXC010
    for call in exploration.calls:
        if not (_came_out(call) and _is_beyond_its_library(call) and threw(call)):
            continue
        place = call.disturbed.place if call.disturbed else ""
        if not any(fails_at(other, place) for other in others):
            return Finding(f"When {_fault(call)}, the tool raised {thrown(call)}; sent: {sent(call)}.", call)
    return None


@rule(
    "EXC013",
    "AGN-005.8.1",
    "TUL-011.3.6",
    over=Call,
    when=lambda call: _struck(call) and _kind(call) == "never_answers" and call.token_consultations > 0,
    unseen_reason="it does not check its token while it waits for a service",
    if_unseen="not_applicable",
    remedy="Wait for the service and the token together, or with a time limit (asyncio.timeout).",
    advice=True,
)
def silent_service_can_be_left(call: Call) -> Finding | None:
    """A tool that checks its token also does so while it waits for a service that does not answer."""
    if not (call.disturbed and call.disturbed.given_up):
        return None
    return Finding(
        f"When {_fault(call)} and the token was cancelled, the tool went on waiting; sent: {sent(call)}."
    )


@rule(
    "LOG010",
    "AGN-005.6.1",
    "TUL-011.3.5",
    over=Call,
    applies=lambda declaration: (
        None if takes_the_logger(declaration) else "REG010: it takes no admin logger that could be called"
    ),
    when=_is_surprise,
    unseen_reason=_NO_SITE,
    if_unseen="not_applicable",
    remedy="Call add_exception(tag, error) in the handler, before you return the failed result.",
)
def unforeseen_exceptions_are_logged(call: Call) -> Finding | None:
    """An unforeseen exception of a service or a library is passed to the admin logger with add_exception."""
    if _logged(call):
        return None
    did = "succeeded" if call.succeeded else "failed"
    return Finding(f"When {_fault(call)}, the tool {did} and logged no exception; sent: {sent(call)}.")
