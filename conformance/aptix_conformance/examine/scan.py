"""The scan: one probe's calls, made and judged; Hypothesis draws them and is never the verdict engine.

Nothing raises inside the generated test, so every draw is made even when rules are broken. What is called is a plan:
it depends on the tool, the settings and the seed, never on time. After a few calls that hang for no known cause or crash, and after the deadline,
the rest of a probe's calls is skipped. That is a cut: the rules that would have judged these calls are inconclusive.
"""

import hashlib
import math
from collections import deque
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from hypothesis.errors import FlakyStrategyDefinition, Unsatisfiable
from hypothesis.strategies import SearchStrategy

from aptix_conformance.core.errors import ConformanceError, SetupError
from aptix_conformance.core.model import INCIDENTS, Call, Outcome, Shortfall, Stimulus
from aptix_conformance.core.model.codec import replace as evolve
from aptix_conformance.examine.batches import Batch, Batches, cut
from aptix_conformance.examine.calls_at_once import execute_group
from aptix_conformance.examine.deadline import Deadline
from aptix_conformance.examine.drawing import CASES, TRIVIAL, Round, draw
from aptix_conformance.examine.ledger import Ledger
from aptix_conformance.examine.quick import QUICK, QuickPlan
from aptix_conformance.examine.step_limit import OutOfTime
from aptix_conformance.examine.tainted_state import wants_fresh_process
from aptix_conformance.hosts.host import MIB, ToolHost

ROUNDS = 4
"""Factor: a probe draws at most this many times the examples asked for, to find enough different ones."""

_MOST = 25
"""Calls drawn in one case, at most: Hypothesis bounds the choices of a case."""

TRIES = 3
"""Calls of one probe that may hang for an unknown cause or crash before its other calls are skipped."""

MOST_KEPT = 256 * MIB
"""Bytes that the results and log records of one tool may take in this process: they are kept until it is judged."""


HISTORY = 40
"""Drawn calls of a probe that the usual process makes, where it makes the fixed ones: some faults show after many calls only."""


class _EnoughDrawn(BaseException):
    pass


Key = tuple[Hashable, ...]
"""The identity of a stimulus, for memoising calls."""


