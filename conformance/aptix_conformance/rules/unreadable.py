"""ARG001 to ARG004 and ARG013: arguments that are blank, no JSON, no object, or not text that UTF-8 can carry."""

from collections.abc import Iterator
from dataclasses import replace

from aptix_conformance.core.model import Call, Exploration, Kind
from aptix_conformance.rules.lib import declarations
from aptix_conformance.rules.lib.acceptance import accepted, forbids_nothing_sent
from aptix_conformance.rules.lib.documents import reads_as_object
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.rules.lib.scope import (
    BY_EXCEPTION,
    PROPER,
    accepted_arguments,
    answered,
    any_call,
    blank,
    came_back,
    changed,
    fault_of,
    faults,
    ill_formed,
    improper_object,
    malformed,
    raised_at,
    threw,
    thrown,
    to_be_refused,
)


@rule(
    "ARG001",
    "AGN-005.3.1",
    "TUL-011.3.1",
    "AMP.3.3",
    applies=forbids_nothing_sent,
    when=any_call(blank, to_be_refused, answered),
    unseen_reason="no blank arguments were answered",
    probes=("malformed",),
    remedy="Treat null, empty and blank arguments as {}, and then check the required arguments.",
)
def blank_arguments_are_refused(exploration: Exploration) -> Iterator[Finding]:
    """Where something is required, null, empty and blank arguments give a failed result."""
    required = {
        name for declaration in exploration.declarations for name in declarations.required(declaration)
    }
    checks_nothing = accepted_arguments(exploration.calls, Kind.MISSING) & required
    for call in exploration.calls:
        if blank(call) and to_be_refused(call) and call.succeeded:
            defers_to = "ARG006" if checks_nothing else ""
            yield replace(accepted(call, "without its required arguments", defers_to), cause=())


@rule(
    "ARG002",
    "AGN-005.3.2",
    "AGN-005.3.1",
    "TUL-011.3.4",
    when=any_call(malformed, came_back),
    kind=changed,
    masks_others=True,
    unseen_reason="no malformed arguments were sent",
    probes=("malformed", *PROPER),
    differs_by=BY_EXCEPTION,
    remedy="Catch every exception that parsing the arguments may raise (in Python ValueError and RecursionError, not only "
    "JSONDecodeError), check that the result is an object, and return InvokeResult.from_error(message).",
)
def malformed_json_never_raises(exploration: Exploration) -> Iterator[Finding]:
    """Arguments that are null, that do not parse, or that are no object come back as a result; nothing is raised.

    A model writes the arguments, and it writes broken ones.
    """
    reported = faults(exploration.calls)
    for call in exploration.calls:
        if malformed(call) and threw(call) and not reads_as_object(call.plan.arguments):
            defers_to = "EXC001" if fault_of(call) in reported else ""
            yield Finding(f"The tool raised {thrown(call)}.", call, defers_to, raised_at(call))


def _answered_malformed(call: Call) -> bool:
    return malformed(call) and to_be_refused(call) and answered(call)


@rule(
    "ARG003",
    "AGN-005.3.4",
    "TUL-011.3.1",
    applies=forbids_nothing_sent,
    when=lambda call: _answered_malformed(call) and call.plan.kind not in (Kind.BLANK, Kind.ROOT),
    kind=changed,
    unseen_reason="no text that is not JSON was answered",
    probes=("malformed",),
    remedy="Return InvokeResult.from_error(message) if the arguments do not parse; do not continue without them.",
)
def text_that_is_not_json_is_refused(call: Call) -> Finding | None:
    """Where something is required, arguments that no parser takes for JSON give a failed result.

    A tool that can do without arguments may take what it cannot read for none.
    """
    return accepted(call, "though its arguments are not JSON") if call.succeeded else None


@rule(
    "ARG004",
    "AGN-005.3.4",
    "TUL-011.3.1",
    applies=forbids_nothing_sent,
    when=lambda call: _answered_malformed(call) and call.plan.kind is Kind.ROOT and not blank(call),
    kind=changed,
    unseen_reason="no JSON without an object at its root was answered",
    probes=("malformed",),
    remedy="Refuse what is not an object: if not isinstance(arguments, dict): return InvokeResult.from_error(…).",
)
def json_that_is_no_object_is_refused(call: Call) -> Finding | None:
    """Where something is required, an array, a string, a number or a boolean instead of an object gives a failed result.

    A tool that can do without arguments may take what is no object for none.
    """
    return accepted(call, "though its arguments are no object") if call.succeeded else None


@rule(
    "ARG013",
    "AGN-005.3.2",
    "AGN-005.4.2",
    "ART.1.2",
    when=any_call(ill_formed, came_back),
    masks_others=True,
    unseen_reason=NotApplicable("no text with half of a character could be sent"),
    differs_by=BY_EXCEPTION,
    remedy="Refuse a text that UTF-8 has no form of, or replace its lone surrogates before it is encoded, hashed, stored or "
    "sent: text.encode('utf-8', 'replace') in Python, text.toWellFormed() in JavaScript.",
)
def lone_surrogate_never_raises(exploration: Exploration) -> Iterator[Finding]:
    r"""Half of a character in a text, such as `"\ud83d"`, comes back as a result; nothing is raised.

    A model that is cut off between the two escapes of an emoji writes it. It is JSON, parsers hand it on, and the first
    attempt to encode the text fails.
    """
    proper_faults = faults(exploration.calls)
    improper = {fault_of(call) for call in exploration.calls if threw(call) and improper_object(call)}
    for call in exploration.calls:
        if threw(call) and ill_formed(call):
            defers_to = "ARG005" if fault_of(call) in improper else ""
            defers_to = "EXC001" if fault_of(call) in proper_faults else defers_to
            yield Finding(f"The tool raised {thrown(call)}.", call, defers_to, raised_at(call))
