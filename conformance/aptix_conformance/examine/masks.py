"""Breaches of one rule that hide calls from another, so that a rule passes only on what it could judge.

A rule loses observations to another in two ways. A call that breaks a rule with `masks_others` threw, did not return, or
gave a result that nobody can read: what its result would have shown is not known. And a finding with `defers_to` is
a fault that another rule reports. Either way the call is hidden from the rule that would have judged it. Where every
call of one kind is hidden, the rule is masked: it is inconclusive until the other rule is kept. The
`Precondition` of a rule on declarations names the rules whose breach leaves it nothing to judge.

Whether a rule would have judged a call is asked of the rule itself: its `when` is given the same call with an ordinary
result, one that this tool gave to another call. So a rule needs to say nothing about the rules that come before it. A rule on
calls that the probes plan from what is declared has the rules on that in its `Precondition`.

A rule that binds less masks none that binds more: a MUST is judged first, and reports the fault itself. Where it could judge
nothing, its reason names the rule that masks it.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from aptix_conformance.core.model import INCIDENTS, Call, Outcome, Result, ResultError
from aptix_conformance.core.model.codec import replace
from aptix_conformance.examine.ledger import Breach, Ledger, add_breach
from aptix_conformance.rules.lib.kernel import Rule

_SUCCESS = Result("InvokeResult", is_invoke_result=True, successful=True, payload="{}", payload_type="str")
_REFUSAL = Result(
    "InvokeResult",
    is_invoke_result=True,
    successful=False,
    errors=(ResultError("It failed."),),
    error_message="It failed.",
)


@dataclass(frozen=True, slots=True)
class Settled:
    """The verdicts after every rule has given way to those that mask it.

    `breaches` holds the breaches of each broken rule by their cause. `masked` holds, by the code of a rule that is not
    broken, the codes of the rules that hide something from it. `covered_by` holds, by the code of a rule, the one that reports
    all that it could judge, though that binds less: then the rule does not apply. `in_the_way` holds, by the code of a rule
    that judged nothing and is neither masked nor moot, the codes of the rules that bind less and left it nothing.
    """

    breaches: Mapping[str, Mapping[Hashable, Breach]]
    masked: Mapping[str, tuple[str, ...]]
    covered_by: Mapping[str, str]
    in_the_way: Mapping[str, tuple[str, ...]]


def settle(ledger: Ledger) -> Settled:
    """Decide which rule reports each fault, and what that hides from the others."""
    return _Settling(ledger).settled()


@dataclass(slots=True)
class _Settling:
    ledger: Ledger
    strength: dict[str, int] = field(init=False)
    breaches: dict[str, dict[Hashable, Breach]] = field(init=False)
    deferred_breaches: dict[str, list[tuple[str, Breach]]] = field(default_factory=dict)
    """By rule: its findings that another rule reports, each with the code of that rule."""
    success: Result = field(init=False)
    refusal: Result = field(init=False)
    working: frozenset[str | None] = field(init=False)
    """The arguments of the calls that succeeded undisturbed."""

    def __post_init__(self) -> None:
        readable = (call for call in self.ledger.calls if id(call) not in self.ledger.masked_by)
        self.success = _first(readable, lambda call: call.succeeded) or _SUCCESS
        self.refusal = _first(self.ledger.calls, lambda call: call.refused) or _REFUSAL
        self.working = frozenset(
            call.plan.arguments
            for call in self.ledger.calls
            if call.succeeded and call.plan.disturbance is None
        )
        bound = (applicable for applicable in self.ledger.applicable_rules if not applicable.exempt)
        self.strength = {applicable.rule.code: applicable.level.strength for applicable in bound}
        self.breaches = {code: dict(by_cause) for code, by_cause in self.ledger.breaches.items()}

    def settled(self) -> Settled:
        """Settle the ledger's findings, once: it changes `breaches` and `deferred_breaches`."""
        reported = {
            code: [(self._reporter(code, breach, ()) or "", breach) for breach in breaches]
            for code, breaches in self.ledger.deferred_breaches.items()
        }
        for code, pairs in reported.items():
            self.deferred_breaches[code] = [(first, breach) for first, breach in pairs if first]
            for first, breach in pairs:
                if not first:
                    add_breach(self.breaches.setdefault(code, {}), breach)
        harness = self.ledger.harness
        done = self.breaches.keys() | self.ledger.out_of_time.keys() | harness.by_rule.keys()
        unbroken = [rule for rule in self.ledger.rules if rule.code not in done]
        masked = {
            rule.code: tuple(
                sorted(
                    harness.attempt(
                        f"finding what hides something from {rule.code}",
                        [rule.code],
                        partial(self._masking, rule),
                        set,
                    )
                )
            )
            for rule in unbroken
        }
        covered_by = {rule.code: "" if masked[rule.code] else self._sole_reporter(rule) for rule in unbroken}
        idle = [rule for rule in unbroken if not (masked[rule.code] or covered_by[rule.code])]
        in_the_way = {rule.code: tuple(sorted(self._in_the_way(rule))) for rule in idle}
        return Settled(
            self.breaches,
            {code: by for code, by in masked.items() if by},
            {code: first for code, first in covered_by.items() if first},
            {code: by for code, by in in_the_way.items() if by},
        )

    def _reporter(self, code: str, breach: Breach, path: tuple[str, ...]) -> str | None:
        """The rule that reports a fault in place of another one; empty where the other has to report it itself.

        None in a circle of rules that give way to each other: then each reports it.
        """
        first = breach.finding.defers_to
        if first in path:
            return None
        if first not in self.strength or not (self._binds_as_much(first, code) or breach.finding.not_its_own):
            return ""
        if first in self.ledger.breaches:
            return first
        deferred = self.ledger.deferred_breaches.get(first, ())
        onward = {self._reporter(first, other, (*path, code)) for other in deferred}
        return first if "" in onward else min(filter(None, onward), default="")

    def _binds_as_much(self, first: str, code: str) -> bool:
        return self.strength[first] >= self.strength[code]

    def _sole_reporter(self, rule: Rule) -> str:
        """The rule that binds less and reports all that a rule could judge; empty where there is none."""
        deferred_breaches = self.deferred_breaches.get(rule.code, [])
        weaker = [first for first, _ in deferred_breaches if not self._binds_as_much(first, rule.code)]
        if not weaker or len(weaker) < len(deferred_breaches):
            return ""
        hidden = {id(breach.call) for _, breach in deferred_breaches}
        judged = any(_judges(rule, call) and id(call) not in hidden for call in self.ledger.calls)
        return "" if judged else min(weaker)

    def _masking(self, rule: Rule) -> set[str]:
        """The rules that hide every call of some kind from a rule, or leave it no declaration to judge."""
        deferred_breaches = self.deferred_breaches.get(rule.code, [])
        prerequisites = {code for code in self._prerequisites(rule) if self._binds_as_much(code, rule.code)}
        if rule.judges is None:
            return prerequisites.union(first for first, _ in deferred_breaches)
        hidden = {id(breach.call) for _, breach in deferred_breaches}
        # A rule that binds less hides nothing; where it reports all that a rule could judge, the rule is moot.
        deferred_breaches = [
            (first, breach) for first, breach in deferred_breaches if self._binds_as_much(first, rule.code)
        ]
        without_call = {first for first, breach in deferred_breaches if breach.call is None}
        by_call = {id(breach.call): {first} for first, breach in deferred_breaches if breach.call is not None}
        by_kind: dict[Hashable, set[str]] = {}
        for call, rules in self._hidden_calls(rule, by_call):
            by_kind.setdefault(rule.kind(call), set()).update(rules)
        for call in self.ledger.calls if by_kind else ():
            is_hidden = id(call) in hidden or id(call) in self.ledger.masked_by
            if (
                not is_hidden
                and rule.kind(call) in by_kind
                and self._could_judge(rule, call, call.plan.demand)
            ):
                del by_kind[rule.kind(call)]
        return prerequisites.union(without_call, *by_kind.values())

    def _prerequisites(self, rule: Rule) -> set[str]:
        """The broken rules after which a rule had nothing to judge; empty where it judged something."""
        first = () if self.ledger.counts.get(rule.code) else rule.after
        return {code for code in first if code in self.breaches}

    def _in_the_way(self, rule: Rule) -> set[str]:
        """The broken rules that left nothing to a rule that they do not mask, since they bind less."""
        if self.ledger.counts.get(rule.code):
            return set()
        masked = [call for call in self.ledger.calls if id(call) in self.ledger.masked_by]
        lost = (call for call in masked if self._is_lost(rule, call, self._likely(call)))
        maskers = {code for call in lost for code in self.ledger.masked_by[id(call)] if code in self.breaches}
        return self._prerequisites(rule) | maskers

    def _likely(self, call: Call) -> str:
        """The likely outcome of a call without the breach; of a disturbed call, its outcome undisturbed."""
        if call.plan.disturbance is not None and call.plan.arguments not in self.working:
            return "refused"
        return "accepted" if call.succeeded else call.plan.demand

    def _hidden_calls(self, rule: Rule, hidden: dict[int, set[str]]) -> Iterator[tuple[Call, Iterable[str]]]:
        """The calls that a rule could not judge, or whose fault another rule reports, each with the rules that hide it."""
        # Most calls are neither: every rule asks this of every call, so the others are passed over first.
        affected = self.ledger.masked_by.keys() | hidden.keys()
        for call in (call for call in self.ledger.calls if id(call) in affected):
            rules = hidden.get(id(call)) or self._maskers(rule, call)
            demand = "accepted" if call.succeeded else call.plan.demand
            if id(call) in hidden or (rules and self._is_lost(rule, call, demand)):
                yield call, rules
        if not self.ledger.unmade:
            return
        maskers = self._maskers(rule, *(call for call in self.ledger.calls if call.outcome in INCIDENTS))
        for plan in self.ledger.unmade if maskers else ():
            call = Call(plan, Outcome.TIMED_OUT, 0.0)
            if self._could_judge(rule, call, plan.demand):
                yield call, maskers

    def _maskers(self, rule: Rule, *calls: Call) -> set[str]:
        """The rules that some calls break so that this rule cannot judge them; none of them binds less than it."""
        codes = {code for call in calls for code in self.ledger.masked_by.get(id(call), ())}
        return {
            code
            for code in codes
            if code in self.breaches and self.strength[code] >= self.strength[rule.code]
        } - {rule.code}

    def _is_lost(self, rule: Rule, call: Call, demand: str) -> bool:
        """Whether a rule does not judge a call, and would if the call had an ordinary result."""
        return not _judges(rule, call) and self._could_judge(rule, call, demand)

    def _could_judge(self, rule: Rule, call: Call, demand: str) -> bool:
        """Whether a rule judges a call, or would if the call had an ordinary result, such as `demand` asks for."""
        usual = {"refused": (self.refusal,), "accepted": (self.success,)}
        results = usual.get(demand, (self.success, self.refusal))
        return _judges(rule, call) or any(_judges(rule, _returned(call, result)) for result in results)


def _judges(rule: Rule, call: Call) -> bool:
    return rule.judges is not None and rule.judges(call)


def _returned(call: Call, result: Result) -> Call:
    return replace(call, outcome=Outcome.RETURNED, result=result, raised=None, incident=None)


def _first(calls: Iterable[Call], matches: Callable[[Call], bool]) -> Result | None:
    return next((call.result for call in calls if matches(call)), None)