@dataclass(slots=True)
class Scan:
    """One probe's run over one tool; `calls` maps each plan to its call, so that none is made twice."""

    host: ToolHost
    ledger: Ledger
    deadline: Deadline
    probe: str
    seed: int
    examples: int
    calls: dict[Key, Call] = field(default_factory=dict)
    drawn: set[Key] = field(default_factory=set)
    rounds: list[Round] = field(default_factory=list)
    skipped: dict[str, set[Key]] = field(default_factory=dict)
    """The calls that were not made because they are likely to hang, by the reason."""
    lost: int = 0
    in_sequence: bool = False
    """Whether the fixed calls of this probe are meant to see what the earlier ones left."""
    tainted: bool = False
    """Whether the tool's refusals spoil later calls (`tainted_state.py`)."""
    patience: float | None = None
    """Seconds that the proof of a hang waits for the call, which begins at once; None where it waits no longer than the scan."""
    quick: QuickPlan | None = None
    """The part of the plan that is made; None for all of it."""
    apart: frozenset[str] = frozenset()
    """Which calls need nothing of one another: `fixed`, `drawn` or both (`Probe.apart`)."""
    batches: Batches | None = None
    """Makes such calls in processes of their own; None where the host has no others."""
    pending: dict[Key, Stimulus] = field(default_factory=dict)
    """Drawn calls that are made when the drawing is over."""
    _tries: int = field(init=False)

    def __post_init__(self) -> None:
        calls = self.ledger.calls
        self._tries = TRIES if not calls or any(call.outcome not in INCIDENTS for call in calls) else 1

    @property
    def given_up(self) -> bool:
        """Whether too many calls of this probe hung or crashed; one is too many where every earlier call did."""
        return self.why_given_up is not None

    @property
    def why_given_up(self) -> str | None:
        """The limit that was exceeded, as a clause of a sentence; None where none was."""
        if self.ledger.recorded_bytes > MOST_KEPT:
            return f"its results and log records came to more than {MOST_KEPT // MIB} MiB"
        if self.lost >= self._tries:
            return "a call did not come back" if self.lost == 1 else f"{self.lost} calls did not come back"
        return self.deadline.breach

    def run_fixed(self, plans: Iterable[Stimulus]) -> None:
        """Make every planned call, unless the probe is given up."""
        if self.batches and "fixed" in self.apart:
            self.ledger.unmade += self._make_apart([plan for plan in plans if self._takes(plan)])
            plans = ()
        waiting = iter(plans)
        for plan in waiting:
            if self.given_up:
                unmade = [plan, *waiting]
                self.ledger.unmade += unmade
                self._report_given_up(unmade)
                break
            if self._takes(plan) and not self._skips(plan):
                self.make(plan)
        self._report_skipped()
        self._report_left_out()

    def run_together(self, groups: Iterable[tuple[Stimulus, ...]], *, fresh: bool = False) -> None:
        """Make the calls of each group at the same time, `fresh` in a process of their own, unless the probe is given up."""
        for plans in groups:
            if self.given_up:
                self.ledger.unmade += plans
                self._cut(f"{self.why_given_up}, so {len(plans)} calls at once were not made", len(plans))
                continue
            if not self._takes(*plans):
                self._cut(f"{len(plans)} calls at once were not made {QUICK}", len(plans), expected=True)
                continue
            if fresh:
                self.host.reset()
            else:
                self.host.restore_files()
            try:
                calls = execute_group(self.host, plans)
            except SetupError as error:
                calls = tuple(self.ledger.left_out(plan, error) for plan in plans)
            self.calls |= {key_of(plan): call for plan, call in zip(plans, calls, strict=True)}
            self.ledger.observe_together(calls)
            if any(call.outcome in INCIDENTS for call in calls):
                self._count_lost(calls)

    def run_drawn(self, strategy: SearchStrategy[Stimulus]) -> int:
        """Draw as many different calls as were asked for, and make them; returns how many.

        A strategy of few values repeats many of them, so the missing calls are drawn from another seed, until a
        round brings nothing new.
        """
        before, requested = len(self.calls), 0
        if self.quick:
            planned, self.examples = self.examples, min(self.examples, self.quick.examples)
            unmade = planned - self.examples
            self._cut(f"only {self.examples} calls are drawn {QUICK}", unmade, expected=True)
        if not self.examples:
            return 0
        if self.given_up:
            self._cut(f"{self.why_given_up}, so 0 of {self.examples} drawn calls were made", self.examples)
            return 0
        while requested < ROUNDS * self.examples:
            known = self._planned
            missing = before + self.examples - known
            size = min(_MOST, math.ceil(missing / (CASES - TRIVIAL)))
            self._run_round(strategy, Round(self.seed + len(self.rounds), size), before + self.examples)
            requested += CASES * size
            is_last = self._planned in (known, before + self.examples)
            if is_last:
                self._make_pending(len(self.calls) - before)
            # Calls that were drawn and not made have others in their place.
            if self.given_up or (is_last and self._planned in (known, before + self.examples)):
                break
        self._make_pending(len(self.calls) - before)
        self._report_skipped(planned=False)  # others were drawn in their place
        count = len(self.calls) - before
        if self.given_up:
            unmade = self.examples - count
            self._cut(f"{self.why_given_up}, so {count} of {self.examples} drawn calls were made", unmade)
        return count

    def _run_round(self, strategy: SearchStrategy[Stimulus], drawing: Round, enough: int) -> None:
        """Draw once, until `enough` calls of this probe are made."""
        failure: ConformanceError | None = None
        before = len(self.drawn)

        def one(plan: Stimulus) -> None:
            nonlocal failure
            if self._planned >= enough or self.given_up:
                raise _EnoughDrawn
            try:
                self._make_drawn(plan)
            except ConformanceError as error:
                failure = error
                raise _EnoughDrawn from None

        self.rounds.append(drawing)
        try:
            with self.ledger.limit.step(f"drawing {self.probe}"):
                draw(strategy, one, drawing)
        except (_EnoughDrawn, FlakyStrategyDefinition) as error:
            # Hypothesis calls it flaky that drawing ends after choices after which it went on before.
            if isinstance(error, FlakyStrategyDefinition) and self._planned < enough and not self.given_up:
                raise
            if failure:
                raise failure from None
        except OutOfTime as error:
            self._cut(f"drawing calls was stopped: {error}")
        except Unsatisfiable:
            if len(self.drawn) == before:
                reason = "no call could be drawn from the schema"
                self.ledger.shortfalls.append(Shortfall(self.probe, reason))

    def _make_drawn(self, plan: Stimulus) -> None:
        """Make a drawn call, unless it is likely to hang."""
        if self._skips(plan):
            return
        if self.batches and "drawn" in self.apart:
            key = key_of(plan)
            self.drawn.add(key)
            if key not in self.calls:
                self.pending[key] = plan
            return
        outer_step = self.ledger.limit.enter("")  # the wait for the tool is limited elsewhere
        try:
            self.drawn.add(key_of(plan))
            self.make(plan)
        finally:
            self.ledger.limit.leave(outer_step)

    def make(self, plan: Stimulus) -> Call:
        """Make one call, or return the memoised one; a new call is judged."""
        key = key_of(plan)
        known = self.calls.get(key)
        if known is not None:
            return known
        if not self.in_sequence:
            self.host.restore_files()
            last = self.ledger.last_usual
            if last is not None and wants_fresh_process(last, tainted=self.tainted):
                self.host.reset()
        call = self.ledger.called(self.host, plan)
        self._record(call)
        return call

    def _record(self, call: Call) -> None:
        self.calls[key_of(call.plan)] = call
        self.ledger.observe(call)
        if call.outcome in INCIDENTS:
            has_hung = call.outcome is Outcome.TIMED_OUT and not call.may_have_come_back
            if has_hung and self.patience:
                self.host.execute_ahead(call.plan, self.patience)
            is_known = self.ledger.hanging.learn(call, self.ledger.observed)
            self._count_lost([call], is_known=is_known)

    @property
    def _planned(self) -> int:
        return len(self.calls) + len(self.pending)

    def _make_pending(self, before: int) -> None:
        """Make the calls that were drawn; `before` is how many were made in earlier rounds."""
        plans = list(self.pending.values())
        self.pending.clear()
        if plans:
            usual = 0 if "fixed" in self.apart else max(0, HISTORY - before)
            self._make_apart(plans, usual, planned=False)

    def _make_apart(
        self, plans: Sequence[Stimulus], usual: int = 0, *, planned: bool = True
    ) -> list[Stimulus]:
        """Make calls that need nothing of one another, in batches; returns those that were not made.

        The first `usual` ones are made in the usual process. With `planned`, it reports those that were not made.
        """
        assert self.batches is not None
        self.batches.forget()
        self.batches.opening = self.ledger.opening
        new = {key_of(plan): plan for plan in plans}
        waiting = deque(cut([plan for key, plan in new.items() if key not in self.calls], usual))
        while waiting:
            if self.given_up:
                unmade = [plan for batch in waiting for plan in batch.plans]
                if planned:
                    self._report_given_up(unmade)
                return unmade
            batch = waiting.popleft()
            batch = replace(batch, plans=tuple(plan for plan in batch.plans if not self._skips(plan)))
            count = self._record_batch(batch, waiting) if batch.plans else 0
            if count < len(batch.plans):
                waiting.appendleft(replace(batch, plans=batch.plans[count:]))
        return []

    def _record_batch(self, batch: Batch, later: Iterable[Batch]) -> int:
        """Make a batch, or take it where it was made ahead, and record its calls; returns how many."""
        assert self.batches is not None
        result = self.batches.make(
            batch, map(self._likely, later), self.ledger.last_usual, tainted=self.tainted
        )
        number = 0 if batch.is_usual else self.batches.apart_count
        last: Call | None = None
        for count, (plan, call) in enumerate(zip(batch.plans, result.calls, strict=False)):
            if self.given_up:
                if batch.is_usual:
                    self.host.reset()  # it has served calls that are not recorded
                return count
            last = (
                self.ledger.left_out(plan, call)
                if isinstance(call, SetupError)
                else evolve(call, apart=number)
            )
            self._record(last)
        if result.is_checked:
            self.ledger.take_host_integrity(result.integrity, last)
        return len(result.calls)

    def _likely(self, batch: Batch) -> Batch:
        """A later batch as it will be made, unless more calls hang until then."""
        return replace(
            batch, plans=tuple(plan for plan in batch.plans if not self.ledger.hanging.reason(plan))
        )

    def _skips(self, plan: Stimulus) -> bool:
        """Whether a call is not made because it is likely to hang; it is counted then."""
        reason = self.ledger.hanging.reason(plan)
        if reason and key_of(plan) not in self.calls:
            self.skipped.setdefault(reason, set()).add(key_of(plan))
            self.ledger.unmade.append(plan)
        return bool(reason)

    def _report_skipped(self, *, planned: bool = True) -> None:
        """Report how many calls were not made because they are likely to hang, and why; `planned` if each was to be.

        They count as calls that hung: EXC002 reports that, and masks the rules that could judge no other call of their kind.
        """
        for why, plans in self.skipped.items():
            count = "a planned call was" if len(plans) == 1 else f"{len(plans)} planned calls were"
            unmade = len(plans) * planned
            self.ledger.shortfalls.append(
                Shortfall(self.probe, f"{count} not made: {why}", reduced_coverage=True, unmade=unmade)
            )
        self.skipped.clear()

    def _takes(self, *plans: Stimulus) -> bool:
        """Whether a call belongs to the plan, or calls at the same time."""
        return self.quick is None or self.quick.takes(*plans)

    def _report_left_out(self) -> None:
        """Report how much of the plan a quick one leaves out."""
        if self.quick and self.quick.unmade:
            unmade = self.quick.unmade
            self._cut(f"{self._of_planned(unmade)} were made {QUICK}", unmade, expected=True)

    def _report_given_up(self, unmade: Sequence[Stimulus]) -> None:
        self._cut(f"{self.why_given_up}, so {self._of_planned(len(unmade))} were made", len(unmade))

    def _of_planned(self, unmade: int) -> str:
        return f"{len(self.calls)} of {len(self.calls) + unmade} planned calls"

    def _count_lost(self, calls: Iterable[Call], *, is_known: bool = False) -> None:
        """Count calls that hung or crashed, made at once: they are lost together.

        Those that hung for a cause that is known end no probe: their like is not sent again, and other values are.
        """
        self.lost += not is_known
        self.deadline.hung += any(call.outcome is Outcome.TIMED_OUT for call in calls)

    def _cut(self, reason: str, unmade: int = 0, *, expected: bool = False) -> None:
        """Report that planned calls were not made, and how many, where that is known."""
        cut = Shortfall(self.probe, reason, cut=True, expected=expected, unmade=unmade)
        self.ledger.shortfalls.append(cut)


def seed_for(run: int, tool: str, probe: str) -> int:
    """The number that one probe of one tool draws with, from the run's seed."""
    digest = hashlib.sha256(f"{run}\0{tool}\0{probe}".encode("utf-8", "backslashreplace")).digest()
    return int.from_bytes(digest[:8], "big")


def key_of(plan: Stimulus) -> Key:
    """The key of a stimulus: all of its members."""
    context = repr(plan.context)
    return (plan.probe, plan.change, plan.arguments, context, plan.demand, plan.disturbance, plan.expected)
