"""Draws plans with Hypothesis, by settings of our own; the same seed and size draw the same plans in the same order."""

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from aptix_conformance.core.model import Stimulus

CASES = 10
"""Test cases of one drawing. From the eleventh on Hypothesis mutates earlier draws, which takes longer and
gives mostly known values; and each case has a fixed cost."""

TRIVIAL = 2
"""The number of these cases that Hypothesis spends on the simplest values."""


@dataclass(frozen=True, slots=True)
class Round:
    """One drawing: the same seed and size draw the same plans in the same order. `size` is that of a case."""

    seed: int
    size: int


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
