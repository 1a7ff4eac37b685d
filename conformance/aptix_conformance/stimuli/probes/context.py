"""Probe `context`: calls with a missing, incomplete or hostile context."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final

from aptix_conformance.core.model import (
    Call,
    Change,
    ChangeContext,
    Context,
    Contexts,
    Kind,
    Shortfall,
    Stimulus,
)
from aptix_conformance.core.model.codec import replace
from aptix_conformance.stimuli.generate import write
from aptix_conformance.stimuli.generate.schema_members import Members, spoken
from aptix_conformance.stimuli.probes.planning import Base, Demand, argument_label, base_of, plan
from aptix_conformance.stimuli.probes.probe import Probe, Subject
from aptix_conformance.stimuli.probes.value_variants import differing, evenly, fullest, turned

HOSTILE: Final[Mapping[str, str]] = {
    "empty": "",
    "blank": " \t",
    "quotes": "\"'`\\",
    "json": '","injected":true,"x":"',
    "newlines": "a\r\nb\n\n",
    "nul": "a\x00b",
    "controls": "\x01\x08\x1b[31m\x7f",
    "unicode": "日本語 😀 e\u0301 \U0010ffff",
    "rtl": "\u202egnp.exe",
    "invisible": "\ufeff\u200b\u2028",
    "lone-surrogate": "a\ud800b",
    "reference": '{"$ref": "#"}',
    "html": "<script>alert(1)</script>",
    "sql": "'; DROP TABLE sessions; --",
    "template": "{{7*7}}${7*7}{0}%s%n",
    "path": "../../etc/passwd",
    "number": "NaN",
    "long": "x" * 100_000,
}
"""Malformed identifiers, by the kind of fault."""

_Turn = tuple[str, Mapping[str, Any]]
"""The name of a call with other arguments, and these."""

_MOST_TURNS: Final = 200
"""The most calls with other arguments that are made in missing contexts."""


class ContextProbe(Probe):
    """Plans calls that work, in contexts that the tool does not expect.

    One call that works is made in missing, incomplete and hostile contexts. The call with the most arguments (turn
    `fullest`) is made in missing and incomplete contexts. With no context and an empty one, that call is also made with
    each listed value of an argument (turn `ARGUMENT=VALUE`). Before each of these, a call in a `whole` context shows
    whether the arguments work. A call that succeeds with a context must also succeed without all or part of it
    (AGN-005.5.2).
    """

    name = "context"

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The base call without all or part of its context, fuller calls, the base call in hostile contexts, other values."""
        contexts = subject.declaration.traits.contexts
        if contexts is None:
            return
        base = base_of(subject, calls)
        if not base.proven and not _reaches(subject, base.arguments):
            return
        demand: Demand = "accepted" if base.proven else "either"
        for what, edit in contexts.missing.items():
            change = Change(Kind.CONTEXT, detail=what)
            yield self._edited(subject, change, write(base.arguments), edit, demand)
        turns = islice(_turns(subject, calls, base), _MOST_TURNS)
        yield from self._fuller(subject, calls, base, contexts, turns)
        yield from self._hostile(subject, base, contexts)

    def _hostile(self, subject: Subject, base: Base, contexts: Contexts) -> Iterator[Stimulus]:
        for what, identifier in HOSTILE.items():
            change = Change(Kind.CONTEXT, detail=f"hostile-{what}")
            edit = partial(_identified, contexts, identifier)
            yield self._edited(subject, change, write(base.arguments), edit)

    def _fuller(
        self, subject: Subject, calls: Sequence[Call], base: Base, contexts: Contexts, turns: Iterable[_Turn]
    ) -> Iterator[Stimulus]:
        """Calls with arguments or values that the base call does not have."""
        demand: Demand = "accepted" if base.proven else "either"
        for name, arguments in turns:
            whole = plan(subject, self.name, Change(Kind.WHOLE, turn=name), write(arguments))
            yield whole
            if not (calls and calls[-1].plan == whole and calls[-1].succeeded):
                continue  # a failure would not show that the context is the cause
            for what, edit in contexts.missing.items():
                if name == "fullest" or what in contexts.bare:
                    change = Change(Kind.CONTEXT, detail=what, turn=name)
                    yield self._edited(subject, change, write(arguments), edit, demand)

    def _edited(
        self, subject: Subject, change: Change, arguments: str, edit: ChangeContext, demand: Demand = "either"
    ) -> Stimulus:
        whole = plan(subject, self.name, change, arguments, demand)
        return replace(whole, context=edit(dict(whole.context or {})))

    def shortfall(self, subject: Subject, calls: Sequence[Call]) -> Shortfall | None:
        """No call works, so that no context can be said to break it; or there are too many listed values."""
        contexts = subject.declaration.traits.contexts
        if contexts is None:
            return None
        if not base_of(subject, calls).proven:
            reason = (
                "no valid call succeeded each time it was made, so that no context can be said to break one"
            )
            return Shortfall(
                self.name, f"{reason}: give an example that can be repeated", reduced_coverage=True
            )
        excess = sum(1 for _ in _turns(subject, calls, base_of(subject, calls))) - _MOST_TURNS
        if excess <= 0:
            return None
        reason = f"{excess} of {excess + _MOST_TURNS} calls with other values were not made without a context"
        return Shortfall(self.name, reason, reduced_coverage=True)


def _reaches(subject: Subject, arguments: Mapping[str, Any]) -> bool:
    """Whether a call reaches the tool: some orchestrators refuse what the schema forbids."""
    if "unchecked" in subject.given:
        return True
    return subject.arguments is not None and subject.arguments.judge.admits(arguments)


def _identified(contexts: Contexts, identifier: str, context: Context) -> Context:
    return contexts.identified(context, identifier)


def _turns(subject: Subject, calls: Sequence[Call], base: Base) -> Iterator[_Turn]:
    """The fullest call, and that call with each listed value of an argument; without the base call."""
    documents = differing(calls)
    if not documents:
        return
    most = fullest((base.arguments, *documents))
    if most != base.arguments:
        yield "fullest", most
    for path, value in evenly(Members(subject.schema or {})):
        arguments = turned(subject, most, path, value)
        if arguments is not None and arguments not in (most, base.arguments):
            yield f"{argument_label(spoken(path))}={argument_label(json.dumps(value))}", arguments
