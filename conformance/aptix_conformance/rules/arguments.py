"""ARG: how a tool handles arguments that it should refuse, and optional arguments.

Each fault has one rule. Arguments that are not an object have other rules than objects that the schema forbids. For
objects, the rule on missing arguments comes before the rule on null, and the rule on enumerations before the rule on
types: a tool that does not check whether `name` is present does not check whether it is null either.
"""

import json
from typing import Final

from aptix_conformance.model import Call, Declaration, Exploration, Kind
from aptix_conformance.rules.lib import declarations, prose
from aptix_conformance.rules.lib.documents import arguments_of, reads_as_object, strings_in
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.rules.lib.scope import (
    accepted_arguments,
    answered,
    any_call,
    argument,
    blank,
    both,
    came_back,
    fault_of,
    faults,
    improper_object,
    invalid,
    malformed,
    of_kind,
    returned,
    sent,
    shortest,
    threw,
    thrown,
    to_be_accepted,
    to_be_refused,
    valid,
)
from aptix_conformance.rules.schema import required_arguments_are_declared, required_is_an_array_of_names
from aptix_conformance.text import printable

_WHOLE_OBJECT: Final = frozenset(
    {
        Kind.MISSING,
        Kind.NULL,
        Kind.TYPE,
        Kind.ENUM,
        Kind.CONST,
        Kind.COMBINED,
        Kind.COERCIBLE,
        Kind.ADDITIONAL,
    }
    | {Kind.OMITTED_OPTIONAL, Kind.NULL_OPTIONAL}
)
"""Kinds of change by the invalid probe that do not break a constraint on a value."""

_UNCONSTRAINING: Final = frozenset(
    ("type", "enum", "const", "title", "description", "default", "examples", "deprecated", "$comment")
)
"""Keywords that forbid no value of the declared type; `enum` and `const` are ARG009's."""

_ON_REQUIRED: Final = (required_is_an_array_of_names, required_arguments_are_declared)

_ANNOUNCED: Final = 0.6
"""The usage text announces a refusal if it has this share of the refusal's words."""


def _needs_arguments(declaration: Declaration) -> str | None:
    if not declarations.requires_something(declaration):
        return "its schema requires no argument, or has a default for each that it requires"
    if declaration.tool_name.value == declarations.LIST_MODES:
        return "CAT002 says that nothing is required of it"
    return None


def _has_types(declaration: Declaration) -> str | None:
    return None if declarations.properties(declaration) else "its schema has no argument"


def _has_values(declaration: Declaration) -> str | None:
    return None if declarations.lists_values(declaration) else "its schema lists no values for an argument"


def _has_constraints(declaration: Declaration) -> str | None:
    schemas = (schema for schema in declarations.properties(declaration).values() if isinstance(schema, dict))
    constraints = [(key, schema[key]) for schema in schemas for key in schema.keys() - _UNCONSTRAINING]
    if declaration.tool_name.value == declarations.HELLO_WORLD and constraints == [("minLength", 1)]:
        return "USE022 asks the same of it"
    return None if constraints else "its schema constrains no argument beyond its type"


def _has_optional(declaration: Declaration) -> str | None:
    if any(r.when(declaration) and r.check(declaration) for r in _ON_REQUIRED):
        return "its schema does not say rightly what is required (SCH007, SCH011)"
    optional = set(declarations.properties(declaration)) - set(declarations.required(declaration))
    return None if optional else "its schema has no optional argument"


def _accepted(call: Call | None, what: str) -> Finding | None:
    return Finding(f"The tool succeeded {what}; sent: {sent(call)}.", call) if call else None


