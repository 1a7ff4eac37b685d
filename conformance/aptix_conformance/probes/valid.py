"""Probe `valid`: calls that the schema allows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from aptix_conformance.generate import write
from aptix_conformance.generate.arguments import MAX_PROPERTIES
from aptix_conformance.generate.json_text import STYLES, Style
from aptix_conformance.model import Call, CallPlan, Shortfall
from aptix_conformance.probes.planning import plan, shown
from aptix_conformance.probes.probe import Subject


class ValidProbe:
    """The author's examples, then arguments made and drawn from the schema.

    Labels: `example:N`; `declared:N` for those that the tool declares itself; `minimal` and `full`; `again:LABEL`, one of those once more, which tells a tool that
    answers equal calls alike from one that changes something; `boundary:NAME:EDGE`; drawn: `generated`. An
    example must be accepted. Anything else may be refused cleanly: a schema need not say everything.
    """

    name = "valid"

    def fixed(self, subject: Subject, seen: Sequence[Call]) -> Iterator[CallPlan]:  # noqa: ARG002 - Probe
        """Examples first: what they show to work is what later probes build on."""
        made: list[tuple[str, Mapping[str, Any]]] = []
        for number, example in enumerate(subject.settings.examples, start=1):
            made.append((f"example:{number}", example.arguments))
            expected = write(example.result) if example.has_result else None
            yield plan(
                subject, self.name, f"example:{number}", write(example.arguments), "accepted", expected
            )
        for own in subject.declared_examples:
            yield plan(subject, self.name, f"declared:{own.number}", write(own.arguments))
        arguments = subject.arguments
        if arguments is not None:
            whole = (("minimal", arguments.minimal()), ("full", arguments.full()))
            made += [(label, candidate) for label, candidate in whole if candidate is not None]
        for label, candidate in made[len(subject.settings.examples) :]:
            yield plan(subject, self.name, label, write(candidate))
        for label, candidate in made:
            yield plan(subject, self.name, f"again:{label}", write(candidate))
        if arguments is not None:
            for label, candidate in arguments.boundaries():
                name, _, edge = label.rpartition(":")
                yield plan(subject, self.name, f"boundary:{shown(name)}:{edge}", write(candidate))

    def drawn(self, subject: Subject, seen: Sequence[Call]) -> SearchStrategy[CallPlan] | None:  # noqa: ARG002 - Probe
        """Objects from the schema, narrowed as the configuration says, in several styles of JSON."""
        arguments = subject.arguments
        objects = arguments.drawn() if arguments and arguments.minimal() is not None else None
        if objects is None:
            return None

        def generated(drawn: tuple[dict[str, Any], Style]) -> CallPlan:
            return plan(subject, self.name, "generated", write(*drawn))

        return st.tuples(objects, st.sampled_from(STYLES)).map(generated)

    def shortfall(self, subject: Subject, seen: Sequence[Call]) -> Shortfall | None:  # noqa: ARG002 - Probe
        """The schema is not usable, or too large to go through one property at a time."""
        reason = subject.unusable()
        count = len((subject.schema or {}).get("properties", {}))
        if reason is None and count > MAX_PROPERTIES:
            reason = f"of {count} properties only the first {MAX_PROPERTIES} were taken to their bounds"
        return None if reason is None else Shortfall(self.name, reason)
