"""The scan: one probe's calls, made and judged; Hypothesis draws them and is never the verdict engine.

Nothing raises inside the generated test, so every draw is made even when rules are broken. What is called is a plan:
it depends on the tool, the settings and the seed, never on time. After a few calls that hang or crash, and after the deadline,
the rest of a probe's calls is skipped. That is a cut: the rules that would have judged these calls are inconclusive.
"""

import hashlib
import math
import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import FlakyStrategyDefinition, Unsatisfiable
from hypothesis.strategies import SearchStrategy

from aptix_conformance.errors import ConformanceError, SetupError
from aptix_conformance.examination.ledger import Ledger
from aptix_conformance.examination.quick import QUICK, QuickPlan
from aptix_conformance.examination.spoilt import wants_fresh_process
from aptix_conformance.examination.step_limit import OutOfTime
from aptix_conformance.hosts.host import MIB, ToolHost
from aptix_conformance.model import INCIDENTS, Call, Outcome, Shortfall, Stimulus
from aptix_conformance.text import printable

ROUNDS = 4
"""Factor: a probe draws at most this many times the examples asked for, to find enough different ones."""

CASES = 10
"""Test cases of one drawing. From the eleventh on Hypothesis mutates earlier draws, which takes longer and
gives mostly known values; and each case has a fixed cost."""

_TRIVIAL = 2
"""The number of these cases that Hypothesis spends on the simplest values."""

_MOST = 25
"""Calls drawn in one case, at most: Hypothesis bounds the choices of a case."""

TRIES = 3
"""Calls of one probe that may hang or crash before its other calls are skipped."""

MOST_KEPT = 256 * MIB
"""Bytes that the results and log records of one tool may take in this process: they are kept until it is judged."""

MOST_LOST = 30.0
"""Seconds that the calls of one tool may hang, each counted as the time that a call may take."""


class _EnoughDrawn(BaseException):
    pass


Key = tuple[Hashable, ...]
"""The identity of a stimulus, for memoising calls."""


@dataclass(slots=True)
class Deadline:
    """When the exploration of a tool ends: `seconds` after it began, and after `MOST_LOST` seconds of calls that hang.

    `clock` does not count the time that the suite and the tool waited for a processor. `timeout` is how long one call may
    take, in seconds. `hung` is how many calls did not come back within it.
    """

    seconds: float
    clock: Callable[[], float] = time.monotonic
    timeout: float = 5.0
    started: float = field(init=False)
    hung: int = 0

    def __post_init__(self) -> None:
        self.started = self.clock()

    @property
    def spent(self) -> float:
        """Seconds since the exploration began."""
        return self.clock() - self.started

    @property
    def breach(self) -> str | None:
        """Why no further call may be made; None where calls may be made."""
        if self.hung * self.timeout >= MOST_LOST:
            return f"{self.hung} of its calls did not come back within {self.timeout:g} s"
        if self.spent >= self.seconds:
            return f"its calls took {self.seconds:g} s, and may take no longer (`--aptix-budget`)"
        return None


@dataclass(frozen=True, slots=True)
class Round:
    """One drawing: the same seed and size draw the same plans in the same order. `size` is that of a case."""

    seed: int
    size: int