@rule(
    "ARG001",
    "AGN-005.3.1",
    "TUL-011.3.1",
    "AMP.3.3",
    over=Exploration,
    applies=_needs_arguments,
    when=any_call(blank, to_be_refused, answered),
    unseen_reason="no blank arguments were answered",
    remedy="Treat null, empty and blank arguments as {}, and then check the required arguments.",
)
def blank_arguments_are_refused(exploration: Exploration) -> Finding | None:
    """Where something is required, null, empty and blank arguments give a failed result."""
    required = {
        name for declaration in exploration.declarations for name in declarations.required(declaration)
    }
    if accepted_arguments(exploration.calls, Kind.MISSING) & required:
        return None  # ARG006 reports that it does not check required arguments at all
    blanks = (call for call in exploration.calls if blank(call) and to_be_refused(call))
    return _accepted(shortest(call for call in blanks if call.succeeded), "without its required arguments")


@rule(
    "ARG002",
    "AGN-005.3.2",
    "AGN-005.3.1",
    "TUL-011.3.4",
    over=Call,
    when=both(malformed, came_back),
    unseen_reason="no malformed arguments were sent",
    remedy="Catch every exception that parsing the arguments may raise (in Python ValueError and RecursionError, not only "
    "JSONDecodeError), check that the result is an object, and return InvokeResult.from_error(message).",
)
def malformed_json_never_raises(call: Call) -> Finding | None:
    """Arguments that are null, that do not parse, or that are no object come back as a result; nothing is raised.

    A model writes the arguments, and it writes broken ones.
    """
    if threw(call) and not reads_as_object(call.plan.arguments):
        return Finding(f"The tool raised {thrown(call)}; sent: {sent(call)}.")
    return None


@rule(
    "ARG003",
    "AGN-005.3.4",
    "TUL-011.3.1",
    over=Call,
    when=lambda call: (
        malformed(call)
        and to_be_refused(call)
        and answered(call)
        and call.plan.kind not in (Kind.BLANK, Kind.ROOT)
    ),
    unseen_reason="no text that is not JSON was answered",
    remedy="Return InvokeResult.from_error(message) if the arguments do not parse; do not continue without them.",
)
def text_that_is_not_json_is_refused(call: Call) -> Finding | None:
    """Arguments that no parser takes for JSON give a failed result."""
    return _accepted(call, "though its arguments are not JSON") if call.succeeded else None


@rule(
    "ARG004",
    "AGN-005.3.4",
    "TUL-011.3.1",
    over=Call,
    when=lambda call: (
        malformed(call)
        and to_be_refused(call)
        and answered(call)
        and call.plan.kind is Kind.ROOT
        and not blank(call)
    ),
    unseen_reason="no JSON without an object at its root was answered",
    remedy="Refuse what is not an object: if not isinstance(arguments, dict): return InvokeResult.from_error(…).",
)
def json_that_is_no_object_is_refused(call: Call) -> Finding | None:
    """An array, a string, a number or a boolean in place of the arguments gives a failed result."""
    return _accepted(call, "though its arguments are no object") if call.succeeded else None


@rule(
    "ARG005",
    "TUL-011.3.4",
    "AGN-005.3.4",
    "AGN-005.9.3",
    "AMP.3.4",
    over=Exploration,
    when=any_call(improper_object, came_back),
    unseen_reason="no object that the schema forbids was sent",
    remedy="Check each argument's presence and type before using it, and return a failed result with a message.",
)
def invalid_arguments_never_raise(exploration: Exploration) -> Finding | None:
    """An object that the schema forbids comes back as a result; nothing is raised."""
    known = faults(exploration.calls)
    wrong = (call for call in exploration.calls if threw(call) and improper_object(call))
    call = shortest(call for call in wrong if fault_of(call) not in known)
    return Finding(f"The tool raised {thrown(call)}; sent: {sent(call)}.", call) if call else None


@rule(
    "ARG006",
    "AGN-005.3.6",
    "TUL-011.3.1",
    "AMP.3.3",
    over=Call,
    applies=_needs_arguments,
    when=both(invalid, of_kind(Kind.MISSING), to_be_refused, answered),
    unseen_reason="no call without a required argument was answered",
    remedy="Return a failed result with a message where the argument is missing.",
)
def missing_required_argument_is_refused(call: Call) -> Finding | None:
    """A call without a required argument gives a failed result."""
    what = f"without the required argument {printable(argument(call), 60)!r}"
    return _accepted(call, what) if call.succeeded else None


