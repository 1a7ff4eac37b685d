"""The fifth phase, from a breach to a counterexample: reproduced in a fresh process, and as small as can be found in time.

A breach that a fresh process shows has no history; a breach that needs earlier calls is kept with the fewest
that reproduce it. What was drawn is shrunk by Hypothesis over calls memoised by what was sent; calls
that hang or crash are not shrunk.
"""

from collections.abc import Callable, Mapping
from functools import partial

from aptix_conformance.examination.case import Explored, Proved, Source
from aptix_conformance.examination.ledger import Breach, Ledger
from aptix_conformance.examination.scan import draw, key_of
from aptix_conformance.examination.verdicts import Counterexample
from aptix_conformance.hosts.host import ToolHost
from aptix_conformance.model import INCIDENTS, Call, Stimulus
from aptix_conformance.rules.lib.kernel import Finding, Rule

SHRINK_CALLS = 300
SHRINK_SECONDS = 3.0
"""How many calls, and seconds inside of them, one rule's counterexample may take to be made smaller.

Time outside of the calls does not count, so that the counterexample does not depend on the machine's load.
"""


class _StillBroken(Exception):  # noqa: N818 - not an error: it marks an example for Hypothesis
    pass


def prove(explored: Explored) -> Proved:
    """A counterexample for each rule that the ledger holds a breach of.

    Raises:
        HostError: no process could be started or kept.
    """
    case = explored.case
    case.ledger.conclude()
    broken = [rule for rule in case.ledger.rules if rule.code in case.ledger.breaches]
    return Proved(case, {rule.code: _counterexample(rule, explored) for rule in broken})


def _counterexample(rule: Rule, explored: Explored) -> Counterexample:
    ledger, host = explored.case.ledger, explored.case.host
    breach = ledger.breaches[rule.code]
    call = breach.call
    if call is None or rule.over is not Call:
        return Counterexample(breach.finding.message, call)
    if call.outcome not in INCIDENTS:
        breach = _shrunk(rule, breach, host, explored.sources)
    return _reproduced(rule, breach, ledger, host)


def _shrunk(rule: Rule, breach: Breach, host: ToolHost, sources: Mapping[str, Source]) -> Breach:
    call = breach.call
    source = sources.get(call.plan.probe) if call else None
    if call is None or source is None or key_of(call.plan) not in source.scan.drawn:
        return breach
    best = breach
    calls, seconds = 0, 0.0
    made = dict(source.scan.made)

    def use(plan: Stimulus) -> None:
        nonlocal best, calls, seconds
        key = key_of(plan)
        seen = made.get(key)
        if seen is None:
            if calls >= SHRINK_CALLS or seconds >= SHRINK_SECONDS:
                return
            seen = made[key] = host.execute(plan)
            calls, seconds = calls + 1, seconds + seen.elapsed
        finding = judge(rule, seen)
        if finding is None or seen.outcome in INCIDENTS:
            return
        smaller = Breach(finding, seen)
        if smaller.cost < best.cost:
            best = smaller
        raise _StillBroken

    for drawing in source.scan.rounds:
        _until_found(partial(draw, source.strategy, use, drawing, shrink=True))
        if best is not breach:
            break
    return best


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


def _reproduced(rule: Rule, breach: Breach, ledger: Ledger, host: ToolHost) -> Counterexample:
    call = breach.call
    if call is None:
        return Counterexample(breach.finding.message)
    alone = _replayed(rule, call.plan, (), host)
    if alone:
        return alone
    if not any(known is call for known in ledger.calls):
        return Counterexample(breach.finding.message, call, reproduced=False)
    before = ledger.history_of(call)
    length = 1
    while before:
        history = before[-length:]
        found = _replayed(rule, call.plan, history, host)
        if found:
            return found
        if length >= len(before) or call.outcome in INCIDENTS:
            break
        length = min(length * 4, len(before))
    return Counterexample(breach.finding.message, call, reproduced=False)


def _replayed(
    rule: Rule, plan: Stimulus, history: tuple[Stimulus, ...], host: ToolHost
) -> Counterexample | None:
    host.reset()
    for earlier in history:
        host.execute(earlier)
    call = host.execute(plan)
    finding = judge(rule, call)
    return Counterexample(finding.message, call, history) if finding else None


def judge(rule: Rule, call: Call) -> Finding | None:
    """What a rule finds in one call; None where the rule is kept or does not apply to the call."""
    return rule.check(call) if rule.when(call) else None
