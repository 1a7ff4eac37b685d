"""ARG005 to ARG011: how a tool handles objects that its schema forbids, and optional arguments.

Each fault has one rule. The rule on missing arguments comes before the rule on null, and the rule on enumerations before
the rule on types: a tool that does not check whether `name` is present does not check whether it is null either. An
argument that no call reads is not checked at all, which SCH019 reports.

One file, because the rules hand the faults on in this order: each is read beside those that come before it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import jsonschema_rs

from aptix_conformance.core.model import Call, Declaration, Exploration, Kind
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib import declarations
from aptix_conformance.rules.lib.acceptance import accepted, needs_arguments, refusal_text
from aptix_conformance.rules.lib.documents import arguments_of
from aptix_conformance.rules.lib.earlier_calls import AnyTellingCall, refused_at_times
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, Precondition, rule
from aptix_conformance.rules.lib.mislabelled import mislabelled_refusal
from aptix_conformance.rules.lib.scope import (
    BY_EXCEPTION,
    EXAMPLE_HELPS,
    PROPER,
    accepted_arguments,
    answered,
    any_call,
    argument,
    both,
    came_back,
    changed,
    fault_of,
    faults,
    improper_object,
    invalid,
    of_kind,
    proper,
    raised_at,
    returned,
    threw,
    thrown,
    to_be_accepted,
    to_be_refused,
)
from aptix_conformance.rules.reading import unread_arguments
from aptix_conformance.rules.schema import required_arguments_are_declared, required_is_an_array_of_names
from aptix_conformance.stimuli.generate.arguments import has_default
from aptix_conformance.stimuli.probes.planning import selectors

_NAMED_BY_KIND: Final = frozenset({Kind.ENUM, Kind.CONST, Kind.PATTERN})
"""Kinds of change that are the keyword which is broken; their detail says how."""
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

_ABOUT_A_VALUE: Final = frozenset(
    ("title", "description", "default", "examples", "deprecated", "$comment", "readOnly", "writeOnly")
)
"""Keywords that forbid no value of any type."""

_OTHER_TYPES: Final = (Kind.TYPE, Kind.COERCIBLE, Kind.NULL_OPTIONAL)
"""Kinds of change that give an argument a value of another type."""
_OTHER_TYPE: Final = "with another type for {}"
_NULL: Final = "with null for the optional {}, whose type excludes null"
_WITH_LOSS: Final = {
    "fraction": "with a fraction for the integer {}",
    "empty-string": "with an empty text for {}",
}
"""How the acceptance of a value is said that nothing converts without loss, by the detail of its change."""

_ON_REQUIRED: Final = (required_is_an_array_of_names, required_arguments_are_declared)


def _has_types(declaration: Declaration) -> str | None:
    return None if declarations.properties(declaration) else "its schema has no argument"


def _excludes_types(declaration: Declaration) -> str | None:
    """Not where each argument takes any value: `{}`, true, or nothing but words about it."""
    schemas = declarations.properties(declaration).values()
    if schemas and all(
        each is True or (isinstance(each, dict) and each.keys() <= _ABOUT_A_VALUE) for each in schemas
    ):
        return "no argument has a type that excludes a value"
    return _has_types(declaration)


def _has_values(declaration: Declaration) -> str | None:
    return None if declarations.lists_values(declaration) else "its schema lists no values for an argument"


def _has_constraints(declaration: Declaration) -> str | None:
    schemas = (schema for schema in declarations.properties(declaration).values() if isinstance(schema, dict))
    constraints = [(key, schema[key]) for schema in schemas for key in schema.keys() - _UNCONSTRAINING]
    if (own := declaration.own_rules.constraint) and constraints == [("minLength", 1)]:
        return f"{own} asks the same of it"
    return None if constraints else "its schema constrains no argument beyond its type"


def _has_optional(declaration: Declaration) -> str | None:
    if any(r.when(declaration) and r.check(declaration) for r in _ON_REQUIRED):
        return "its schema does not say rightly what is required (SCH007, SCH011)"
    optional = set(declarations.properties(declaration)) - set(declarations.required(declaration))
    return None if optional else "its schema has no optional argument"


def _accepted_for(
    exploration: Exploration, phrase: str, calls: Iterable[Call], defers_to: str = ""
) -> Iterator[Finding]:
    """A finding for each call that succeeded with a changed argument; `phrase` has a place for the argument's name.

    `defers_to` is the rule that reports the call where a rule comes before; empty where none does. A refusal that is only
    labelled as a success is MCP087's in the systems that have it.
    """
    unread = unread_arguments(exploration)
    for call in calls:
        message = phrase.format(quoted(argument(call), 60))
        if mislabelled_refusal(call):
            yield replace(accepted(call, message, "MCP087"), not_its_own=True)
        elif any(_is_within(argument(call), name) for name in unread):
            yield replace(accepted(call, message, "SCH019"), not_its_own=True)
        else:
            yield accepted(call, message, defers_to)


def _is_within(argument: str, name: str) -> bool:
    """Whether an argument, by its path, is another or a part of it."""
    return argument == name or argument.startswith((f"{name}.", f"{name}["))


def _wrongly_accepted(exploration: Exploration, *kinds: Kind) -> Iterator[Call]:
    """The calls of the invalid probe that succeeded after a change of one of these kinds, and should have been refused."""
    should_fail = both(invalid, of_kind(*kinds), to_be_refused)
    return (call for call in exploration.calls if call.succeeded and should_fail(call))


@rule(
    "ARG005",
    "TUL-011.3.4",
    "AGN-005.3.4",
    "AGN-005.9.3",
    "AMP.3.4",
    when=any_call(improper_object, came_back),
    kind=changed,
    masks_others=True,
    unseen_reason="no object that the schema forbids was sent",
    probes=("malformed", *PROPER),
    differs_by=BY_EXCEPTION,
    remedy="Check each argument's presence and type before using it, and return a failed result with a message.",
)
def invalid_arguments_never_raise(exploration: Exploration) -> Iterator[Finding]:
    """An object that the schema forbids comes back as a result; nothing is raised."""
    reported = faults(exploration.calls)
    for call in exploration.calls:
        if threw(call) and improper_object(call):
            defers_to = "EXC001" if fault_of(call) in reported else ""
            message = f"The tool raised {thrown(call)}."
            yield Finding(message, call, defers_to, raised_at(call))


@rule(
    "ARG006",
    "AGN-005.3.6",
    "TUL-011.3.1",
    "AMP.3.3",
    "MCP.Sec.1",
    applies=needs_arguments,
    when=Precondition(
        any_call(invalid, of_kind(Kind.MISSING), to_be_refused, answered),
        "no call without a required argument was answered",
        ("SCH011",),
    ),
    kind=changed,
    probes=("invalid", "reading"),
    differs_by="the argument",
    remedy="Return a failed result with a message where the argument is missing.",
)
def missing_required_argument_is_refused(exploration: Exploration) -> Iterator[Finding]:
    """A call without a required argument gives a failed result."""
    calls = _wrongly_accepted(exploration, Kind.MISSING)
    return _accepted_for(exploration, "without the required argument {}", calls)


@rule(
    "ARG007",
    "AGN-005.3.6",
    "TUL-011.3.1",
    "AMP.3.3",
    "MCP.Sec.2",
    applies=needs_arguments,
    when=any_call(invalid, of_kind(Kind.NULL), to_be_refused, answered),
    kind=changed,
    unseen_reason=NotApplicable("no call with null for a required argument was answered"),
    probes=("invalid", "reading"),
    differs_by="the argument",
    remedy="Treat null for a required argument as if it were missing.",
)
def null_for_required_argument_is_refused(exploration: Exploration) -> Iterator[Finding]:
    """Null as a required argument gives a failed result, as if it were missing."""
    unguarded = accepted_arguments(exploration.calls, Kind.MISSING)
    for call in _wrongly_accepted(exploration, Kind.NULL):
        defers_to = "ARG006" if argument(call) in unguarded else ""
        yield from _accepted_for(exploration, "with null for {}", [call], defers_to)


@rule(
    "ARG008",
    "TUL-011.3.1",
    "AGN-005.3.4",
    "AMP.3.3",
    "MCP.Sec.2",
    applies=_excludes_types,
    when=Precondition(
        any_call(invalid, of_kind(*_OTHER_TYPES), to_be_refused, answered),
        "no call with an argument of another type was answered",
        ("SCH011",),
    ),
    kind=changed,
    probes=("invalid", "reading"),
    differs_by="the argument, and whether it was given another type, a value that some parsers convert, or null where it is optional",
    remedy="Check the argument's type and return a failed result with a message; do not convert it silently.",
)
def wrong_type_is_refused(exploration: Exploration) -> Iterator[Finding]:
    """An argument of a type that the schema does not allow, and that cannot be read as one, gives a failed result.

    Some parsers read `"5"` and true as numbers, and a tool may use one. A tool that refuses `"5"` converts nothing: it has
    to refuse true for a number, too. In Python `isinstance(True, int)` is true. An MCP server has to refuse every value that
    it could use only after a change: a fraction for an integer, an empty text for a number, null for an optional text. What it
    converts without loss is MCP110's.
    """
    unlisted = accepted_arguments(exploration.calls, Kind.ENUM, Kind.CONST)
    untyped = accepted_arguments(exploration.calls, Kind.TYPE)
    for call in _wrongly_accepted(exploration, *_OTHER_TYPES):
        is_null = call.plan.kind is Kind.NULL_OPTIONAL
        is_typed = call.plan.kind is Kind.TYPE or argument(call) in untyped
        with_loss = _NULL if is_null else _WITH_LOSS.get(call.plan.change.detail or "", _OTHER_TYPE)
        phrase = _OTHER_TYPE if is_typed else with_loss
        defers_to = "ARG009" if argument(call) in unlisted else ""
        for finding in _accepted_for(exploration, phrase, [call], defers_to):
            # Where nothing is checked, null is no cause of its own.
            cause = (call.plan.probe, Kind.TYPE, argument(call)) if is_null and is_typed else finding.cause
            yield replace(finding, cause=cause)
    if not exploration.declarations[0].traits.grades_conversions:
        for call in _true_for_a_number(exploration):
            yield from _accepted_for(exploration, "with true for the number {}", [call])


def _true_for_a_number(exploration: Exploration) -> Iterator[Call]:
    """The calls that succeeded with true for a number, though the text of a number was refused beside the same other arguments."""
    declaration = exploration.declarations[0]
    coerced = [call for call in exploration.calls if invalid(call) and call.plan.kind is Kind.COERCIBLE]
    of_text = [call for call in coerced if call.plan.change.detail == "numeric-string"]
    converted = {argument(call) for call in of_text if call.succeeded}
    strict = {_place(call) for call in of_text if call.refused and _allows_its_number(declaration, call)}
    for call in coerced:
        is_accepted = call.succeeded and call.plan.change.detail == "true"
        if is_accepted and argument(call) not in converted and _place(call) in strict:
            yield call


def _place(call: Call) -> tuple[str, str]:
    """The changed argument, and the others as JSON; an argument whose part was changed is none of the others."""
    whole = re.split(r"[.\[]", argument(call))[0]
    others = {name: value for name, value in arguments_of(call).items() if name != whole}
    return argument(call), json.dumps(others, sort_keys=True)


def _allows_its_number(declaration: Declaration, call: Call) -> bool:
    """Whether the schema allows the number whose text was sent; where it does not, that may be why the text was refused."""
    name = argument(call)
    node, text = declarations.properties(declaration).get(name), arguments_of(call).get(name)
    if not isinstance(node, dict) or not isinstance(text, str):
        return True
    root = declarations.parameters(declaration) or {}
    try:
        schema = {"$defs": root.get("$defs", {}), **node}
        return jsonschema_rs.Draft202012Validator(schema, offline=True).is_valid(int(text))
    except ValueError:
        return True


@rule(
    "ARG009",
    "TUL-011.3.1",
    "AGN-005.3.4",
    "AMP.3.3",
    "MCP.Sec.3",
    applies=_has_values,
    when=any_call(invalid, of_kind(Kind.ENUM, Kind.CONST), to_be_refused, answered),
    kind=changed,
    unseen_reason=NotApplicable("no call with a value that is not listed was answered"),
    probes=("invalid", "reading"),
    differs_by="the argument and the keyword, enum or const",
    remedy="Return a failed result with a message that lists the allowed values.",
)
def unlisted_value_is_refused(exploration: Exploration) -> Iterator[Finding]:
    """A value outside the ones that the schema lists gives a failed result."""
    calls = _wrongly_accepted(exploration, Kind.ENUM, Kind.CONST)
    return _accepted_for(exploration, "with a value of {} that the schema does not list", calls)


@rule(
    "ARG010",
    "AGN-005.12.2",
    "AMP.3.3",
    "MCP.Sec.3",
    applies=_has_constraints,
    when=any_call(invalid, to_be_refused, answered, lambda call: call.plan.kind not in _WHOLE_OBJECT),
    kind=changed,
    unseen_reason=NotApplicable("no call that breaks a constraint of the schema could be made"),
    probes=("invalid", "reading"),
    differs_by="the argument and the kind of the constraint",
    remedy="Refuse what the schema forbids, or remove the constraint from the schema.",
)
def broken_constraint_is_refused(exploration: Exploration) -> Iterator[Finding]:
    """A value that breaks a bound, a length, a pattern or another constraint of the schema gives a failed result.

    A schema that the tool does not keep misleads the model that reads it.
    """
    for call in _wrongly_accepted(exploration, *set(Kind) - _WHOLE_OBJECT):
        change = call.plan.change
        named = change.kind in _NAMED_BY_KIND or not change.detail
        broken = printable(change.kind if named else change.detail or "", 60)
        broken = broken.replace("{", "{{").replace("}", "}}")
        yield from _accepted_for(exploration, f"with a value of {{}} that breaks its {broken}", [call])


_LEAVES_OUT: Final = both(
    invalid, of_kind(Kind.OMITTED_OPTIONAL, Kind.NULL_OPTIONAL), to_be_accepted, returned
)


@rule(
    "ARG011",
    "AGN-005.3.3",
    applies=_has_optional,
    when=AnyTellingCall(_LEAVES_OUT),
    kind=changed,
    unseen_reason=f"no call succeeded from which an optional argument could be taken: {EXAMPLE_HELPS}",
    probes=("invalid",),
    differs_by="the argument",
    remedy="Use the default for an optional argument that is missing or null.",
)
def optional_arguments_have_defaults(exploration: Exploration) -> Iterator[Finding]:
    """A call that succeeds also succeeds when an optional argument is left out or null.

    An argument that one value of another argument needs and another does not, as `text` for the action `add`, has no default:
    the tool may refuse a call without it. The same holds where a tool wants one of several optional arguments, whichever it is: it
    may refuse a call that has none of them. ARG012 asks that schema or usage text say so. A default in the schema is kept.
    """
    for call in refused_without_an_optional(exploration):
        state = "left out" if call.plan.kind is Kind.OMITTED_OPTIONAL else "null"
        yield Finding(
            f"The tool refused a call with the optional {quoted(argument(call), 60)} {state}: {refusal_text(call)}.",
            call,
            cause=argument(call),
        )


def refused_without_an_optional(exploration: Exploration) -> Iterator[Call]:
    """The calls that were refused for want of an optional argument, though no other argument says when it is needed."""
    says_nothing = refused_at_times(exploration.calls)
    refused = [
        call for call in exploration.calls if _LEAVES_OUT(call) and call.refused and not says_nothing(call)
    ]
    if not refused:
        return
    declaration = exploration.declarations[0]
    succeeded = [arguments_of(call) for call in exploration.calls if call.succeeded and _is_allowed(call)]
    for call in refused:
        if not (
            _is_needed_at_times(call, declaration, succeeded)
            or _lacks_each_of_some(call, declaration, succeeded)
        ):
            yield call


def _is_allowed(call: Call) -> bool:
    """Whether the schema allows the call: a model may make it, or the invalid probe gave it another optional argument."""
    return proper(call) or (invalid(call) and call.plan.kind is Kind.OMITTED_OPTIONAL)


def _lacks_each_of_some(
    call: Call, declaration: Declaration, succeeded: Sequence[Mapping[str, object]]
) -> bool:
    """Whether the same call succeeded with another optional argument instead of the one that it lacks.

    Then the tool does not need the argument, and refused the call because it has none of several. This does not excuse a tool
    that takes the same call as it is: it refuses null where the argument may be left out, or the reverse.
    """
    name, sent = argument(call), _without_nulls(arguments_of(call))
    properties = declarations.properties(declaration)
    if has_default(properties.get(name)):
        return False
    required = declarations.required(declaration)
    others = {each for each, node in properties.items() if each not in required and not has_default(node)}
    without = [_without_nulls(other) for other in succeeded if other.get(name) is None]
    if sent in without:
        return False
    return any((other.keys() - sent.keys()) & others and other.items() >= sent.items() for other in without)


def _without_nulls(arguments: Mapping[str, object]) -> dict[str, str]:
    """The arguments that are not null, each as JSON."""
    return {name: json.dumps(value, sort_keys=True) for name, value in arguments.items() if value is not None}


def _is_needed_at_times(
    call: Call, declaration: Declaration, succeeded: Sequence[Mapping[str, object]]
) -> bool:
    """Whether calls succeeded without the argument, all with another value of one argument than this call has."""
    name, sent = argument(call), arguments_of(call)
    properties = declarations.properties(declaration)
    node = properties.get(name)
    if not isinstance(node, dict) or "default" in node:
        return False
    without = [other for other in succeeded if other.get(name) is None]
    for each in selectors(properties):
        values = [other[each] for other in without if other.get(each) is not None]
        if each != name and values and sent.get(each) is not None and sent[each] not in values:
            return True
    return False