@rule(
    "ARG007",
    "AGN-005.3.6",
    "TUL-011.3.1",
    "AMP.3.3",
    over=Exploration,
    applies=_needs_arguments,
    when=any_call(invalid, of_kind(Kind.NULL), to_be_refused, answered),
    unseen_reason="no call with null for a required argument was answered",
    if_unseen="not_applicable",
    remedy="Treat null for a required argument as if it were missing.",
)
def null_for_required_argument_is_refused(exploration: Exploration) -> Finding | None:
    """Null as a required argument gives a failed result, as if it were missing."""
    unguarded = accepted_arguments(exploration.calls, Kind.MISSING)
    nulls = (
        call for call in exploration.calls if invalid(call) and call.plan.kind is Kind.NULL and call.succeeded
    )
    call = shortest(c for c in nulls if to_be_refused(c) and argument(c) not in unguarded)
    return _accepted(call, f"with null for {printable(argument(call), 60)!r}") if call else None


@rule(
    "ARG008",
    "TUL-011.3.1",
    "AGN-005.3.4",
    "AMP.3.3",
    over=Exploration,
    applies=_has_types,
    when=any_call(invalid, of_kind(Kind.TYPE), to_be_refused, answered),
    unseen_reason="no call with an argument of another type was answered",
    remedy="Check the argument's type and return a failed result with a message; do not convert it silently.",
)
def wrong_type_is_refused(exploration: Exploration) -> Finding | None:
    """An argument of a type that the schema does not allow, and that cannot be read as one, gives a failed result."""
    unlisted = accepted_arguments(exploration.calls, Kind.ENUM, Kind.CONST)
    typed = (
        call for call in exploration.calls if invalid(call) and call.plan.kind is Kind.TYPE and call.succeeded
    )
    call = shortest(c for c in typed if to_be_refused(c) and argument(c) not in unlisted)
    return _accepted(call, f"with another type for {printable(argument(call), 60)!r}") if call else None


@rule(
    "ARG009",
    "TUL-011.3.1",
    "AGN-005.3.4",
    "AMP.3.3",
    over=Call,
    applies=_has_values,
    when=both(invalid, of_kind(Kind.ENUM, Kind.CONST), to_be_refused, answered),
    unseen_reason="no call with a value that is not listed was answered",
    if_unseen="not_applicable",
    remedy="Return a failed result with a message that lists the allowed values.",
)
def unlisted_value_is_refused(call: Call) -> Finding | None:
    """A value outside the ones that the schema lists gives a failed result."""
    what = f"with a value of {printable(argument(call), 60)!r} that the schema does not list"
    return _accepted(call, what) if call.succeeded else None


@rule(
    "ARG010",
    "AGN-005.12.2",
    "AMP.3.3",
    over=Call,
    applies=_has_constraints,
    when=lambda call: (
        invalid(call) and to_be_refused(call) and answered(call) and call.plan.kind not in _WHOLE_OBJECT
    ),
    unseen_reason="no call that breaks a constraint of the schema could be made",
    if_unseen="not_applicable",
    remedy="Refuse what the schema forbids, or remove the constraint from the schema.",
)
def broken_constraint_is_refused(call: Call) -> Finding | None:
    """A value that breaks a bound, a length, a pattern or another constraint of the schema gives a failed result.

    A schema that the tool does not keep misleads the model that reads it.
    """
    what = f"though {printable(call.plan.label, 60)} breaks the schema"
    return _accepted(call, what) if call.succeeded else None


