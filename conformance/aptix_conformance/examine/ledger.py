"""The ledger: every observation of one tool, judged by every rule as it comes in.

Judging never stops an exploration and never raises: a rule that is broken early must not hide another that is
broken later. For each cause of a broken rule the ledger keeps the breach that is easiest to read: one that came back
before one that hung, and of those the call with the shortest arguments. `masks.py` settles which rule reports a fault.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Final

from aptix_conformance.core.errors import SetupError
from aptix_conformance.core.model import (
    INCIDENTS,
    BrokenFiles,
    Call,
    Declaration,
    Exploration,
    Observation,
    Outcome,
    ScarceResource,
    Shortfall,
    Stimulus,
)
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.text import printable
from aptix_conformance.examine.applicable import ApplicableRule
from aptix_conformance.examine.hanging import Hanging
from aptix_conformance.examine.harness_errors import HarnessErrors
from aptix_conformance.examine.needed_probes import ALL_CALLS
from aptix_conformance.examine.step_limit import OutOfTime, StepLimit
from aptix_conformance.hosts.host import ToolHost
from aptix_conformance.rules.lib.kernel import Finding, Observed, Rule


@dataclass(frozen=True, slots=True)
class Breach:
    """One finding, and the call that shows it; None for a finding on a declaration."""

    finding: Finding
    call: Call | None

    @property
    def cost(self) -> tuple[bool, int, int, str]:
        """A sort key, smallest for the breach that is easiest to read: whether the call hung or crashed, then lengths."""
        if self.call is None:
            return (False, 0, 0, "")
        plan = self.call.plan
        return (self.call.outcome in INCIDENTS, len(plan.arguments or ""), len(plan.label), plan.label)


def add_breach(known: dict[Hashable, Breach], breach: Breach) -> None:
    """Add a breach to those of its rule, which are kept by cause: the one that is easiest to read of each."""
    before = known.get(breach.finding.cause)
    if before is None or breach.cost < before.cost:
        known[breach.finding.cause] = breach


def _of_process(calls: Iterable[Call], apart: int) -> list[Call]:
    """The calls of a batch, or of the usual process, but those for which something was scarce or broken: each had a process of its own."""
    return [
        call
        for call in calls
        if call.apart == apart and not isinstance(call.plan.disturbance, ScarceResource | BrokenFiles)
    ]


def late_end(call: Call, sentinel: Call) -> Call:
    """A call that answered, as one that ended its process: it did so in the call of a sentinel that followed."""
    return Call(
        plan=call.plan,
        outcome=sentinel.outcome,
        elapsed=sentinel.elapsed,
        incident=f"after its answer: {sentinel.incident}",
        earlier=sentinel.earlier,
        left_out=call.left_out,
        waited=sentinel.waited,
        overdue=sentinel.overdue,
        apart=call.apart,
    )


def size_of(call: Call) -> int:
    """Bytes that a call takes in memory, approximately: those of its texts, whose length the tool decides."""
    result, raised = call.result, call.raised
    texts = [result.payload, result.error_message] if result else []
    texts += result.texts if result else ()
    texts += result.facts.texts() if result and result.facts else ()
    texts += [text for error in result.errors for text in (error.message, error.details)] if result else []
    texts += [raised.message, raised.traceback] if raised else []
    texts += [text for _, text in call.files or ()]
    for record in call.logs:
        texts += [record.message, *(text for pair in record.pairs for text in pair)]
    return sum(text.__sizeof__() for text in texts if text)


_MOST_REQUESTS: Final = 3
"""Requests that are shown of all that were not recorded."""


def _nothing(*_: str) -> None:
    pass


def _named(observed: Observed) -> str:
    if isinstance(observed, Call):
        return f"the call {printable(observed.plan.label, 80)}"
    return "the declaration" if isinstance(observed, Declaration) else "all calls together"


@dataclass(slots=True)
class Ledger:
    """Observations in order, and what each rule made of them."""

    applicable_rules: list[ApplicableRule]
    declarations: list[Declaration] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    observed: list[Call] = field(default_factory=list)
    """The calls that probes build on: all, or those since `supersede`."""
    superseded: set[int] = field(default_factory=set)
    """The identities of recorded calls that are not judged, because they were made again."""
    shortfalls: list[Shortfall] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    breaches: dict[str, dict[Hashable, Breach]] = field(default_factory=dict)
    """By rule and cause: the breach that is easiest to read."""
    timed: dict[tuple[str, Hashable], list[Breach]] = field(default_factory=dict)
    """By rule and cause: all breaches that rest on a measured time, any of which may have been the machine's."""
    deferred_breaches: dict[str, list[Breach]] = field(default_factory=dict)
    """By rule: its findings that give way to another rule."""
    masked_by: dict[int, set[str]] = field(default_factory=dict)
    """By the identity of a recorded call: the rules with `masks_others` that it breaks."""
    groups: list[tuple[Call, ...]] = field(default_factory=list)
    """Calls that were made at the same time."""
    hanging: Hanging = field(default_factory=Hanging)
    """The calls that hung, and the arguments that are likely to hang."""
    unmade: list[Stimulus] = field(default_factory=list)
    """Planned calls that were not made, because others of their probe did not come back."""
    sentinels: int = 0
    tampering: list[str] = field(default_factory=list)
    recorded_bytes: int = 0
    """Bytes that the recorded calls take, approximately."""
    on_call: Callable[[], None] = _nothing
    """Called after each recorded call."""
    on_breach: Callable[[str], None] = _nothing
    """Called with the code of a rule that is seen broken, where that rests on no measured time."""
    limit: StepLimit = field(default_factory=StepLimit)
    out_of_time: dict[str, str] = field(default_factory=dict)
    """By rule: why it was stopped while it judged, as a clause. It judges nothing from then on."""
    harness: HarnessErrors = field(default_factory=HarnessErrors)
    """Errors of the suite itself, rules included. Such a rule still judges the other observations."""
    unproven: dict[str, str] = field(default_factory=dict)
    """By rule: a breach that only a call shows which asked a service for what its recording does not have, as a clause."""
    untimed: dict[str, str] = field(default_factory=dict)
    """By rule: the call on whose own time its verdict depends (`untimed.py`), as a clause."""
    lacking: SetupError | None = None
    """Why calls could not be made: what the tool's set-up lacks. None where each could."""
    unlisted: str = ""
    """Why the tool could not be read again: what offers it did not list it any more. Empty where it was listed each time."""
    _over_calls: tuple[Rule, ...] = field(init=False)

    def __post_init__(self) -> None:
        self._over_calls = tuple(rule for rule in self.rules if rule.over is Call)

    @property
    def rules(self) -> Iterable[Rule]:
        """The rules that bind the tool."""
        return (applicable.rule for applicable in self.applicable_rules if not applicable.exempt)

    def codes(self, predicate: Callable[[Rule], bool] = lambda _: True) -> list[str]:
        """The codes of the rules that bind the tool, or of some of them."""
        return [rule.code for rule in self.rules if predicate(rule)]

    def observe(self, observation: Observation) -> None:
        """Record one observation, and judge it by every rule that applies to it."""
        if isinstance(observation, Call):
            self.calls.append(observation)
            self.observed.append(observation)
            self.recorded_bytes += size_of(observation)
            is_unknown = observation.left_out or observation.may_have_come_back
            rules: Iterable[Rule] = () if is_unknown else self._over_calls
        else:
            self.declarations.append(observation)
            rules = (rule for rule in self.rules if rule.over is Declaration)
        judge = self._doubt if isinstance(observation, Call) and observation.unrecorded else self._judge
        for rule in rules:
            judge(rule, observation)
        if isinstance(observation, Call):
            self.on_call()

    def observe_together(self, calls: tuple[Call, ...]) -> None:
        """Record calls that were made at the same time."""
        self.groups.append(calls)
        for call in calls:
            self.observe(call)

    def made_with(self, call: Call) -> tuple[Call, ...]:
        """The calls that were made at the same time as a recorded call, and that call."""
        return next((group for group in self.groups if any(known is call for known in group)), (call,))

    def check_host_integrity(self, host: ToolHost, *, last: bool = False) -> None:
        """Call the sentinels and record how they differ from what is expected.

        A sentinel that ended or hung says nothing about the host: the tool's last call has left something behind that
        ended the process, sooner or later. So it counts as the end of that call.

        Raises:
            HostError: no process could be started to make the calls in.
        """
        fault = host.check_sentinels(last=last)
        self.take_host_integrity(fault, self.last)

    def take_host_integrity(self, fault: str | Call | None, last: Call | None) -> None:
        """Record what sentinels showed of a process whose last call was `last` (`ToolHost.check_sentinels`)."""
        self.sentinels += 1
        if isinstance(fault, Call):
            if last is not None:
                self.observe(late_end(last, fault))
        elif fault and fault not in self.tampering:
            self.tampering.append(fault)

    def supersede(self, calls: Iterable[Call]) -> None:
        """Judge some recorded calls no more; those that probes make from now on build on none made before."""
        superseded = list(calls)
        self.observed = []
        ids = set(map(id, superseded))
        self.superseded |= ids
        self.masked_by = {id_: rules for id_, rules in self.masked_by.items() if id_ not in ids}
        unjudged = self.out_of_time.keys() | self.harness.by_rule.keys()
        for rule in (rule for rule in self._over_calls if rule.code not in unjudged):
            judged = sum(rule.when(call) for call in superseded if not (call.left_out or call.unrecorded))
            if judged:
                self.counts[rule.code] = self.counts.get(rule.code, 0) - judged
        self.breaches = {
            code: remaining
            for code, by_cause in self.breaches.items()
            if (remaining := {cause: each for cause, each in by_cause.items() if id(each.call) not in ids})
        }
        self.timed = {key: [b for b in timed if id(b.call) not in ids] for key, timed in self.timed.items()}
        self.deferred_breaches = {
            code: [b for b in deferred if id(b.call) not in ids]
            for code, deferred in self.deferred_breaches.items()
        }

    def note_unlisted(self, where: str, message: str) -> None:
        """Record that the tool was missing from the list at a later reading. Only the first such reading is kept."""
        if not self.unlisted:
            self.unlisted = f"{where} the tool could not be read again: {message}"
            self.shortfalls.append(Shortfall("declaration", self.unlisted))

    def left_out(self, plan: Stimulus, lacking: SetupError) -> Call:
        """In place of a call that could not be made: one that is not judged. No rule on calls passes then."""
        if self.lacking is None:
            self.lacking = lacking
            codes = self.codes(lambda rule: rule.over is not Declaration)
            self.shortfalls.append(Shortfall(ALL_CALLS, str(lacking), rules=tuple(codes)))
        return Call(plan, Outcome.NOT_CONSTRUCTED, 0.0, None, left_out=str(lacking))

    def called(self, host: ToolHost, plan: Stimulus) -> Call:
        """A call that a host makes, or one in its place."""
        try:
            return host.execute(plan)
        except SetupError as error:
            return self.left_out(plan, error)

    def count_left_out(self) -> None:
        """Say how many calls were left out, and why."""
        counts = Counter((call.plan.probe, call.left_out) for call in self.calls if call.left_out)
        for (probe, reason), count in counts.items():
            calls = "1 call is" if count == 1 else f"{count} calls are"
            self.shortfalls.append(Shortfall(probe, f"{calls} not judged: {reason}", reduced_coverage=True))

    def count_unrecorded(self) -> None:
        """Say how many calls asked a service for what its recording does not have, and for what."""
        calls = [call for call in self.calls if call.unrecorded]
        if calls:
            requests = list(dict.fromkeys(request for call in calls for request in call.unrecorded))
            shown = "; ".join(requests[:_MOST_REQUESTS])
            more = f"; and {len(requests) - _MOST_REQUESTS} more" if len(requests) > _MOST_REQUESTS else ""
            number = "1 call" if len(calls) == 1 else f"{len(calls)} calls"
            effect = "They count for no rule; a breach in them makes a rule inconclusive."
            reason = f"{number} asked for what the recording does not have. {effect} Record {shown}{more}"
            self.shortfalls.append(Shortfall("recording", reason, reduced_coverage=True))

    def conclude(self) -> None:
        """Judge the whole exploration by the rules over explorations."""
        whole = self.exploration()
        if any(call.unrecorded for call in self.calls):
            with_doubt = self.exploration(unrecorded=True)
            for rule in self.rules:
                if rule.over is Exploration:
                    self._doubt(rule, with_doubt)
        for rule in self.rules:
            if rule.over is Exploration:
                self._judge(rule, whole)

    def exploration(self, *, unrecorded: bool = False) -> Exploration:
        """All that has been seen so far, without calls whose services were not recorded, unless these are asked for too."""
        return Exploration(
            declarations=tuple(self.declarations),
            calls=tuple(
                call
                for call in self.calls
                if not (call.left_out or id(call) in self.superseded) and (unrecorded or not call.unrecorded)
            ),
            shortfalls=tuple(self.shortfalls),
            sentinels=self.sentinels,
            tampering=tuple(self.tampering),
        )

    def history_of(self, call: Call) -> tuple[Stimulus, ...]:
        """The stimuli that the process of a recorded call had served before that call, in order."""
        index = next(index for index, known in enumerate(self.calls) if known is call)
        before = _of_process(self.calls[:index], call.apart)
        plans = tuple(known.plan for known in before[max(0, len(before) - call.earlier) :])
        if call.apart and len(plans) < call.earlier and self.opening is not None:
            return (self.opening, *plans)
        return plans

    @property
    def opening(self) -> Stimulus | None:
        """The call with which each batch begins, without a record: the first of all that came back; None where none did."""
        return next(
            (
                call.plan
                for call in self.calls
                if not (call.apart or call.left_out or call.plan.disturbance or call.outcome in INCIDENTS)
            ),
            None,
        )

    @property
    def last_usual(self) -> Call | None:
        """The last recorded call that was made in no batch."""
        return next((call for call in reversed(self.calls) if not call.apart), None)

    @property
    def last(self) -> Call | None:
        """The last recorded call of the process that makes the usual ones."""
        return next(reversed(_of_process(self.calls, 0)), None)

    def findings(self, rule: Rule, observed: Observed) -> tuple[Finding, ...] | None:
        """All that a rule finds; None where it does not judge the observation, or was stopped because it took too long."""
        if rule.code in self.out_of_time:
            return None
        try:
            outer_step = self.limit.enter(rule.code)
            try:
                return rule.findings(observed) if rule.when(observed) else None
            finally:
                self.limit.leave(outer_step)
        except OutOfTime as error:
            self.limit.stop(rule.code, str(error))
            self.out_of_time[rule.code] = f"judging {_named(observed)} was stopped: {error}"
        except Exception as error:  # noqa: BLE001 - a rule may be a third party's
            self.harness.add(f"judging {rule.code}", error, [rule.code])
        return None

    def _judge(self, rule: Rule, observation: Observation | Exploration) -> None:
        judged = self.findings(rule, observation)
        if judged is None:
            return
        self.counts[rule.code] = self.counts.get(rule.code, 0) + 1
        if judged:
            self.harness.attempt(
                f"keeping what {rule.code} found",
                [rule.code],
                lambda: self._keep(rule, observation, judged),
                bool,
            )

    def _doubt(self, rule: Rule, observation: Observation | Exploration) -> None:
        """Judge a call whose services were not recorded: it can only make a rule inconclusive."""
        for finding in self.findings(rule, observation) or ():
            call = observation if isinstance(observation, Call) else finding.call
            if call is not None and call.unrecorded and not finding.defers_to:
                self.unproven.setdefault(rule.code, f"{call.unrecorded[0]}: {finding.message.rstrip('.')}")

    def _keep(self, rule: Rule, observation: Observation | Exploration, judged: Iterable[Finding]) -> None:
        for plain in judged:
            call = observation if isinstance(observation, Call) else plain.call
            finding = (
                replace(plain, declaration=observation) if isinstance(observation, Declaration) else plain
            )
            breach = Breach(finding, call)
            if finding.defers_to:
                self.deferred_breaches.setdefault(rule.code, []).append(breach)
            else:
                add_breach(self.breaches.setdefault(rule.code, {}), breach)
                if finding.timed:
                    self.timed.setdefault((rule.code, finding.cause), []).append(breach)
                else:
                    self.on_breach(rule.code)
            if call is not None and rule.masks_others:
                self.masked_by.setdefault(id(call), set()).add(rule.code)
