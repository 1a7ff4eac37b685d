"""Probe `malformed`: arguments that are not JSON, or not a JSON object."""

import json
from collections.abc import Iterator, Sequence
from typing import Final

from hypothesis.strategies import SearchStrategy

from aptix_conformance.core.model import Call, Change, Kind, Shortfall, Stimulus
from aptix_conformance.stimuli.probes import corpus
from aptix_conformance.stimuli.probes.documents import document_of, valid_texts
from aptix_conformance.stimuli.probes.mutations import mutated
from aptix_conformance.stimuli.probes.parser_differentials import differentials
from aptix_conformance.stimuli.probes.planning import Demand, plan
from aptix_conformance.stimuli.probes.probe import Probe, Subject

_MUTATION: Final = Change(Kind.MUTATION)


class MalformedProbe(Probe):
    """Plans calls with a corpus of documents that are hard to parse, then with mutations of valid calls.

    A blank document and `null` must be refused if something is required; garbage and other roots must be refused.
    Truncated and lenient documents and mutations may be accepted or refused: a parser may accept more than RFC 8259
    allows.
    """

    name = "malformed"
    apart = frozenset({"fixed", "drawn"})

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The corpus, the same for every run with the same valid call.

        A tool that receives an object gets only the documents that parse as one, and an empty object.
        """
        if "unchecked" not in subject.given:
            return
        planned = self._corpus(subject, calls)
        if "text" in subject.given:
            yield from planned
            return
        required = subject.arguments is not None and subject.arguments.needs_something
        yield plan(
            subject,
            self.name,
            Change(Kind.BLANK, detail="no-members"),
            "{}",
            "refused" if required else "either",
        )
        if not subject.declaration.traits.unsent_documents:
            yield from (call for call in planned if call.arguments and _is_taken(call.arguments))

    def _corpus(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        arguments = subject.arguments
        needs_something = arguments is not None and arguments.needs_something
        empty: Demand = "refused" if needs_something else "either"
        document = document_of(subject, calls)
        sources: tuple[tuple[Kind, Iterator[corpus.Entry], Demand], ...] = (
            (Kind.BLANK, corpus.blank(), empty),
            (Kind.GARBAGE, corpus.garbage(), "refused"),
            (Kind.ROOT, corpus.roots(), "refused"),
            (Kind.TRUNCATED, corpus.truncated(document), "either"),
            (Kind.LENIENT, differentials(document), "either"),
        )
        for kind, entries, demand in sources:
            for name, text in entries:
                change = Change(kind, detail=name)
                yield plan(subject, self.name, change, text, empty if change == corpus.NULL else demand)

    def drawn(self, subject: Subject, calls: Sequence[Call]) -> SearchStrategy[Stimulus] | None:
        """Mutations of the arguments of valid calls."""
        if "text" not in subject.given:
            return None
        return mutated(valid_texts(subject, calls)).map(
            lambda text: plan(subject, self.name, _MUTATION, text),
        )

    def shortfall(self, subject: Subject, calls: Sequence[Call]) -> Shortfall | None:  # noqa: ARG002 - the interface's
        """The system's tools get no such documents."""
        reason = subject.declaration.traits.unsent_documents
        return Shortfall(self.name, reason, reduced_coverage=True, expected=True) if reason else None


def _is_taken(text: str | None) -> bool:
    """Whether Python's parser reads a text as an object, so that the tool probably accepts it."""
    try:
        return isinstance(json.loads(text or ""), dict)
    except (ValueError, RecursionError):
        return False
