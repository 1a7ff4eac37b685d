"""The scan: one probe's calls, made and judged; Hypothesis draws them and is never the verdict engine.

Nothing raises inside the generated test, so that every draw is made whatever the rules say. What a probe
always does (its corpus, the author's examples) is made whatever the budget; draws stop when it is used up. A
tool that does not come back is given up on after a few tries, and what was then not done is said.
"""

import hashlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import SearchStrategy

from aptix_conformance.errors import HostError
from aptix_conformance.examination.ledger import Ledger
from aptix_conformance.hosts.interface import ToolHost
from aptix_conformance.observations import INCIDENTS, Call, CallPlan, Shortfall

ROUNDS = 4
"""How often a probe draws, at most, to come to as many different calls as it was asked for."""

TRIES = 3
"""Calls of one probe that do not come back before the rest of it is given up."""


@dataclass(slots=True)
class Budget:
    """How long a tool may be explored, in seconds since the exploration began."""

    seconds: float
    clock: Callable[[], float] = time.monotonic
    started: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.clock()

    @property
    def spent(self) -> float:
        """Seconds since the exploration began."""
        return self.clock() - self.started

    @property
    def is_spent(self) -> bool:
        """Whether nothing more may be drawn."""
        return self.spent >= self.seconds


@dataclass(frozen=True, slots=True)
class Round:
    """One drawing: the same seed and number of examples draw the same plans in the same order."""

    seed: int
    examples: int


@dataclass(slots=True)
class Scan:
    """One probe's run over one tool; `made` maps each plan to its call, so that none is made twice."""

    host: ToolHost
    ledger: Ledger
    budget: Budget
    probe: str
    seed: int
    examples: int
    made: dict[str, Call] = field(default_factory=dict)
    drawn: set[str] = field(default_factory=set)
    rounds: list[Round] = field(default_factory=list)
    lost: int = 0
    _tries: int = field(init=False)

    def __post_init__(self) -> None:
        calls = self.ledger.calls
        self._tries = TRIES if not calls or any(call.outcome not in INCIDENTS for call in calls) else 1

    @property
    def given_up(self) -> bool:
        """Whether too many calls of this probe did not come back: one is, where none of any probe ever did."""
        return self.lost >= self._tries

    def run_fixed(self, plans: Iterable[CallPlan]) -> None:
        """Make every planned call, unless the tool keeps not coming back."""
        waiting = iter(plans)
        for plan in waiting:
            if self.given_up:
                left = 1 + sum(1 for _ in waiting)
                self._fall_short(f"{self.lost} calls did not come back, so {left} more were not made")
                return
            self.make(plan)

    def run_drawn(self, strategy: SearchStrategy[CallPlan]) -> None:
        """Draw as many different calls as were asked for, and make them, while the budget lasts.

        A strategy of few values draws many of them twice, so what is missing is drawn again from another
        seed, until a round brings nothing new.
        """
        if self.given_up:
            return
        before = len(self.made)
        for number in range(ROUNDS):
            missing = self.examples - (len(self.made) - before)
            known = len(self.made)
            self._run_round(strategy, Round(self.seed + number, missing))
            if self._is_over() or len(self.made) - before >= self.examples or len(self.made) == known:
                break
        count = len(self.made) - before
        if self.given_up:
            self._fall_short(f"{self.lost} calls did not come back, so drawing stopped after {count}")
        elif self.budget.is_spent:
            self._fall_short(
                f"the budget of {self.budget.seconds:g} s allowed {count} of {self.examples} drawn calls",
                thinner=True,
            )

    def _run_round(self, strategy: SearchStrategy[CallPlan], drawing: Round) -> None:
        wrong: HostError | None = None

        def one(plan: CallPlan) -> None:
            nonlocal wrong
            if wrong or self._is_over():
                return
            try:
                self.drawn.add(key_of(plan))
                self.make(plan)
            except HostError as error:
                wrong = error

        self.rounds.append(drawing)
        try:
            draw(strategy, one, drawing)
        except Unsatisfiable:
            self._fall_short("no call could be drawn from the schema")
        if wrong:
            raise wrong

    def _is_over(self) -> bool:
        return self.given_up or self.budget.is_spent

    def make(self, plan: CallPlan) -> Call:
        """Make one call, judge it, and remember it."""
        key = key_of(plan)
        known = self.made.get(key)
        if known is not None:
            return known
        call = self.host.execute(plan)
        self.made[key] = call
        self.ledger.observe(call)
        if call.outcome in INCIDENTS:
            self.lost += 1
        return call

    def _fall_short(self, reason: str, *, thinner: bool = False) -> None:
        self.ledger.shortfalls.append(Shortfall(self.probe, reason, thinner))


def draw(
    strategy: SearchStrategy[CallPlan],
    use: Callable[[CallPlan], None],
    drawing: Round,
    *,
    shrink: bool = False,
) -> None:
    """Call `use` with plans drawn from a strategy; every setting is our own, whatever the user's profile."""
    phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)

    @seed(drawing.seed)
    @settings(
        max_examples=drawing.examples,
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
    @given(strategy)
    def run(plan: CallPlan) -> None:
        use(plan)

    run()


def seed_for(run: int, tool: str, probe: str) -> int:
    """The number that one probe of one tool draws with, from the run's seed."""
    digest = hashlib.sha256(f"{run}\0{tool}\0{probe}".encode("utf-8", "backslashreplace")).digest()
    return int.from_bytes(digest[:8], "big")


def key_of(plan: CallPlan) -> str:
    """What makes two plans the same call."""
    return repr((plan.label, plan.arguments, plan.context, plan.demand))
