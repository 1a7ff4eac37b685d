"""ARG: how a tool handles arguments that it should refuse, and optional arguments.

Each fault has one rule. Arguments that are not an object have other rules than objects that the schema forbids. For
objects, the rule on missing arguments comes before the rule on null, and the rule on enumerations before the rule on
types: a tool that does not check whether `name` is present does not check whether it is null either. An argument that no
call reads is not checked at all, which SCH019 reports.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from aptix_conformance.model import Call, Declaration, Exploration, Kind
from aptix_conformance.rules.lib import declarations, leaks, prose
from aptix_conformance.rules.lib.documents import arguments_of, reads_as_object, strings_in
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.rules.lib.scope import (
    accepted_arguments,
    answered,
    any_call,
    argument,
    as_sent,
    blank,
    both,
    came_back,
    changed,
    extreme,
    fault_of,
    faults,
    ill_formed,
    improper_object,
    invalid,
    malformed,
    of_kind,
    raised_at,
    returned,
    threw,
    thrown,
    to_be_accepted,
    to_be_refused,
    valid,
)
from aptix_conformance.rules.reading import unread_arguments
from aptix_conformance.rules.schema import required_arguments_are_declared, required_is_an_array_of_names
from aptix_conformance.text import printable, quoted

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

_ORDINARY: Final = frozenset({"apostrophe", "quotes", "semicolon", "percent"})
"""Of the extreme texts, those that are plain writing."""

_ON_REQUIRED: Final = (required_is_an_array_of_names, required_arguments_are_declared)

_ANNOUNCED: Final = 0.6
"""The usage text announces a refusal if it has this share of the refusal's words."""


def _is_ordinary(call: Call) -> bool:
    """Whether the schema allows the call, and no value in it is one that a careful tool may well refuse."""
    is_plain = call.plan.kind is Kind.EXTREME and call.plan.change.detail in _ORDINARY
    return valid(call) or (extreme(call) and is_plain)


def _needs_arguments(declaration: Declaration) -> str | None:
    if not declarations.requires_something(declaration):
        return "its schema requires no argument, or has a default for each that it requires"
    if declaration.tool_name.value == declarations.LIST_MODES:
        return "CAT002 says that nothing is required of it"
    return None


def _forbids_nothing_sent(declaration: Declaration) -> str | None:
    if declarations.allows_nothing_sent(declaration):
        return "its schema allows a call without arguments, which may be given in any form"
    return _needs_arguments(declaration)


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


def _accepted(call: Call, what: str, gives_way_to: str = "") -> Finding:
    return Finding(f"The tool succeeded {what}.", call, gives_way_to, changed(call))


def _accepted_for(
    exploration: Exploration, what: str, calls: Iterable[Call], first: str = ""
) -> Iterator[Finding]:
    """A finding for each call that succeeded with a changed argument; `what` has a place for the argument's name.

    `first` is the rule that reports the call where a rule comes before; empty where none does.
    """
    unread = unread_arguments(exploration)
    for call in calls:
        said = what.format(quoted(argument(call), 60))
        if any(_is_within(argument(call), name) for name in unread):
            yield replace(_accepted(call, said, "SCH019"), not_its_own=True)
        else:
            yield _accepted(call, said, first)


def _is_within(argument: str, name: str) -> bool:
    """Whether an argument, by its path, is another or a part of it."""
    return argument == name or argument.startswith((f"{name}.", f"{name}["))


def _wrongly_accepted(exploration: Exploration, *kinds: Kind) -> Iterator[Call]:
    """The calls of the invalid probe that succeeded after a change of one of these kinds, and should have been refused."""
    wanted = both(invalid, of_kind(*kinds), to_be_refused)
    return (call for call in exploration.calls if call.succeeded and wanted(call))


