"""SCH018 and SCH019: the arguments that a tool reads, compared with its schema.

Both rules combine the evidence of all calls. Reads that cannot be observed (a dict that is passed on whole, a parser in
C) count as no evidence. Before a finding, further calls confirm it: one with the undeclared member, or one with an
impossible value for the member that seems unread.
"""

from collections.abc import Iterator
from typing import Final

from aptix_conformance.core.model import Call, Exploration, Kind
from aptix_conformance.core.text import quoted
from aptix_conformance.rules.lib import declarations
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.stimuli.generate import usable_schema
from aptix_conformance.stimuli.generate.schema_members import Members, join, spoken
from aptix_conformance.stimuli.probes.planning import argument_label
from aptix_conformance.stimuli.probes.reading import OTHER, reading, reading_of, unasked, undeclared, watched

_UNSEEN: Final = "no call was seen to take its arguments apart"


def _is_observed(exploration: Exploration) -> bool:
    return _members(exploration) is not None and bool(watched(exploration.calls))


def _members(exploration: Exploration) -> Members | None:
    """The members that the schema declares; None if its form is wrong, which SCH006 and others report."""
    declaration = next(iter(exploration.declarations), None)
    if declaration is None or not declarations.has_parameters(declaration):
        return None
    schema = usable_schema(declaration)[0]
    return None if schema is None else Members(schema)


def _calls(exploration: Exploration, kind: Kind, path: str) -> Iterator[Call]:
    """The calls with a change of one kind to one member."""
    member = argument_label(spoken(path))
    return (
        call
        for call in reading(exploration.calls)
        if call.plan.kind is kind and call.plan.change.argument == member
    )


@rule(
    "SCH018",
    "AGN-005.7.2",
    "AGN-005.12.2",
    when=_is_observed,
    unseen_reason=NotApplicable(_UNSEEN),
    probes=("reading",),
    differs_by="the argument",
    remedy="Declare the argument under `properties` of the schema, with its type and a description, or do not read it.",
)
def every_argument_that_is_read_is_declared(exploration: Exploration) -> Iterator[Finding]:
    """The tool takes no argument that its schema does not declare.

    The model sends only what the schema declares, so no model can know another argument. Other spellings of declared
    names are allowed, and so are names that the tool looks up only to refuse them.
    """
    members = _members(exploration)
    for missed, _ in undeclared(members, exploration.calls) if members else ():
        path = join(missed.path, missed.names[0])
        call = next((call for call in _calls(exploration, Kind.EXTRA, path) if call.succeeded), None)
        observed = reading_of(call) if call else None
        if call is None or observed is None:
            continue
        proved = path in observed.read
        if missed.by == "class":
            proved = any(not control.succeeded for control in _calls(exploration, Kind.CONTROL, path))
        if proved:
            name = quoted(spoken(path), 60)
            yield Finding(
                f"The tool takes the argument {name}, which its schema does not declare.",
                call,
                cause=path,
            )


@rule(
    "SCH019",
    "AGN-005.7.2",
    "AGN-005.12.2",
    when=_is_observed,
    unseen_reason=NotApplicable(_UNSEEN),
    probes=("reading",),
    differs_by="the argument",
    remedy="Use the argument, or remove it from the schema and from the usage text.",
)
def every_argument_that_is_declared_is_read(exploration: Exploration) -> Iterator[Finding]:
    """The tool reads every argument that its schema declares.

    The model fills in what the schema offers and relies on it. An argument that is never read is not checked either: this
    rule alone reports that, and not ARG006 to ARG010.
    """
    for name, call in unread_arguments(exploration).items():
        shown = quoted(name, 60)
        message = f"The schema declares the argument {shown}, and no call was seen to read it."
        yield Finding(message, call, cause=name)


def unread_arguments(exploration: Exploration) -> dict[str, Call]:
    """The declared arguments that no call reads, as labels of arguments, each with the call that confirms it."""
    members = _members(exploration)
    unread = {}
    for path in unasked(members, exploration.calls) if members else ():
        call = next((call for call in _calls(exploration, Kind.OTHER, path) if _is_indifferent(call)), None)
        if call is not None:
            unread[argument_label(spoken(path))] = call
    return unread


def _is_indifferent(call: Call) -> bool:
    return call.succeeded and OTHER not in ((call.result and call.result.payload) or "")
