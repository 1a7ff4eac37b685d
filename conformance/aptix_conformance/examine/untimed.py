"""The rules whose verdict depends on what a wait for a processor hides.

The own time of a call is between `elapsed` and `longest` (`hosts/own_time.py`). Rules judge the least of it, so that a busy machine
invents no breach. Here they judge the most too, where the two differ by more than `MARGIN`. A rule that finds more there, or that
judges something there alone, is inconclusive unless it is broken. A call whose limit is between the two may have hung.

Before that, the call is made again (`remeasure.py`): a rule that finds nothing in a try of which the own time is known passes that call.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from aptix_conformance.core.model import Call, Exploration, Outcome
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.text import printable
from aptix_conformance.examine.ledger import Ledger
from aptix_conformance.rules.lib.kernel import Observed, Rule

MARGIN: Final = 0.02
"""Seconds that a call may wait for a processor and still count as measured."""
SHORTEST: Final = 0.5
"""Seconds by the clock up to which a call counts as measured, unless its own limit is shorter: no rule has a shorter limit."""


Tries = Callable[[Call], Iterable[Call]]
"""Makes a call again, some times."""


def _no_tries(_: Call) -> Iterable[Call]:
    return ()


def untimed_rules(ledger: Ledger, tries: Tries = _no_tries) -> dict[str, str]:
    """By rule: the call on whose own time its verdict depends, as a clause, though `tries` made it again."""
    whole = ledger.exploration()
    unsure = [call for call in whole.calls if _is_unsure(call)]
    if not unsure:
        return {}
    slower = replace(
        whole, calls=tuple(_at_most(call)[0] if _is_unsure(call) else call for call in whole.calls)
    )
    return {
        rule.code: _words(call)
        for rule in ledger.rules
        for call in _deciding(ledger, rule, unsure, whole, slower, tries)
    }


def _is_unsure(call: Call) -> bool:
    point = call.plan.cancellation
    limits = (SHORTEST, point.within or SHORTEST, point.block or SHORTEST) if point else (SHORTEST,)
    return call.overdue or (call.waited > MARGIN and call.longest > min(limits))


def _deciding(
    ledger: Ledger,
    rule: Rule,
    unsure: Sequence[Call],
    whole: Exploration,
    slower: Exploration,
    tries: Tries,
) -> Iterator[Call]:
    """The first call on whose own time the verdict of a rule depends, if one does."""
    if rule.over is Exploration:
        if _finds_more(ledger, rule, whole, slower):
            yield max(unsure, key=lambda call: call.waited)
    elif rule.over is Call:
        deciding = (
            call
            for call in unsure
            if _depends_on(ledger, rule, call)
            and (rule.code in ledger.breaches or not _is_kept(ledger, rule, tries(call)))
        )
        yield from islice(deciding, 1)


def _depends_on(ledger: Ledger, rule: Rule, call: Call) -> bool:
    if call.overdue:
        hanging = replace(call, outcome=Outcome.TIMED_OUT, result=None, raised=None)
        if any(finding.timed for finding in ledger.findings(rule, hanging) or ()):
            return True
    is_unseen = not ledger.counts.get(rule.code)
    return any(_finds_more(ledger, rule, call, slower, is_unseen=is_unseen) for slower in _at_most(call))


def _is_kept(ledger: Ledger, rule: Rule, tries: Iterable[Call]) -> bool:
    """Whether a rule finds nothing in one of these calls, however long the call waited, and in none before it."""
    for call in tries:
        if ledger.findings(rule, call):
            return False
        if not (_is_unsure(call) and _depends_on(ledger, rule, call)):
            return True
    return False


def _finds_more(
    ledger: Ledger, rule: Rule, least: Observed, most: Observed, *, is_unseen: bool = True
) -> bool:
    """Whether a rule finds a further cause in the second observation, or has nothing to judge but that."""
    found = ledger.findings(rule, most)
    known = ledger.findings(rule, least)
    if found is None or known is None:
        return found is not None and (is_unseen or bool(found))
    return not {finding.cause for finding in found} <= {finding.cause for finding in known}


def _at_most(call: Call) -> list[Call]:
    """The call, as if it had waited for nobody but itself; in several ways where its parts may have taken the time."""
    disturbed, result = call.disturbed, call.result
    if disturbed is not None:
        # A host measures it by the clock of its thread, without waits. Only one as long as the least of the whole call was cut to it.
        after = disturbed.after if disturbed.after < call.elapsed else call.longest
        disturbed = replace(disturbed, after=after, blocked=call.longest_block)
    slower = replace(call, elapsed=call.longest, waited=0.0, disturbed=disturbed)
    if result is None or result.facts is None:
        return [slower]
    return [replace(slower, result=replace(result, facts=f)) for f in result.facts.if_slower(call.waited)]


def _words(call: Call) -> str:
    label = printable(call.plan.label, 80)
    return f"the call {label} took between {call.elapsed:.2f} and {call.longest:.2f} s"
