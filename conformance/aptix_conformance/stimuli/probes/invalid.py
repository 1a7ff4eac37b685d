"""Probe `invalid`: JSON objects that the schema forbids, and calls without optional members."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from aptix_conformance.core.model import Call, Change, Kind, Shortfall, Stimulus
from aptix_conformance.stimuli.generate import Arguments, Judge, root_schemas, write
from aptix_conformance.stimuli.generate.arguments import has_default, has_null_default
from aptix_conformance.stimuli.probes.argument_changes import ArgumentChange, changes
from aptix_conformance.stimuli.probes.planning import (
    Base,
    Demand,
    argument_label,
    base_of,
    plan,
    repeatable,
    selectors,
    succeeded,
)
from aptix_conformance.stimuli.probes.probe import Probe, Subject
from aptix_conformance.stimuli.probes.value_partitions import select_value_partitions

MAX_CHANGES: Final = 500
"""The most single changes that are always sent; others are only drawn."""

MAX_CHOICES: Final = 8
"""Of how many calls with different choices an optional argument is taken away."""
_MOST_OF_VALUES: Final = 200
"""The most calls with a change beside a listed value that the base does not have."""
_CROSS_PROPERTY: Final = frozenset(
    {"$dynamicRef", "anyOf", "oneOf", "not", "if", "minProperties", "maxProperties"}
    | {"dependentRequired", "dependentSchemas", "dependencies", "propertyNames", "unevaluatedProperties"}
)
"""Keywords of what binds the root that can make one member depend on another."""
_BRANCHES: Final = frozenset({"anyOf", "oneOf"})
_NEEDED_ONLY: Final = frozenset({"required", "type", "title", "description", "$comment"})
"""Keywords of a branch that says no more than which members are needed."""


class InvalidProbe(Probe):
    """Plans calls with a valid object after one change, then after several.

    Each change is sent alone; drawn calls have one to three changes. A call with each other listed value has one change of
    another argument: other code may read that one, or may not read it, so either answer is right. An optional member may
    be left out, once for each choice by a listed value: such a call must be accepted if the unchanged call was. If it is refused, it is
    made with another optional member: the tool may want one of several. Null must be accepted too where the schema allows
    it, or where the system's contract says that null means the same as nothing (AGN-005.3.3). Where the system grades conversions, null that
    the schema forbids has to be refused, unless it is the argument's default.
    """

    name = "invalid"
    apart = frozenset({"drawn"})

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """Each single change of the base call, each optional member left out and null, then one change of calls with other values."""
        arguments = subject.arguments
        if arguments is None or "unchecked" not in subject.given:
            return
        base = base_of(subject, calls)
        sent: set[str] = set()
        for change in islice(self._changes(subject, arguments, base), MAX_CHANGES):
            written = write(change.applied_to(base.arguments))
            if written not in sent:
                sent.add(written)
                yield plan(subject, self.name, change.change, written, change.demand)
        yield from self._defaults(subject, arguments, base, calls)
        yield from islice(self._of_values(subject, arguments, base, calls), _MOST_OF_VALUES)

    def drawn(self, subject: Subject, calls: Sequence[Call]) -> SearchStrategy[Stimulus] | None:
        """Changes of drawn valid objects, one to three at a time."""
        arguments = subject.arguments
        if arguments is None or arguments.minimal() is None or "unchecked" not in subject.given:
            return None
        objects = arguments.drawn()
        known = list(self._changes(subject, arguments, base_of(subject, calls)))
        if objects is None or not known:
            return None
        choices = st.lists(
            st.sampled_from(known), min_size=1, max_size=3, unique_by=lambda change: change.names
        )

        def changed(drawn: tuple[dict[str, Any], list[ArgumentChange]]) -> Stimulus | None:
            return self._combined(subject, arguments.judge, *drawn)

        plans = st.tuples(objects, choices).map(changed)
        return plans.filter(lambda stimulus: stimulus is not None)  # type: ignore[return-value]  # no None is left

    def shortfall(self, subject: Subject, calls: Sequence[Call]) -> Shortfall | None:
        """The schema is not usable or has too many constraints, or what it forbids reaches no tool."""
        if "unchecked" not in subject.given:
            checked = (
                "the orchestrator checks arguments against the schema: what that forbids never reaches a tool"
            )
            return Shortfall(self.name, checked, reduced_coverage=True, expected=True)
        reason = subject.unusable()
        if reason is not None:
            return Shortfall(self.name, reason)
        single = {call.plan.change for call in _own(calls)}
        optional = (Kind.OMITTED_OPTIONAL, Kind.NULL_OPTIONAL)
        if sum(change.kind not in optional for change in single) < MAX_CHANGES:
            return None
        reason = f"only the first {MAX_CHANGES} ways to break the schema were tried alone"
        return Shortfall(self.name, reason, reduced_coverage=True)

    def bases(self, subject: Subject, calls: Sequence[Call]) -> Sequence[str]:
        """The object that is changed, and each changed one: a listed value of another object is left as it is."""
        if "unchecked" not in subject.given or subject.unusable() is not None:
            return ()
        changed = [call.plan.arguments or "{}" for call in _own(calls)]
        return [write(base_of(subject, calls).arguments), *changed]

    def _of_values(
        self, subject: Subject, arguments: Arguments, base: Base, calls: Sequence[Call]
    ) -> Iterator[Stimulus]:
        """One change of each call that works with a listed value that the base does not have; the changes take turns."""
        known = [change for change in self._changes(subject, arguments, base) if change.demand == "refused"]
        for number, text in enumerate(select_value_partitions(subject, calls, [write(base.arguments)])):
            document = json.loads(text)
            differing = {
                name for name in arguments.properties if document.get(name) != base.arguments.get(name)
            }
            independent = [change for change in known if not change.names & differing]
            if independent:
                change = independent[number % len(independent)]
                yield plan(subject, self.name, change.change, write(change.applied_to(document)))

    def _changes(self, subject: Subject, arguments: Arguments, base: Base) -> Iterator[ArgumentChange]:
        """The changes after which the schema forbids the base arguments."""
        narrowed = frozenset(subject.settings.arguments)
        if not arguments.judge.allows(base.arguments):
            return  # the base breaks its own schema, so a change of it proves nothing
        graded = subject.declaration.traits.grades_conversions
        for change in changes(arguments, base.arguments, narrowed, graded=graded):
            if _is_forbidden(
                arguments.judge, change.applied_to(base.arguments), change.demand, graded=graded
            ):
                yield change

    def _combined(
        self, subject: Subject, judge: Judge, valid: dict[str, Any], selected: list[ArgumentChange]
    ) -> Stimulus | None:
        demand: Demand = "refused" if any(change.demand == "refused" for change in selected) else "either"
        candidate, surely = valid, valid
        for change in selected:
            candidate = change.applied_to(candidate)
            surely = change.applied_to(surely) if change.demand == demand else surely
        graded = subject.declaration.traits.grades_conversions
        if not all(_is_forbidden(judge, document, demand, graded=graded) for document in (candidate, surely)):
            return None
        parts = tuple(change.change for change in selected)
        combined = parts[0] if len(parts) == 1 else Change(Kind.COMBINED, of=parts)
        return plan(subject, self.name, combined, write(candidate), demand)

    def _defaults(
        self, subject: Subject, arguments: Arguments, base: Base, calls: Sequence[Call]
    ) -> Iterator[Stimulus]:
        known = sorted(succeeded(calls), key=len) if repeatable(calls) else []
        roots = list(root_schemas(subject.schema or {}))
        independent = not any(map(_relates_members, roots))
        one_of_several = {name for schema in roots for name in _needed_by_branches(schema)}
        for name, node in arguments.properties.items():
            if name in arguments.required:
                continue
            made_up = {**base.arguments, name: arguments.value(node)}
            for whole in self._worked(arguments, known, name) or [made_up]:
                omitted = {key: value for key, value in whole.items() if key != name}
                if not arguments.judge.allows(omitted):
                    continue
                is_sure = whole is not made_up and independent and name not in one_of_several
                demand: Demand = "accepted" if is_sure else "either"
                change = Change(Kind.OMITTED_OPTIONAL, argument_label(name))
                yield plan(subject, self.name, change, write(omitted), demand)
                change = Change(Kind.NULL_OPTIONAL, argument_label(name))
                null = {**omitted, name: None}
                if not (subject.declaration.traits.null_is_absent or arguments.judge.allows(null)):
                    is_value = subject.declaration.traits.grades_conversions and not has_null_default(node)
                    demand = "refused" if is_value else "either"
                yield plan(subject, self.name, change, write(null), demand)
                if demand == "accepted" and _ended(calls, omitted) is False:
                    more = [
                        {**omitted, **extra} for extra in _other_optional(arguments, known, name, omitted)
                    ]
                    yield from self._with_another(subject, name, filter(arguments.judge.allows, more), calls)

    def _with_another(
        self, subject: Subject, name: str, documents: Iterable[Mapping[str, Any]], calls: Sequence[Call]
    ) -> Iterator[Stimulus]:
        """A refused call without an optional argument again, each time with another optional one, until it succeeds.

        This shows whether the tool needs this argument, or any of several. In the call that succeeds null must do for it.
        """
        label = argument_label(name)
        for document in documents:
            if not _ended(calls, document):
                change = Change(Kind.OMITTED_OPTIONAL, label)
                yield plan(subject, self.name, change, write(document), "either")
            if _ended(calls, document):
                if subject.declaration.traits.null_is_absent:
                    change = Change(Kind.NULL_OPTIONAL, label)
                    yield plan(subject, self.name, change, write({**document, name: None}), "accepted")
                return

    def _worked(
        self, arguments: Arguments, known: Sequence[Mapping[str, Any]], name: str
    ) -> Sequence[Mapping[str, Any]]:
        """Calls that worked with an argument, one for each choice that selects what else is needed; the shortest first.

        A call with fewer other members depends on this one less likely.
        """
        choices = [selector for selector in selectors(arguments.properties) if selector != name]
        by_choice: dict[str, Mapping[str, Any]] = {}
        for document in known:
            if document.get(name) is not None:
                by_choice.setdefault(json.dumps([document.get(selector) for selector in choices]), document)
        return list(by_choice.values())[:MAX_CHOICES]


def _own(calls: Sequence[Call]) -> list[Call]:
    return [call for call in calls if call.plan.probe == InvalidProbe.name]


def _relates_members(schema: Mapping[str, Any]) -> bool:
    """Whether a schema of the root can make any member depend on another; branches that only require some relate those alone."""
    return any(
        keyword not in _BRANCHES
        or not all(isinstance(node, Mapping) and node.keys() <= _NEEDED_ONLY for node in schema[keyword])
        for keyword in schema.keys() & _CROSS_PROPERTY
    )


def _needed_by_branches(schema: Mapping[str, Any]) -> Iterator[str]:
    """The members that some branch requires: without one, the value of another may matter more than before."""
    for keyword in schema.keys() & _BRANCHES:
        for branch in schema[keyword]:
            yield from branch.get("required", ()) if isinstance(branch, Mapping) else ()


def _other_optional(
    arguments: Arguments, known: Sequence[Mapping[str, Any]], name: str, omitted: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Each optional argument without a default that a call has which worked without `name`, with its value there."""
    members: dict[str, dict[str, Any]] = {}
    for document in known:
        for other, value in document.items() if document.get(name) is None else ():
            node = arguments.properties.get(other)
            is_new = other not in omitted and other not in arguments.required
            if is_new and value is not None and node is not None and not has_default(node):
                members.setdefault(other, {other: value})
    return list(members.values())[:MAX_CHOICES]


def _ended(calls: Sequence[Call], arguments: Mapping[str, Any]) -> bool | None:
    """Whether the last call with these arguments succeeded; None if it was neither accepted nor refused, or never made."""
    written = write(arguments)
    last = next((call for call in reversed(calls) if call.plan.arguments == written), None)
    return last.succeeded if last and (last.succeeded or last.refused) else None


def _is_forbidden(judge: Judge, candidate: Mapping[str, Any], demand: Demand, *, graded: bool) -> bool:
    if demand == "refused":
        return judge.forbids(candidate, null_may_be_absent=not graded)
    return not judge.allows(candidate)
