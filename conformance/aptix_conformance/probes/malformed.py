"""Probe `malformed`: arguments that are not JSON, or no JSON object."""

from collections.abc import Iterator, Sequence

from hypothesis.strategies import SearchStrategy

from aptix_conformance.observations import Call, CallPlan, Shortfall
from aptix_conformance.probes import corpus
from aptix_conformance.probes.documents import document_of, valid_texts
from aptix_conformance.probes.interface import Subject
from aptix_conformance.probes.lenient import lenient
from aptix_conformance.probes.mutations import mutated
from aptix_conformance.probes.planning import Demand, plan


class MalformedProbe:
    """A corpus of documents that parsers trip over, then mutations of valid calls.

    Labels and demands: `blank:…` and `root:null`, refused where something is required; `garbage:…` and other
    `root:…`, refused; `truncated:…`, `lenient:…` and the drawn `mutation`, either, for what a parser accepts
    beyond RFC 8259 is its own affair.
    """

    name = "malformed"

    def fixed(self, subject: Subject, seen: Sequence[Call]) -> Iterator[CallPlan]:
        """The corpus, the same for every run with the same valid call."""
        arguments = subject.arguments
        needs_something = arguments is not None and bool(arguments.demanded)
        empty: Demand = "refused" if needs_something else "either"
        document = document_of(subject, seen)
        for label, text in corpus.blank():
            yield plan(subject, self.name, label, text, empty)
        for label, text in corpus.garbage():
            yield plan(subject, self.name, label, text, "refused")
        for label, text in corpus.roots():
            yield plan(subject, self.name, label, text, empty if label == "root:null" else "refused")
        for label, text in corpus.truncated(document):
            yield plan(subject, self.name, label, text)
        for label, text in lenient(document):
            yield plan(subject, self.name, label, text)

    def drawn(self, subject: Subject, seen: Sequence[Call]) -> SearchStrategy[CallPlan] | None:
        """Mutations of the valid calls seen."""
        return mutated(valid_texts(subject, seen)).map(
            lambda text: plan(subject, self.name, "mutation", text),
        )

    def shortfall(self, subject: Subject, seen: Sequence[Call]) -> Shortfall | None:  # noqa: ARG002 - Probe
        """None: malformed documents can be made for any tool."""
        return None
