"""The scan: one probe's calls, made and judged; Hypothesis draws them and is never the verdict engine.

Nothing raises inside the generated test, so every draw is made even when rules are broken. The fixed
calls of a probe (its corpus, the author's examples) are made regardless of the budget; draws stop when it is used up.
After a few calls that hang or crash, the rest of a probe's calls is skipped and reported as a shortfall.
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
from aptix_conformance.examination.spoilt import wants_fresh_process
from aptix_conformance.examination.step_limit import OutOfTime
from aptix_conformance.hosts.host import MIB, ToolHost
from aptix_conformance.model import INCIDENTS, Call, Shortfall, Stimulus

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

SHARE = 0.5
"""The fraction of the remaining budget that one probe's draws may use: other probes follow."""

OVERRUN = 3.0
"""Factor: the fixed calls may take this many times the budget before a note is written."""

OVERTIME = 300.0
"""Seconds beyond the budget that a tool's fixed calls may take: slow calls need a limit too."""


class _EnoughDrawn(BaseException):
    pass


Key = tuple[Hashable, ...]
"""The identity of a stimulus, for memoising calls."""


@dataclass(slots=True)
class Budget:
    """How long a tool may be explored, in seconds since the exploration began.

    `clock` does not count the time that the suite and the tool waited for a processor. `lost` is the time, in seconds, of calls that hung or crashed.
    """

    seconds: float
    clock: Callable[[], float] = time.monotonic
    started: float = field(init=False)
    lost: float = 0.0

    def __post_init__(self) -> None:
        self.started = self.clock()

    @property
    def spent(self) -> float:
        """Seconds since the exploration began."""
        return self.clock() - self.started

    @property
    def overrun(self) -> str | None:
        """A note that the fixed calls took far too long, with advice; None where they did not."""
        if self.spent <= OVERRUN * self.seconds:
            return None
        return (
            f"the calls that are always made took more than {OVERRUN:g} times the budget of {self.seconds:g} s: bound "
            "what makes them slow with `arguments`, or give a quick call in `examples`, in the tool's table"
        )

    @property
    def breach(self) -> str | None:
        """Why no further call may be made; None where calls may be made."""
        if self.lost >= self.seconds / 2:
            return f"calls that did not come back took half of the budget of {self.seconds:g} s"
        if self.spent >= self.seconds + OVERTIME:
            return f"its calls took {OVERTIME:g} s more than the budget of {self.seconds:g} s"
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
    budget: Budget
    probe: str
    seed: int
    examples: int
    made: dict[Key, Call] = field(default_factory=dict)
    drawn: set[Key] = field(default_factory=set)
    rounds: list[Round] = field(default_factory=list)
    lost: int = 0
    in_sequence: bool = False
    """Whether the fixed calls of this probe are meant to see what the earlier ones left."""
    spoilt: bool = False
    """Whether the tool's refusals spoil later calls (`spoilt.py`)."""
    _tries: int = field(init=False)
    _until: float = math.inf
    """Seconds of the budget at which this probe's draws end."""

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
        return self.budget.breach

    def run_fixed(self, plans: Iterable[Stimulus]) -> None:
        """Make every planned call, unless the probe is given up."""
        waiting = iter(plans)
        for plan in waiting:
            if self.given_up:
                left = [plan, *waiting]
                self.ledger.unmade += left
                self._fall_short(f"{self.why_given_up}, so {len(left)} more were not made")
                return
            self.make(plan)

    def run_together(self, groups: Iterable[tuple[Stimulus, ...]]) -> None:
        """Make the calls of each group at the same time, unless the probe is given up."""
        for plans in groups:
            if self.given_up:
                self.ledger.unmade += plans
                self._fall_short(f"{self.why_given_up}, so {len(plans)} more were not made")
                continue
            self.host.restore_files()
            try:
                calls = self.host.execute_together(plans)
            except SetupError as error:
                calls = tuple(self.ledger.left_out(plan, error) for plan in plans)
            self.made |= {key_of(plan): call for plan, call in zip(plans, calls, strict=True)}
            self.ledger.observe_together(calls)
            if any(call.outcome in INCIDENTS for call in calls):
                self.lost += 1
                self.budget.lost += max(call.elapsed for call in calls)

    def run_drawn(self, strategy: SearchStrategy[Stimulus]) -> int:
        """Draw as many different calls as were asked for, and make them, while the budget lasts; returns how many.

        A strategy of few values repeats many of them, so the missing calls are drawn from another seed, until a
        round brings nothing new.
        """
        if self.given_up:
            return 0
        before, asked = len(self.made), 0
        spent = self.budget.spent
        self._until = spent + SHARE * (self.budget.seconds - spent)
        while asked < ROUNDS * self.examples:
            known = len(self.made)
            missing = before + self.examples - known
            size = min(_MOST, math.ceil(missing / (CASES - _TRIVIAL)))
            self._run_round(strategy, Round(self.seed + len(self.rounds), size), before + self.examples)
            asked += CASES * size
            if self._is_over() or len(self.made) >= before + self.examples or len(self.made) == known:
                break
        count = len(self.made) - before
        if self.given_up:
            self._fall_short(f"{self.why_given_up}, so drawing stopped after {count}", reduced_coverage=True)
        elif self._has_had_its_share:
            self._fall_short(
                f"its share of the budget of {self.budget.seconds:g} s allowed {count} of {self.examples} drawn calls",
                reduced_coverage=True,
            )
        return count

    def _run_round(self, strategy: SearchStrategy[Stimulus], drawing: Round, enough: int) -> None:
        """Draw once, until `enough` calls of this probe are made."""
        wrong: ConformanceError | None = None
        before = len(self.drawn)
        limit = self.ledger.limit

        def one(plan: Stimulus) -> None:
            nonlocal wrong
            if len(self.made) >= enough or self._is_over():
                raise _EnoughDrawn
            around = limit.enter("")  # the wait for the tool is limited elsewhere
            try:
                self.drawn.add(key_of(plan))
                self.make(plan)
            except ConformanceError as error:
                wrong = error
                raise _EnoughDrawn from None
            finally:
                limit.leave(around)

        self.rounds.append(drawing)
        try:
            with limit.step(f"drawing {self.probe}"):
                draw(strategy, one, drawing)
        except (_EnoughDrawn, FlakyStrategyDefinition) as ended:
            # Hypothesis calls it flaky that drawing ends after choices after which it went on before.
            if isinstance(ended, FlakyStrategyDefinition) and len(self.made) < enough and not self._is_over():
                raise
            if wrong:
                raise wrong from None
        except OutOfTime as over:
            self._fall_short(f"drawing calls was stopped: {over}", reduced_coverage=len(self.drawn) > before)
        except Unsatisfiable:
            if len(self.drawn) == before:
                self._fall_short("no call could be drawn from the schema")

    def _is_over(self) -> bool:
        return self.given_up or self._has_had_its_share

    @property
    def _has_had_its_share(self) -> bool:
        return self.budget.spent >= self._until

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
            self.lost += 1
            self.budget.lost += call.elapsed
        return call

    def _fall_short(self, reason: str, *, reduced_coverage: bool = False) -> None:
        self.ledger.shortfalls.append(Shortfall(self.probe, reason, reduced_coverage))


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
