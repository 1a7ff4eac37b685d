"""Probe `valid`: calls that the schema allows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from aptix_conformance.core.model import Call, Change, DeclaredExample, Kind, Shortfall, Stimulus
from aptix_conformance.stimuli.generate import root_properties, write
from aptix_conformance.stimuli.generate.arguments import MAX_PROPERTIES
from aptix_conformance.stimuli.generate.boundaries import MAX_VALUES
from aptix_conformance.stimuli.generate.json_text import STYLES, Style
from aptix_conformance.stimuli.generate.schema_members import Members
from aptix_conformance.stimuli.probes import authors_world
from aptix_conformance.stimuli.probes.planning import argument_label, plan
from aptix_conformance.stimuli.probes.probe import Probe, Subject

GENERATED: Final = Change(Kind.GENERATED)


def _declared(example: DeclaredExample) -> tuple[Change, Mapping[str, Any]]:
    return Change(Kind.DECLARED, number=example.number), example.arguments


class ValidProbe(Probe):
    """Plans calls with the author's examples, those of the tool's declaration, and arguments generated from the schema.

    The examples, the minimal call and the full call are repeated, which shows whether the tool answers equal calls alike
    or changes state. Where none of them succeeded, values that the tool's own world names come next (`authors_world.py`). An example must be accepted. Any other call may be refused with a failed result, because a schema
    need not express every restriction.
    """

    name = "valid"
    apart = frozenset({"drawn"})

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The examples first: later probes use the first calls that work.

        Those of a usage text come last, because they were written for reading: some take long, some need what was there once.
        """
        planned: list[tuple[Change, Mapping[str, Any]]] = []
        for number, example in enumerate(subject.settings.examples, start=1):
            change = Change(Kind.EXAMPLE, number=number)
            planned.append((change, example.arguments))
            expected = write(example.result) if example.has_result else None
            yield plan(subject, self.name, change, write(example.arguments), "accepted", expected)
        planned += [_declared(own) for own in subject.declared_examples]
        arguments = subject.arguments
        if arguments is not None:
            whole = ((Kind.MINIMAL, arguments.minimal()), (Kind.FULL, arguments.full()))
            planned += [(Change(kind), candidate) for kind, candidate in whole if candidate is not None]
        planned += [_declared(shown) for shown in subject.shown_examples]
        for change, candidate in planned[len(subject.settings.examples) :]:
            yield plan(subject, self.name, change, write(candidate))
        for change, candidate in planned:
            yield plan(subject, self.name, Change(Kind.AGAIN, of=(change,)), write(candidate))
        yield from authors_world.tried(subject, calls)
        if arguments is not None:
            for (name, edge), candidate in arguments.boundaries():
                yield plan(
                    subject, self.name, Change(Kind.BOUNDARY, argument_label(name), edge), write(candidate)
                )

    def drawn(self, subject: Subject, calls: Sequence[Call]) -> SearchStrategy[Stimulus] | None:  # noqa: ARG002 - Probe
        """Objects from the schema, narrowed by the configuration, in several styles of JSON."""
        arguments = subject.arguments
        objects = arguments.drawn() if arguments and arguments.minimal() is not None else None
        if objects is None:
            return None

        def generated(drawn: tuple[dict[str, Any], Style]) -> Stimulus:
            return plan(subject, self.name, GENERATED, write(*drawn))

        return st.tuples(objects, st.sampled_from(STYLES)).map(generated)

    def shortfall(self, subject: Subject, calls: Sequence[Call]) -> Shortfall | None:  # noqa: ARG002 - Probe
        """The schema is not usable, or has too many properties or listed values to try each one."""
        reason = subject.unusable()
        count = len(root_properties(subject.schema or {}))
        if reason is None and count > MAX_PROPERTIES:
            reason = f"of {count} properties only the first {MAX_PROPERTIES} were taken to their bounds"
        if reason is not None:
            return Shortfall(self.name, reason)
        members = Members(subject.schema or {})
        listed = max((len(members.values(path)) for path in members.paths), default=0)
        if listed <= MAX_VALUES:
            return None
        reason = f"of {listed:,} listed values of an argument only the first {MAX_VALUES} were sent"
        return Shortfall(self.name, reason, reduced_coverage=True)