@rule(
    "ARG001",
    "AGN-005.3.1",
    "TUL-011.3.1",
    "AMP.3.3",
    over=Exploration,
    applies=_forbids_nothing_sent,
    when=any_call(blank, to_be_refused, answered),
    unseen_reason="no blank arguments were answered",
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
            first = "ARG006" if checks_nothing else ""
            yield replace(_accepted(call, "without its required arguments", first), cause=())


@rule(
    "ARG002",
    "AGN-005.3.2",
    "AGN-005.3.1",
    "TUL-011.3.4",
    over=Exploration,
    when=any_call(malformed, came_back),
    kind=changed,
    takes_calls=True,
    unseen_reason="no malformed arguments were sent",
    remedy="Catch every exception that parsing the arguments may raise (in Python ValueError and RecursionError, not only "
    "JSONDecodeError), check that the result is an object, and return InvokeResult.from_error(message).",
)
def malformed_json_never_raises(exploration: Exploration) -> Iterator[Finding]:
    """Arguments that are null, that do not parse, or that are no object come back as a result; nothing is raised.

    A model writes the arguments, and it writes broken ones.
    """
    known = faults(exploration.calls)
    for call in exploration.calls:
        if malformed(call) and threw(call) and not reads_as_object(call.plan.arguments):
            first = "EXC001" if fault_of(call) in known else ""
            yield Finding(f"The tool raised {thrown(call)}.", call, first, raised_at(call))


@rule(
    "ARG003",
    "AGN-005.3.4",
    "TUL-011.3.1",
    over=Call,
    applies=_forbids_nothing_sent,
    when=lambda call: (
        malformed(call)
        and to_be_refused(call)
        and answered(call)
        and call.plan.kind not in (Kind.BLANK, Kind.ROOT)
    ),
    kind=changed,
    unseen_reason="no text that is not JSON was answered",
    remedy="Return InvokeResult.from_error(message) if the arguments do not parse; do not continue without them.",
)
def text_that_is_not_json_is_refused(call: Call) -> Finding | None:
    """Where something is required, arguments that no parser takes for JSON give a failed result.

    A tool that can do without arguments may take what it cannot read for none.
    """
    return _accepted(call, "though its arguments are not JSON") if call.succeeded else None


@rule(
    "ARG004",
    "AGN-005.3.4",
    "TUL-011.3.1",
    over=Call,
    applies=_forbids_nothing_sent,
    when=lambda call: (
        malformed(call)
        and to_be_refused(call)
        and answered(call)
        and call.plan.kind is Kind.ROOT
        and not blank(call)
    ),
    kind=changed,
    unseen_reason="no JSON without an object at its root was answered",
    remedy="Refuse what is not an object: if not isinstance(arguments, dict): return InvokeResult.from_error(…).",
)
def json_that_is_no_object_is_refused(call: Call) -> Finding | None:
    """Where something is required, an array, a string, a number or a boolean instead of an object gives a failed result.

    A tool that can do without arguments may take what is no object for none.
    """
    return _accepted(call, "though its arguments are no object") if call.succeeded else None


@rule(
    "ARG005",
    "TUL-011.3.4",
    "AGN-005.3.4",
    "AGN-005.9.3",
    "AMP.3.4",
    over=Exploration,
    when=any_call(improper_object, came_back),
    kind=changed,
    takes_calls=True,
    unseen_reason="no object that the schema forbids was sent",
    remedy="Check each argument's presence and type before using it, and return a failed result with a message.",
)
def invalid_arguments_never_raise(exploration: Exploration) -> Iterator[Finding]:
    """An object that the schema forbids comes back as a result; nothing is raised."""
    known = faults(exploration.calls)
    for call in exploration.calls:
        if threw(call) and improper_object(call):
            first = "EXC001" if fault_of(call) in known else ""
            said = f"The tool raised {thrown(call)}."
            yield Finding(said, call, first, raised_at(call))


@rule(
    "ARG006",
    "AGN-005.3.6",
    "TUL-011.3.1",
    "AMP.3.3",
    over=Exploration,
    applies=_needs_arguments,
    when=any_call(invalid, of_kind(Kind.MISSING), to_be_refused, answered),
    kind=changed,
    unseen_reason="no call without a required argument was answered",
    remedy="Return a failed result with a message where the argument is missing.",
)
def missing_required_argument_is_refused(exploration: Exploration) -> Iterator[Finding]:
    """A call without a required argument gives a failed result."""
    wrong = _wrongly_accepted(exploration, Kind.MISSING)
    return _accepted_for(exploration, "without the required argument {}", wrong)


@rule(
    "ARG007",
    "AGN-005.3.6",
    "TUL-011.3.1",
    "AMP.3.3",
    over=Exploration,
    applies=_needs_arguments,
    when=any_call(invalid, of_kind(Kind.NULL), to_be_refused, answered),
    kind=changed,
    unseen_reason="no call with null for a required argument was answered",
    if_unseen="not_applicable",
    remedy="Treat null for a required argument as if it were missing.",
)
def null_for_required_argument_is_refused(exploration: Exploration) -> Iterator[Finding]:
    """Null as a required argument gives a failed result, as if it were missing."""
    unguarded = accepted_arguments(exploration.calls, Kind.MISSING)
    for call in _wrongly_accepted(exploration, Kind.NULL):
        first = "ARG006" if argument(call) in unguarded else ""
        yield from _accepted_for(exploration, "with null for {}", [call], first)


@rule(
    "ARG008",
    "TUL-011.3.1",
    "AGN-005.3.4",
    "AMP.3.3",
    over=Exploration,
    applies=_has_types,
    when=any_call(invalid, of_kind(Kind.TYPE), to_be_refused, answered),
    kind=changed,
    unseen_reason="no call with an argument of another type was answered",
    remedy="Check the argument's type and return a failed result with a message; do not convert it silently.",
)
def wrong_type_is_refused(exploration: Exploration) -> Iterator[Finding]:
    """An argument of a type that the schema does not allow, and that cannot be read as one, gives a failed result.

    Some parsers read `"5"` and true as numbers, and a tool may use one. A tool that refuses `"5"` converts nothing: it has
    to refuse true for a number, too. In Python `isinstance(True, int)` is true.
    """
    unlisted = accepted_arguments(exploration.calls, Kind.ENUM, Kind.CONST)
    for call in _wrongly_accepted(exploration, Kind.TYPE):
        first = "ARG009" if argument(call) in unlisted else ""
        yield from _accepted_for(exploration, "with another type for {}", [call], first)
    for call in _true_for_a_number(exploration):
        yield from _accepted_for(exploration, "with true for the number {}", [call])


def _true_for_a_number(exploration: Exploration) -> Iterator[Call]:
    """The calls that succeeded with true for a number, though text for it was refused."""
    coerced = [call for call in exploration.calls if invalid(call) and call.plan.kind is Kind.COERCIBLE]
    strict = {argument(c) for c in coerced if c.refused and c.plan.change.detail == "numeric-string"}
    for call in coerced:
        if call.succeeded and call.plan.change.detail == "true" and argument(call) in strict:
            yield call


@rule(
    "ARG009",
    "TUL-011.3.1",
    "AGN-005.3.4",
    "AMP.3.3",
    over=Exploration,
    applies=_has_values,
    when=any_call(invalid, of_kind(Kind.ENUM, Kind.CONST), to_be_refused, answered),
    kind=changed,
    unseen_reason="no call with a value that is not listed was answered",
    if_unseen="not_applicable",
    remedy="Return a failed result with a message that lists the allowed values.",
)
def unlisted_value_is_refused(exploration: Exploration) -> Iterator[Finding]:
    """A value outside the ones that the schema lists gives a failed result."""
    wrong = _wrongly_accepted(exploration, Kind.ENUM, Kind.CONST)
    return _accepted_for(exploration, "with a value of {} that the schema does not list", wrong)


@rule(
    "ARG010",
    "AGN-005.12.2",
    "AMP.3.3",
    over=Exploration,
    applies=_has_constraints,
    when=any_call(invalid, to_be_refused, answered, lambda call: call.plan.kind not in _WHOLE_OBJECT),
    kind=changed,
    unseen_reason="no call that breaks a constraint of the schema could be made",
    if_unseen="not_applicable",
    remedy="Refuse what the schema forbids, or remove the constraint from the schema.",
)
def broken_constraint_is_refused(exploration: Exploration) -> Iterator[Finding]:
    """A value that breaks a bound, a length, a pattern or another constraint of the schema gives a failed result.

    A schema that the tool does not keep misleads the model that reads it.
    """
    for call in _wrongly_accepted(exploration, *set(Kind) - _WHOLE_OBJECT):
        broken = (
            printable(call.plan.change.detail or call.plan.kind, 60).replace("{", "{{").replace("}", "}}")
        )
        yield from _accepted_for(exploration, f"with a value of {{}} that breaks its {broken}", [call])


@rule(
    "ARG011",
    "AGN-005.3.3",
    over=Call,
    applies=_has_optional,
    when=both(invalid, of_kind(Kind.OMITTED_OPTIONAL, Kind.NULL_OPTIONAL), to_be_accepted, returned),
    kind=changed,
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
        f"The tool refused a call with the optional {quoted(argument(call), 60)} {how}: {_said(call)}.",
        cause=argument(call),
    )


@rule(
    "ARG012",
    "AGN-005.12.2",
    over=Exploration,
    source="suite",
    when=any_call(_is_ordinary, answered),
    kind=as_sent,
    unseen_reason="no call that the schema allows was answered",
    remedy="Say in the schema what is refused (minLength, minimum, pattern, enum), or in the usage text where a "
    "schema cannot say it.",
)
def schema_tells_what_is_refused(exploration: Exploration) -> Iterator[Finding]:
    """A call that the schema allows is refused only for a reason that schema or usage text announce.

    Refusing it is allowed, but the model cannot know what to send instead. A tool that changes state may refuse a call
    that it accepted before. Its message is then about the state and not about the arguments. A message that leaks gives
    no reason; nothing is known of why the call was refused until the leak is fixed.
    """
    first = "ARG011" if any(map(_refused_without_an_optional, exploration.calls)) else ""
    usage = " ".join(map(declarations.usage_text, exploration.declarations))
    refused = [call for call in exploration.calls if _is_ordinary(call) and call.refused]
    accepted = {_as_sent(call) for call in exploration.calls if refused and call.succeeded}
    of_state = [prose.stems(_said(call)) for call in refused if _as_sent(call) in accepted]
    for call in refused:
        if call.plan.kind in (Kind.EXAMPLE, Kind.AGAIN) or _is_spelling(call):
            continue
        leak = _leak(call)
        known = any(_are_alike(prose.stems(_said(call)), known) for known in of_state)
        if leak or not (known or _announced(call, usage)):
            said = f"The tool refused a call that its schema allows: {_said(call)}."
            yield Finding(said, call, leak or first, _words_of_its_own(call))


def _refused_without_an_optional(call: Call) -> bool:
    return call.refused and to_be_accepted(call) and invalid(call)


def _leak(call: Call) -> str:
    """The rule that reports the error of a call as a leak; empty where none does."""
    if leaks.internals(call):
        return "EXC003"
    if leaks.secrets(call, leaks.failure_texts(call)):
        return "EXC004"
    return "EXC006" if leaks.exception_words(call) else ""


@rule(
    "ARG013",
    "AGN-005.3.2",
    "AGN-005.4.2",
    "ART.1.2",
    over=Exploration,
    when=any_call(ill_formed, came_back),
    takes_calls=True,
    unseen_reason="no text with half of a character could be sent",
    if_unseen="not_applicable",
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
            first = "ARG005" if fault_of(call) in improper else ""
            first = "EXC001" if fault_of(call) in proper_faults else first
            yield Finding(f"The tool raised {thrown(call)}.", call, first)


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
    return quoted(message, 120) if message else "without a message"


def _words_of_its_own(call: Call) -> frozenset[str]:
    """The words of a refusal, as stems, without those that the caller sent."""
    message = (call.result.error_message if call.result else None) or ""
    return prose.stems(message) - prose.stems(" ".join(strings_in(arguments_of(call))))


def _announced(call: Call, usage: str) -> bool:
    """Whether the usage text has the error's code or its words, or the message only repeats what the caller sent."""
    errors = call.result.errors if call.result else ()
    if any(error.code and error.code in usage for error in errors):
        return True
    message = (call.result.error_message if call.result else None) or ""
    asked = [text for text in strings_in(arguments_of(call)) if text.strip()]
    if any(text.strip() in message for text in asked if len(text) > 1 and len(text) * 2 > len(message)):
        return True
    words = _words_of_its_own(call)
    return bool(words) and len(words & prose.stems(usage)) >= _ANNOUNCED * len(words)