@rule(
    "ARG011",
    "AGN-005.3.3",
    over=Call,
    applies=_has_optional,
    when=both(invalid, of_kind(Kind.OMITTED_OPTIONAL, Kind.NULL_OPTIONAL), to_be_accepted, returned),
    unseen_reason="no call succeeded from which an optional argument could be taken: give an example, as "
    "examples = [{ … }] in [tool.aptix-conformance.tool.NAME]",
    remedy="Use the default for an optional argument that is missing or null.",
)
def optional_arguments_have_defaults(call: Call) -> Finding | None:
    """A call that succeeds also succeeds when an optional argument is left out or null."""
    if not call.refused:
        return None
    how = "left out" if call.plan.kind is Kind.OMITTED_OPTIONAL else "null"
    return Finding(
        f"The tool refused a call with the optional {printable(argument(call), 60)!r} {how}: {_said(call)}; "
        f"sent: {sent(call)}."
    )


@rule(
    "ARG012",
    "AGN-005.12.2",
    over=Exploration,
    source="suite",
    when=any_call(valid, answered),
    unseen_reason="no call that the schema allows was answered",
    remedy="Say in the schema what is refused (minLength, minimum, pattern, enum), or in the usage text where a "
    "schema cannot say it.",
)
def schema_tells_what_is_refused(exploration: Exploration) -> Finding | None:
    """A call that the schema allows is refused only for a reason that schema or usage text announce.

    Refusing it is allowed, but the model cannot know what to send instead. A tool that changes state may refuse a call
    that it accepted before. Its message is then about the state and not about the arguments.
    """
    if any(call.refused and to_be_accepted(call) and invalid(call) for call in exploration.calls):
        return None  # ARG011 reports that an optional argument is required
    usage = " ".join(map(declarations.usage_text, exploration.declarations))
    refused = [call for call in exploration.calls if valid(call) and call.refused]
    accepted = {_as_sent(call) for call in exploration.calls if refused and call.succeeded}
    of_state = [prose.stems(_said(call)) for call in refused if _as_sent(call) in accepted]
    call = shortest(
        call
        for call in refused
        if call.plan.kind not in (Kind.EXAMPLE, Kind.AGAIN)
        and not _is_spelling(call)
        and not any(_are_alike(prose.stems(_said(call)), known) for known in of_state)
        and not _announced(call, usage)
    )
    if call is None:
        return None
    return Finding(
        f"The tool refused a call that its schema allows: {_said(call)}; sent: {sent(call)}.", call
    )


def _as_sent(call: Call) -> str | None:
    """An object in canonical order of members; other arguments unchanged."""
    if not reads_as_object(call.plan.arguments):
        return call.plan.arguments
    return json.dumps(arguments_of(call), sort_keys=True)


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two messages, as stems, have mostly the same words, or no words."""
    return len(one & other) >= _ANNOUNCED * max(len(one), len(other))


def _is_spelling(call: Call) -> bool:
    """Whether the call differs only in how a whole number is written: 1.0 is an integer to a schema, not to most parsers.

    No model writes 1.0, and no schema can forbid it.
    """
    return call.plan.change.detail == "integral-float"


def _said(call: Call) -> str:
    result = call.result
    errors = result.errors if result else ()
    message = (result.error_message if result else None) or next(
        (e.message for e in errors if e.message), None
    )
    return printable(message, 120) if message else "without a message"


def _announced(call: Call, usage: str) -> bool:
    """Whether the usage text has the error's code or its words, or the message only repeats what the caller sent."""
    errors = call.result.errors if call.result else ()
    if any(error.code and error.code in usage for error in errors):
        return True
    message = (call.result.error_message if call.result else None) or ""
    asked = [text for text in strings_in(arguments_of(call)) if text.strip()]
    if any(text.strip() in message for text in asked if len(text) > 1 and len(text) * 2 > len(message)):
        return True
    words = prose.stems(message) - prose.stems(" ".join(asked))
    return bool(words) and len(words & prose.stems(usage)) >= _ANNOUNCED * len(words)