@dataclass(slots=True)
class Scan:
    """One probe's run over one tool; `made` maps each plan to its call, so that none is made twice."""

    host: ToolHost
    ledger: Ledger
    deadline: Deadline
    probe: str
    seed: int
    examples: int
    made: dict[Key, Call] = field(default_factory=dict)
    drawn: set[Key] = field(default_factory=set)
    rounds: list[Round] = field(default_factory=list)
    spared: dict[tuple[str, ...], set[Key]] = field(default_factory=dict)
    """The calls that were not made because they are likely to hang, by the arguments that say so."""
    lost: int = 0
    in_sequence: bool = False
    """Whether the fixed calls of this probe are meant to see what the earlier ones left."""
    spoilt: bool = False
    """Whether the tool's refusals spoil later calls (`spoilt.py`)."""
    quick: QuickPlan | None = None
    """What is made of the plan; None for all of it."""
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
        if self.ledger.kept > MOST_KEPT:
            return f"its results and log records came to more than {MOST_KEPT // MIB} MiB"
        if self.lost >= self._tries:
            return "a call did not come back" if self.lost == 1 else f"{self.lost} calls did not come back"
        return self.deadline.breach

    def run_fixed(self, plans: Iterable[Stimulus]) -> None:
        """Make every planned call, unless the probe is given up."""
        waiting = iter(plans)
        for plan in waiting:
            if self.given_up:
                left = [plan, *waiting]
                self.ledger.unmade += left
                self._cut(f"{self.why_given_up}, so {self._of_planned(len(left))} were made", len(left))
                break
            if self._takes(plan) and not self._spares(plan):
                self.make(plan)
        self._tell_spared()
        self._tell_left()

    def run_together(self, groups: Iterable[tuple[Stimulus, ...]]) -> None:
        """Make the calls of each group at the same time, unless the probe is given up."""
        for plans in groups:
            if self.given_up:
                self.ledger.unmade += plans
                self._cut(f"{self.why_given_up}, so {len(plans)} calls at once were not made", len(plans))
                continue
            if not self._takes(*plans):
                self._cut(f"{len(plans)} calls at once were not made {QUICK}", len(plans), expected=True)
                continue
            self.host.restore_files()
            try:
                calls = self.host.execute_together(plans)
            except SetupError as error:
                calls = tuple(self.ledger.left_out(plan, error) for plan in plans)
            self.made |= {key_of(plan): call for plan, call in zip(plans, calls, strict=True)}
            self.ledger.observe_together(calls)
            if any(call.outcome in INCIDENTS for call in calls):
                self._count_lost(calls)

    def run_drawn(self, strategy: SearchStrategy[Stimulus]) -> int:
        """Draw as many different calls as were asked for, and make them; returns how many.

        A strategy of few values repeats many of them, so the missing calls are drawn from another seed, until a
        round brings nothing new.
        """
        before, asked = len(self.made), 0
        if self.quick:
            planned, self.examples = self.examples, min(self.examples, self.quick.examples)
            left = planned - self.examples
            self._cut(f"only {self.examples} calls are drawn {QUICK}", left, expected=True)
        if not self.examples:
            return 0
        if self.given_up:
            self._cut(f"{self.why_given_up}, so 0 of {self.examples} drawn calls were made", self.examples)
            return 0
        while asked < ROUNDS * self.examples:
            known = len(self.made)
            missing = before + self.examples - known
            size = min(_MOST, math.ceil(missing / (CASES - _TRIVIAL)))
            self._run_round(strategy, Round(self.seed + len(self.rounds), size), before + self.examples)
            asked += CASES * size
            if self.given_up or len(self.made) >= before + self.examples or len(self.made) == known:
                break
        self._tell_spared(planned=False)  # others were drawn in their place
        count = len(self.made) - before
        if self.given_up:
            left = self.examples - count
            self._cut(f"{self.why_given_up}, so {count} of {self.examples} drawn calls were made", left)
        return count

    def _run_round(self, strategy: SearchStrategy[Stimulus], drawing: Round, enough: int) -> None:
        """Draw once, until `enough` calls of this probe are made."""
        wrong: ConformanceError | None = None
        before = len(self.drawn)

        def one(plan: Stimulus) -> None:
            nonlocal wrong
            if len(self.made) >= enough or self.given_up:
                raise _EnoughDrawn
            try:
                self._make_drawn(plan)
            except ConformanceError as error:
                wrong = error
                raise _EnoughDrawn from None

        self.rounds.append(drawing)
        try:
            with self.ledger.limit.step(f"drawing {self.probe}"):
                draw(strategy, one, drawing)
        except (_EnoughDrawn, FlakyStrategyDefinition) as ended:
            # Hypothesis calls it flaky that drawing ends after choices after which it went on before.
            if isinstance(ended, FlakyStrategyDefinition) and len(self.made) < enough and not self.given_up:
                raise
            if wrong:
                raise wrong from None
        except OutOfTime as over:
            self._cut(f"drawing calls was stopped: {over}")
        except Unsatisfiable:
            if len(self.drawn) == before:
                reason = "no call could be drawn from the schema"
                self.ledger.shortfalls.append(Shortfall(self.probe, reason))

    def _make_drawn(self, plan: Stimulus) -> None:
        """Make a drawn call, unless it is likely to hang."""
        if self._spares(plan):
            return
        around = self.ledger.limit.enter("")  # the wait for the tool is limited elsewhere
        try:
            self.drawn.add(key_of(plan))
            self.make(plan)
        finally:
            self.ledger.limit.leave(around)

    def make(self, plan: Stimulus) -> Call:
        """Make one call, or return the memoised one; a new call is judged."""
        key = key_of(plan)
        known = self.made.get(key)
        if known is not None:
            return known
        if not self.in_sequence:
            self.host.restore_files()
            if self.ledger.calls and wants_fresh_process(self.ledger.calls[-1], spoilt=self.spoilt):
                self.host.reset()
        call = self.ledger.called(self.host, plan)
        self.made[key] = call
        self.ledger.observe(call)
        if call.outcome in INCIDENTS:
            self._count_lost([call])
            self.ledger.hanging.learn(call, self.ledger.seen)
        return call

    def _spares(self, plan: Stimulus) -> bool:
        """Whether a call is not made because it is likely to hang; it is counted then."""
        names = self.ledger.hanging.named(plan)
        if names and key_of(plan) not in self.made:
            self.spared.setdefault(tuple(names), set()).add(key_of(plan))
            self.ledger.unmade.append(plan)
        return bool(names)

    def _tell_spared(self, *, planned: bool = True) -> None:
        """Say how many calls were not made because they are likely to hang, and for which arguments; `planned` if each was to be.

        They count as calls that hung: EXC002 reports that, and masks the rules that could judge no other call of their kind.
        """
        for names, plans in self.spared.items():
            named = " and ".join(f"'{printable(name, 60)}'" for name in names)
            count = "a planned call was" if len(plans) == 1 else f"{len(plans)} planned calls were"
            reason = f"{count} not made: a call with as much in {named} did not come back"
            self.ledger.shortfalls.append(
                Shortfall(self.probe, reason, reduced_coverage=True, unmade=len(plans) * planned)
            )
        self.spared.clear()

    def _takes(self, *plans: Stimulus) -> bool:
        """Whether a call belongs to the plan, or calls at the same time."""
        return self.quick is None or self.quick.takes(*plans)

    def _tell_left(self) -> None:
        """Say how much of the plan a quick one leaves out."""
        if self.quick and self.quick.left:
            left = self.quick.left
            self._cut(f"{self._of_planned(left)} were made {QUICK}", left, expected=True)

    def _of_planned(self, left: int) -> str:
        return f"{len(self.made)} of {len(self.made) + left} planned calls"

    def _count_lost(self, calls: Iterable[Call]) -> None:
        """Count calls that hung or crashed, made at once: they are lost together."""
        self.lost += 1
        self.deadline.hung += any(call.outcome is Outcome.TIMED_OUT for call in calls)

    def _cut(self, reason: str, unmade: int = 0, *, expected: bool = False) -> None:
        """Say that planned calls were not made, and how many, where that is known."""
        cut = Shortfall(self.probe, reason, cut=True, expected=expected, unmade=unmade)
        self.ledger.shortfalls.append(cut)


