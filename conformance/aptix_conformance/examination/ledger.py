"""The ledger: every observation of one tool, judged by every rule as it comes in.

Judging never stops an exploration and never raises: a rule that is broken early must not hide another that is
broken later. For each broken rule the ledger keeps the breach that is easiest to read: one that came back
before one that hung, and of those the call with the shortest arguments.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from aptix_conformance.examination.applicable import ApplicableRule
from aptix_conformance.hosts.host import ToolHost
from aptix_conformance.model import (
    INCIDENTS,
    Call,
    Declaration,
    Exploration,
    Observation,
    Shortfall,
    Stimulus,
)
from aptix_conformance.rules.lib.kernel import Finding, Rule


@dataclass(frozen=True, slots=True)
class Breach:
    """One observation that broke a rule, and the calls that its process had served before it."""

    finding: Finding
    call: Call | None
    history: tuple[Stimulus, ...] = ()

    @property
    def cost(self) -> tuple[bool, int, int]:
        """A sort key, smallest for the breach that is easiest to read: whether the call hung or crashed, then lengths."""
        if self.call is None:
            return (False, 0, 0)
        plan = self.call.plan
        return (self.call.outcome in INCIDENTS, len(plan.arguments or ""), len(plan.label))


def _size(call: Call) -> int:
    """Bytes that a call takes in memory, approximately: those of its texts, whose length the tool decides."""
    result, raised = call.result, call.raised
    texts = [result.payload, result.error_message] if result else []
    texts += result.facts.texts() if result and result.facts else ()
    texts += [text for error in result.errors for text in (error.message, error.details)] if result else []
    texts += [raised.message, raised.traceback] if raised else []
    for record in call.logs:
        texts += [record.message, *(text for pair in record.pairs for text in pair)]
    return sum(text.__sizeof__() for text in texts if text)


@dataclass(slots=True)
class Ledger:
    """Observations in order, and what each rule made of them."""

    applicable_rules: list[ApplicableRule]
    declarations: list[Declaration] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    shortfalls: list[Shortfall] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    breaches: dict[str, Breach] = field(default_factory=dict)
    sentinels: int = 0
    tampering: list[str] = field(default_factory=list)
    kept: int = 0
    """Bytes that the recorded calls take, approximately."""
    _over_calls: tuple[Rule, ...] = field(init=False)

    def __post_init__(self) -> None:
        self._over_calls = tuple(rule for rule in self.rules if rule.over is Call)

    @property
    def rules(self) -> Iterable[Rule]:
        """The rules that bind the tool."""
        return (found.rule for found in self.applicable_rules if not found.exempt)

    def observe(self, observation: Observation) -> None:
        """Record one observation, and judge it by every rule that applies to it."""
        if isinstance(observation, Call):
            self.calls.append(observation)
            self.kept += _size(observation)
            rules: Iterable[Rule] = self._over_calls
        else:
            self.declarations.append(observation)
            rules = (rule for rule in self.rules if rule.over is Declaration)
        for rule in rules:
            self._judge(rule, observation)

    def check_host_integrity(self, host: ToolHost, *, last: bool = False) -> None:
        """Call the sentinels and record how they differ from what is expected.

        Raises:
            HostError: no process could be started to make the calls in.
        """
        self.sentinels += 1
        wrong = host.check_sentinels(last=last)
        if wrong and wrong not in self.tampering:
            self.tampering.append(wrong)

    def conclude(self) -> None:
        """Judge the whole exploration by the rules over explorations."""
        whole = self.exploration()
        for rule in self.rules:
            if rule.over is Exploration:
                self._judge(rule, whole)

    def exploration(self) -> Exploration:
        """All that has been seen so far."""
        return Exploration(
            declarations=tuple(self.declarations),
            calls=tuple(self.calls),
            shortfalls=tuple(self.shortfalls),
            sentinels=self.sentinels,
            tampering=tuple(self.tampering),
        )

    def history_of(self, call: Call) -> tuple[Stimulus, ...]:
        """The stimuli that the process of a recorded call had served before that call, in order."""
        index = next(index for index, known in enumerate(self.calls) if known is call)
        return tuple(known.plan for known in self.calls[max(0, index - call.earlier) : index])

    def _judge(self, rule: Rule, observation: Observation | Exploration) -> None:
        if not rule.when(observation):
            return
        self.counts[rule.code] = self.counts.get(rule.code, 0) + 1
        finding = rule.check(observation)
        if finding is None:
            return
        call = observation if isinstance(observation, Call) else finding.call
        breach = Breach(finding, call)
        known = self.breaches.get(rule.code)
        if known is None or breach.cost < known.cost:
            self.breaches[rule.code] = breach
