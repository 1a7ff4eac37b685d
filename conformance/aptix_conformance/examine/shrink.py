"""A smaller call that shows the same breach: Hypothesis shrinks what it drew, over calls memoised by what was sent.

Calls that hang or crash are not shrunk, and neither is what a probe always sends: that is small already.
"""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from aptix_conformance.core.model import INCIDENTS, Call, Stimulus
from aptix_conformance.examine.case import Source
from aptix_conformance.examine.drawing import draw
from aptix_conformance.examine.ledger import Breach, Ledger
from aptix_conformance.examine.scan import key_of
from aptix_conformance.examine.step_limit import OutOfTime
from aptix_conformance.hosts.host import ToolHost
from aptix_conformance.rules.lib.kernel import Finding, Rule

SHRINK_CALLS = 300
SHRINK_SECONDS = 3.0
"""How many calls, and seconds inside of them, the counterexamples of one rule may take to be made smaller.

Time outside of the calls does not count, so that the counterexample does not depend on the machine's load.
"""


class _StillBroken(Exception):  # noqa: N818 - not an error: it marks an example for Hypothesis
    pass


def shrunk(
    rule: Rule, breach: Breach, host: ToolHost, sources: Mapping[str, Source], ledger: Ledger, causes: int = 1
) -> Breach:
    """The smallest breach of the same cause that was found; the same breach where none smaller was.

    `causes` is the number of counterexamples that share the limits.
    """
    call = breach.call
    source = sources.get(call.plan.probe) if call else None
    if rule.over is not Call or call is None or source is None or call.outcome in INCIDENTS:
        return breach
    if key_of(call.plan) not in source.scan.drawn:
        return breach
    best = breach
    calls, seconds = 0, 0.0
    known_calls = dict(source.scan.calls)

    def use(plan: Stimulus) -> None:
        nonlocal best, calls, seconds
        key = key_of(plan)
        trial = known_calls.get(key)
        if trial is None:
            if calls >= SHRINK_CALLS / causes or seconds >= SHRINK_SECONDS / causes:
                return
            outer_step = ledger.limit.enter("")  # the wait for the tool is limited elsewhere
            try:
                host.restore_files()
                trial = known_calls[key] = ledger.called(host, plan)
            finally:
                ledger.limit.leave(outer_step)
            calls, seconds = calls + 1, seconds + trial.elapsed
        finding = (
            None
            if trial.left_out or trial.unrecorded
            else _same(ledger.findings(rule, trial), breach.finding)
        )
        if finding is None or trial.outcome in INCIDENTS:
            return
        smaller = Breach(finding, trial)
        if smaller.cost < best.cost:
            best = smaller
        raise _StillBroken

    with contextlib.suppress(OutOfTime), ledger.limit.step(f"shrinking {call.plan.probe}"):
        for drawing in source.scan.rounds:
            _until_found(partial(draw, source.strategy, use, drawing, shrink=True))
            if best is not breach:
                break
    return best


def _same(findings: Iterable[Finding] | None, known: Finding) -> Finding | None:
    """The first of some findings with the cause of a known one; None where there is none."""
    return next((finding for finding in findings or () if finding.cause == known.cause), None)


def _until_found(search: Callable[[], None]) -> None:
    try:
        search()
    except _StillBroken:
        return
    except BaseExceptionGroup as group:
        # Hypothesis raises a group for flaky examples: a stateful tool answered the same call in two ways. The
        # smallest breach that was seen is kept; any other exception in the group is a fault of the suite.
        rest = group.split(_StillBroken)[1]
        if rest is not None:
            raise rest from None
