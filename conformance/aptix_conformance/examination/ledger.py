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
        """What makes it hard to read: that it did not come back, then the length of what was sent."""
        if self.call is None:
            return (False, 0, 0)
        plan = self.call.plan
        return (self.call.outcome in INCIDENTS, len(plan.arguments or ""), len(plan.label))


def _size(call: Call) -> int:
    """What a call takes in memory, about: its texts, which the tool makes as long as it likes."""
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
    """Bytes of the calls taken down, about."""
    _over_calls: tuple[Rule, ...] = field(init=False)

    def __post_init__(self) -> None:
        self._over_calls = tuple(rule for rule in self.rules if rule.over is Call)

    @property
    def rules(self) -> Iterable[Rule]:
        """The rules that bind the tool."""
        return (found.rule for found in self.applicable_rules if not found.exempt)

    def observe(self, observation: Observation) -> None:
        """Take down one observation and let every rule that is for it judge it."""
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
        """Call the sentinels and take down what is wrong with them.

        Raises:
            HostError: no process could be started to make the calls in.
        """
        self.sentinels += 1
        wrong = host.check_sentinels(last=last)
        if wrong and wrong not in self.tampering:
            self.tampering.append(wrong)

    def conclude(self) -> None:
        """Let the rules over a whole exploration judge what has been seen."""
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
        """The plans that the process of a call taken down here had served before that call."""
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