def draw(
    strategy: SearchStrategy[Stimulus],
    use: Callable[[Stimulus], None],
    drawing: Round,
    *,
    shrink: bool = False,
) -> None:
    """Call `use` with plans drawn from a strategy; every setting is our own, whatever the user's profile."""
    phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)
    # Hypothesis makes a test that refers to itself; a reference from it to `use`, and so to megabytes of
    # calls, would keep them until the garbage collector runs.
    users = [use]

    @seed(drawing.seed)
    @settings(
        max_examples=CASES,
        phases=phases,
        database=None,
        deadline=None,
        derandomize=False,
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=Verbosity.quiet,
        stateful_step_count=1,
        backend="hypothesis",
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def run(data: st.DataObject) -> None:
        last = None
        for _ in range(drawing.size):
            plan = data.draw(strategy)
            if plan == last:
                return  # most likely the case in which everything is the simplest
            users[0](plan)
            last = plan

    try:
        run()
    finally:
        users.clear()


def seed_for(run: int, tool: str, probe: str) -> int:
    """The number that one probe of one tool draws with, from the run's seed."""
    digest = hashlib.sha256(f"{run}\0{tool}\0{probe}".encode("utf-8", "backslashreplace")).digest()
    return int.from_bytes(digest[:8], "big")


def key_of(plan: Stimulus) -> Key:
    """The key of a stimulus: all of its members."""
    context = repr(plan.context)
    return (plan.probe, plan.change, plan.arguments, context, plan.demand, plan.disturbance, plan.expected)
