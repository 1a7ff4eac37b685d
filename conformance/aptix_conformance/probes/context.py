"""Probe `context`: what surrounds a call is missing, incomplete or hostile."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from hypothesis.strategies import SearchStrategy

from aptix_conformance.generate import write
from aptix_conformance.observations import Call, CallPlan, Shortfall
from aptix_conformance.probes.contexts import ART_PARTS, PARTS, identified_by, without
from aptix_conformance.probes.interface import Subject
from aptix_conformance.probes.planning import Demand, base_of, plan

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
"""Identifiers that no well-meaning caller sends, by what is wrong with them."""


_SHARE: Final = 0.25
"""How much of a tool's budget contexts may take before those are left out that matter less."""
_NEEDED: Final = frozenset({"session_id", "request", "conversation_id"})
"""The parts that results carry: a context without one of them is tried whatever the time."""
_COUNT: Final = 2 + len(PARTS) + len(HOSTILE)


class ContextProbe:
    """One call known to work, in contexts that are not what it expects.

    Labels: `context:none`, `context:empty`, `context:without-PART`, `context:hostile-WHAT`. Without all or
    part of a context the call must still succeed, where it did with one (AGN-005.5.2). A slow call is made in
    fewer contexts.
    """

    name = "context"

    def fixed(self, subject: Subject, seen: Sequence[Call]) -> Iterator[CallPlan]:
        """The base call in every context, or in those that matter most where it is slow."""
        if "context" not in subject.given:
            return
        base = base_of(subject, seen)
        arguments = write(base.arguments)
        demand: Demand = "accepted" if base.proven else "either"
        if subject.declaration.system == "art":
            yield from self._of_art(subject, arguments, demand)
            return
        none = plan(subject, self.name, "context:none", arguments, demand)
        yield dataclasses.replace(none, context=None)
        yield dataclasses.replace(none, label="context:empty", context={})
        for part in PARTS:
            if part not in _NEEDED and _is_spent(subject, seen):
                continue
            whole = plan(subject, self.name, f"context:without-{part}", arguments, demand)
            yield dataclasses.replace(whole, context=without(dict(whole.context or {}), part))
        for what, identifier in HOSTILE.items():
            if _is_spent(subject, seen):
                return
            whole = plan(subject, self.name, f"context:hostile-{what}", arguments)
            yield dataclasses.replace(whole, context=identified_by(dict(whole.context or {}), identifier))

    def _of_art(self, subject: Subject, arguments: str, demand: Demand) -> Iterator[CallPlan]:
        """ART's orchestrator gives every call its callId, traceId and threadId; a user and a session need not be there."""
        for part in ART_PARTS:
            whole = plan(subject, self.name, f"context:without-{part}", arguments, demand)
            yield dataclasses.replace(whole, context=without(dict(whole.context or {}), part))
        for what, identifier in HOSTILE.items():
            whole = plan(subject, self.name, f"context:hostile-{what}", arguments)
            context = {**dict(whole.context or {}), **dict.fromkeys(ART_PARTS, identifier)}
            yield dataclasses.replace(whole, context=context)

    def drawn(self, subject: Subject, seen: Sequence[Call]) -> SearchStrategy[CallPlan] | None:  # noqa: ARG002 - Probe
        """Nothing: the contexts that matter are few enough to be listed."""
        return None

    def shortfall(self, subject: Subject, seen: Sequence[Call]) -> Shortfall | None:
        """Without a call that works, nobody can tell that a context broke it; a slow one is made in few contexts."""
        if "context" not in subject.given:
            return None
        if not base_of(subject, seen).proven:
            reason = (
                "no valid call succeeded each time it was made, so that no context can be said to break one"
            )
            return Shortfall(self.name, f"{reason}: give an example that can be repeated", thinner=True)
        made = len(_own(seen))
        if made < _COUNT and _is_spent(subject, seen):
            reason = f"a call that takes so long was made in {made} of {_COUNT} contexts"
            return Shortfall(self.name, reason, thinner=True)
        return None


def _own(seen: Sequence[Call]) -> list[Call]:
    return [call for call in seen if call.plan.probe == ContextProbe.name]


def _is_spent(subject: Subject, seen: Sequence[Call]) -> bool:
    """Whether the calls of this probe have taken their share of the tool's budget."""
    return sum(call.elapsed for call in _own(seen)) > subject.budget * _SHARE
