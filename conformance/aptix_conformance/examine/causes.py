"""Which broken rule follows from which: the same exception, or a call that another rule's breach spoiled.

A masked rule follows from the first rule that masks it. A broken rule follows from another where everything that it found
was found on calls that break the other too, or where every exception that it found was raised in places from which the
other's come. Nothing follows from a rule that follows from it.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence

from aptix_conformance.core.model import Outcome
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import VerdictReport
from aptix_conformance.examine.ledger import Breach, Ledger

Breaches = Mapping[str, Mapping[Hashable, Breach]]


def with_causes(verdicts: Iterable[VerdictReport], breaches: Breaches, ledger: Ledger) -> list[VerdictReport]:
    """The verdicts, each with the rule that it follows from."""
    judged = list(verdicts)
    # Exceptions of calls that a model may make come first: they are where a fix begins.
    roots = sorted(breaches, key=lambda code: (not code.startswith("EXC"), code))
    parents: dict[str, str] = {}
    for place, code in enumerate(roots):
        parent = next((root for root in roots[:place] if _follows(code, root, breaches, ledger)), "")
        if parent:
            parents[code] = parents.get(parent, parent)
    return [
        replace(verdict, follows_from=parents.get(verdict.rule, "") or next(iter(verdict.masked_by), ""))
        for verdict in judged
    ]


def _follows(code: str, root: str, breaches: Breaches, ledger: Ledger) -> bool:
    own = breaches[code].values()
    if all(root in ledger.masked_by.get(id(breach.call), ()) for breach in own):
        return True
    places = _places(breaches[code].values())
    return bool(places) and len(places) == len(own) and places <= set(_places(breaches[root].values()))


def _places(breaches: Iterable[Breach]) -> set[Hashable]:
    """The causes of those breaches that are exceptions of known places."""
    thrown: Sequence[Breach] = [
        breach for breach in breaches if breach.call is not None and breach.call.outcome is Outcome.RAISED
    ]
    return {
        breach.finding.cause
        for breach in thrown
        if isinstance(breach.finding.cause, tuple) and all(breach.finding.cause)
    }
