"""Reproduce a breach in a fresh process: the same observation, and the same rule.

A call is made alone first. If that does not show it, the calls that its process had served before are made first: the
last one, the last four, and so on up to all of them. If the call was made smaller, the one that the scan made is tried as
well. A declaration is read again under its conditions. A rule over an exploration judges the exploration with the
new observation in the old one's place.

A call that did not come back in time is given the patience of its system, where it has one: its contract names no time, so a call
that is only slow breaks nothing. A variation of a call that works may ask for more than the author would wait for, such as
`sleep 100000` for `sleep 3`: where it hardly computes, it may take as long as a client waits (`IDLE_SECONDS`). The same holds for a
call during an outage, whose tool may try again and wait longer each time: its allowance comes on top. A text whose
evaluation never ends may compute as long: its tool may end it by a limit of its own.
It is slow only where it then needed more than its first limit. One that came back sooner than that waited for something
else, such as a lock that an earlier call keeps: so the earlier calls are made first there as well, and the call that then
does not come back is a breach with that history. Where the call alone is slow, only all of them are tried.

A breach that a library below the tool is known for is first looked for in the process of an earlier proof: a server may take
seconds to start, and its SDK breaks the same rules in each process.

The scan and each further try count as attempts. What no further try shows was seen in one of `ATTEMPTS`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from aptix_conformance.core.errors import HostError, SetupError, TargetError
from aptix_conformance.core.model import (
    INCIDENTS,
    Call,
    Declaration,
    Exploration,
    Kind,
    Outcome,
    Stimulus,
    lasts,
)
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import FindingReport
from aptix_conformance.examine.calls_at_once import execute_group
from aptix_conformance.examine.findings import finding_of
from aptix_conformance.examine.ledger import Breach, Ledger, late_end
from aptix_conformance.hosts.host import ToolHost
from aptix_conformance.rules.lib.kernel import Finding, Observed, Rule
from aptix_conformance.stimuli.generate.grammars import is_endless

ATTEMPTS = 3
"""How often a breach is looked for, the scan included, before it counts as seen once."""

SECONDS = 60.0
"""Seconds inside of calls that the proof of one breach may take."""

IDLE_SECONDS = 60.0
"""Seconds that a variation of a call that works may wait for something: the official MCP client gives up after as many."""

_GROWTH = 4
"""Factor by which the number of earlier calls grows from try to try."""

History = tuple[Stimulus, ...]


@dataclass(slots=True)
class Reproduction:
    """Reproduces the breaches of one tool, whose observations are in the ledger."""

    ledger: Ledger
    host: ToolHost
    patience: float | None = None
    """Seconds for a call that did not come back in time; None where the limit of every call is the last word."""
    is_limited: bool = False
    """Whether the author has set the limit of a call: then it holds for variations, too."""
    _has_begun: bool = False
    """Whether the current process of the host was started for a proof."""
    _spent: float = 0.0
    _is_slow: bool = False
    """Whether the call came back, and needed more than the time that it had in the scan."""
    _explored: Exploration = field(init=False)

    def __post_init__(self) -> None:
        self._explored = self.ledger.exploration()

    def reproduced(
        self, rule: Rule, smallest: Breach, scanned: Breach, *, is_known: bool = False
    ) -> FindingReport:
        """The proof of a breach.

        Args:
            rule: the rule that is broken.
            smallest: the smallest breach that was found, perhaps of a call that the scan did not make.
            scanned: the breach that the scan found, which may be the same.
            is_known: whether a library below the tool is known for it.

        Raises:
            HostError: no process could be started or kept.
        """
        self._spent, self._is_slow = 0.0, False
        if is_known and (again := self._seen_after_others(rule, smallest)):
            return finding_of(again, self.ledger, self.host.containment)
        attempts = 1
        for breach in self._tries(smallest, scanned):
            if self._spent >= SECONDS or self._is_slow:
                break
            attempts += 1
            proof = self._with_fewest_calls_before(rule, breach)
            if proof is not None:
                return proof
        seconds = self._longest_of(scanned.call)
        hint = "" if "`timeout`" in scanned.finding.message else ": `timeout` sets the limit"
        late = f" Given {seconds:g} s, it came back{hint}." if self._is_slow else ""
        report = finding_of(scanned, self.ledger, self.host.containment, reproduced=False, attempts=attempts)
        return replace(report, message=f"{report.message}{late}")

    def _seen_after_others(self, rule: Rule, breach: Breach) -> Breach | None:
        """The breach in a process that may have served other proofs; None where it is not seen there."""
        if breach.call is None or breach.call.outcome in INCIDENTS or not self._has_begun:
            return None
        try:
            return self._called_again(rule, breach, breach.call)
        except SetupError:
            return None

    def _tries(self, smallest: Breach, scanned: Breach) -> Iterator[Breach]:
        yield smallest
        for _ in range(ATTEMPTS - 2):
            yield scanned

    def _with_fewest_calls_before(self, rule: Rule, breach: Breach) -> FindingReport | None:
        before = self._calls_before(breach)
        fails = -1
        for length in _lengths(len(before)):
            if self._is_slow and length < len(before):
                continue
            reproduced = self._reproduced(rule, breach, before[len(before) - length :])
            if reproduced is not None:
                return self._shortened(rule, breach, before, fails, (length, reproduced))
            fails = length
            if self._spent >= SECONDS:
                return None
        return None

    def _shortened(
        self, rule: Rule, breach: Breach, before: History, fails: int, known: tuple[int, Breach]
    ) -> FindingReport:
        """The proof with the fewest calls before, between a number that shows nothing and one that does."""
        length, reproduced = known
        hung = reproduced.call is not None and reproduced.call.outcome in INCIDENTS
        while not hung and length - fails > 1 and self._spent < SECONDS:
            middle = (fails + length) // 2
            again = self._reproduced(rule, breach, before[len(before) - middle :])
            if again is None:
                fails = middle
            else:
                length, reproduced = middle, again
        history = before[len(before) - length :]
        return finding_of(reproduced, self.ledger, self.host.containment, history=history)

    def _calls_before(self, breach: Breach) -> History:
        """The calls that the process had served before the breach, where the scan observed it."""
        call, declaration = breach.call, breach.finding.declaration
        if call is not None:
            recorded = any(known is call for known in self.ledger.calls)
            return self.ledger.history_of(call) if recorded else ()
        last = self.ledger.last
        if declaration is not None and declaration.when == "after_calls" and last is not None:
            return (*self.ledger.history_of(last), last.plan)
        return ()

    def _reproduced(self, rule: Rule, breach: Breach, history: History) -> Breach | None:
        """The breach of the same cause in a new observation, after some calls; None where it is not seen."""
        self.host.reset()
        self._has_begun = True
        try:
            for plan in history:
                earlier = self.host.execute(plan)
                self._spent += earlier.elapsed
                if earlier.outcome in INCIDENTS:
                    return None
            if breach.call is not None:
                return self._called_again(rule, breach, breach.call)
        except SetupError:
            return None
        if breach.finding.declaration is not None:
            return self._read_again(rule, breach, breach.finding.declaration)
        return self._checked_again(rule, breach)

    def _called_again(self, rule: Rule, breach: Breach, call: Call) -> Breach | None:
        group = self.ledger.made_with(call)
        patience = self.patience_with(call)
        is_patient = self.patience is None and not self.is_limited and is_slow_variation(call)
        if len(group) > 1:
            new = execute_group(self.host, [each.plan for each in group], patience)
        else:
            new = (self._executed(call, patience, is_patient=is_patient),)
        self._spent += max(each.elapsed for each in new)
        own = next(now for old, now in zip(group, new, strict=True) if old is call)
        if (patience is not None or is_patient) and own.outcome not in INCIDENTS:
            self._is_slow |= own.elapsed > call.elapsed
        if own.may_have_come_back:
            return None
        replacements = {id(old): now for old, now in zip(group, new, strict=True)}
        calls = tuple(replacements.get(id(old), old) for old in self._explored.calls)
        observed: Observed = own if rule.over is Call else replace(self._explored, calls=calls)
        return next(
            (
                Breach(finding, own)
                for finding in self._of_cause(rule, observed, breach.finding)
                if rule.over is Call or _is_of(finding, own)
            ),
            None,
        )

    def patience_with(self, call: Call | None) -> float | None:
        """Seconds for a call that did not come back in time; None where the limit of every call is the last word, or for another call."""
        if call is None or call.outcome is not Outcome.TIMED_OUT:
            return None
        if self.patience is None and not self.is_limited and is_endless(call.plan.change.detail):
            return IDLE_SECONDS
        return None if self.patience is None else self._longest_of(call)

    def _longest_of(self, call: Call | None) -> float:
        """Seconds that a call may take in a further try, if it gets more than in the scan."""
        extra = call.plan.allowance.extra if call is not None and lasts(call.plan.disturbance) else 0.0
        return (self.patience or IDLE_SECONDS) + extra

    def _executed(self, call: Call, timeout: float | None, *, is_patient: bool) -> Call:
        """A new call like this one; with what it leaves behind, where this one ended its process."""
        if is_patient:
            return self.host.execute_patiently(call.plan, self._longest_of(call))
        new = self.host.execute(call.plan, timeout)
        if call.outcome not in INCIDENTS or new.outcome in INCIDENTS:
            return new
        later = self.host.check_sentinels()
        return late_end(new, later) if isinstance(later, Call) else new

    def _read_again(self, rule: Rule, breach: Breach, declaration: Declaration) -> Breach | None:
        try:
            is_apart = declaration.when in ("restarted", "threads")
            read = self.host.describe_again(declaration.conditions) if is_apart else self.host.describe()
        except TargetError:
            return breach if declaration.schema.outcome == "raised" else None
        except HostError:
            return None
        known = tuple(read if old is declaration else old for old in self._explored.declarations)
        observed: Observed = read if rule.over is Declaration else replace(self._explored, declarations=known)
        findings = self._of_cause(rule, observed, breach.finding)
        own = (each for each in findings if rule.over is Declaration or each.declaration is read)
        return next((Breach(each, None) for each in own), None)

    def _checked_again(self, rule: Rule, breach: Breach) -> Breach | None:
        """For a finding that names no observation: read the declaration and check the host, as both are now."""
        try:
            read = self.host.describe()
        except TargetError:
            return None
        integrity = self.host.check_sentinels(last=True) if self._explored.tampering else None
        fault = None if isinstance(integrity, Call) else integrity
        latest = replace(
            self._explored,
            declarations=(read, *self._explored.declarations[1:]),
            tampering=(fault,) if fault else (),
        )
        return next((Breach(finding, None) for finding in self._of_cause(rule, latest, breach.finding)), None)

    def _of_cause(self, rule: Rule, observed: Observed, known: Finding) -> Sequence[Finding]:
        findings = self.ledger.findings(rule, observed) or ()
        return [finding for finding in findings if finding.cause == known.cause]


def is_slow_variation(call: Call) -> bool:
    """Whether a call varies one that works, or repeats it during an outage, and did not come back in time."""
    is_variation = call.plan.kind is Kind.VARIED or lasts(call.plan.disturbance)
    return call.outcome is Outcome.TIMED_OUT and is_variation


def _lengths(most: int) -> Iterator[int]:
    """How many earlier calls are made before a try: none, one, four and so on, and at last all of them."""
    yield 0
    length = 1
    while length < most:
        yield length
        length *= _GROWTH
    if most:
        yield most


def _is_of(known: Finding, call: Call) -> bool:
    """Whether a finding is about a call, or about an equal one that was disturbed in the same way."""
    if known.call is None or known.call is call:
        return known.call is call
    same = known.call.plan.arguments == call.plan.arguments
    return call.plan.disturbance is not None and same and known.call.plan.disturbance == call.plan.disturbance
