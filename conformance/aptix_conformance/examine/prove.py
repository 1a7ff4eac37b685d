"""The fifth phase, from a breach to a finding: as small as can be found in time, and reproduced in a fresh process.

Each broken rule is proved for up to `MOST_CAUSES` causes, those that are easiest to read first; after a quick plan for one. A quick plan
does not wait for a call that gets more time when it is repeated: whether that comes back is not known then.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping
from functools import partial

from aptix_conformance.core.model import Exploration
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import FindingReport, OtherCauseReport
from aptix_conformance.examine.case import Case, Explored, Proved
from aptix_conformance.examine.cause_keys import cause_key
from aptix_conformance.examine.findings import finding_of
from aptix_conformance.examine.ledger import Breach
from aptix_conformance.examine.masks import Settled, settle
from aptix_conformance.examine.remeasure import Remeasurement
from aptix_conformance.examine.reproduce import Reproduction, is_slow_variation
from aptix_conformance.examine.shrink import shrunk
from aptix_conformance.examine.untimed import untimed_rules
from aptix_conformance.examine.verdicts import Proof
from aptix_conformance.rules.lib.kernel import Rule
from aptix_conformance.stimuli.generate.grammars import is_endless

MOST_CAUSES = 5
"""Causes of one rule that are proved and reported; the others are counted."""
MOST_NAMED = 100
"""Causes of one rule beyond those that are named by their keys."""
MOST_TRIED = 3
"""Breaches of one cause that are tried, where they rest on a measured time."""


def prove(explored: Explored) -> Proved:
    """The findings of each rule that the ledger holds a breach of."""
    case, harness = explored.case, explored.case.ledger.harness
    whole = case.ledger.codes(lambda rule: rule.over is Exploration)
    harness.attempt("judging all calls together", whole, case.ledger.conclude, bool)
    harness.attempt(
        "judging calls that waited for a processor",
        case.ledger.codes(),
        lambda: case.ledger.untimed.update(_untimed(case)),
        bool,
    )
    settled = harness.attempt(
        "settling which rule reports what",
        case.ledger.codes(),
        lambda: settle(case.ledger),
        lambda: Settled(case.ledger.breaches, {}, {}, {}),
    )
    is_limited = case.opened.settings.timeout is not None
    reproduction = Reproduction(case.ledger, case.host, case.patience, is_limited)
    proofs = {
        rule.code: harness.attempt(
            f"proving what breaks {rule.code}",
            (rule.code,),
            partial(
                _proof,
                rule,
                settled.breaches[rule.code],
                explored,
                reproduction,
                is_one_enough=case.opened.options.quick,
            ),
            partial(_without_proof, settled.breaches[rule.code].values(), case),
        )
        for rule in case.ledger.rules
        if rule.code in settled.breaches
    }
    return Proved(case, proofs, settled)


def _untimed(case: Case) -> dict[str, str]:
    """By rule: the call on whose own time its verdict depends; a quick plan, which gives no verdict, makes none again."""
    if case.opened.options.quick:
        return untimed_rules(case.ledger)
    return untimed_rules(case.ledger, Remeasurement(case.ledger, case.host).tries)


def _proved(
    rule: Rule, breach: Breach, explored: Explored, reproduction: Reproduction, causes: int
) -> FindingReport:
    """The finding of one cause, from another breach of it where a measured time is not reproduced."""
    ledger, host = explored.case.ledger, explored.case.host
    if explored.case.opened.options.quick and (seconds := reproduction.patience_with(breach.call)):
        report = _unproved(breach, explored.case)
        waits = f"The quick plan does not wait {seconds:g} s for it, and --standard does."
        return replace(
            report, message=f"{report.message} {waits}", cause=cause_key(breach.finding, breach.call)
        )
    timed = ledger.timed.get((rule.code, breach.finding.cause), ())
    # First a call that gets no longer wait, so that it shows a tool that is slow.
    others = sorted((each for each in timed if each is not breach), key=_by_patience)
    facts = explored.case.declaration.facts
    reports = []
    for candidate in (breach, *others[: MOST_TRIED - 1]):
        smallest = ledger.harness.attempt(
            f"making what breaks {rule.code} smaller",
            (),
            partial(shrunk, rule, candidate, host, explored.sources, ledger, causes),
            partial(_as_it_is, candidate),
            asks_tool=True,
        )
        key = cause_key(candidate.finding, candidate.call)
        is_known = facts is not None and bool(facts.breaks_by_itself(rule.code, key))
        report = ledger.harness.attempt(
            f"reproducing what breaks {rule.code}",
            (rule.code,),
            partial(reproduction.reproduced, rule, smallest, candidate, is_known=is_known),
            partial(_unproved, candidate, explored.case),
            asks_tool=True,
        )
        reports.append(replace(report, cause=key))
        if report.counts:
            break
    return reports[-1] if reports[-1].counts else reports[0]


def _as_it_is(breach: Breach) -> Breach:
    return breach


def _unproved(breach: Breach, case: Case) -> FindingReport:
    """The finding of a breach that was observed once and not reproduced, because no second attempt was made."""
    return finding_of(breach, case.ledger, case.host.containment, reproduced=False, attempts=1)


def _without_proof(breaches: Collection[Breach], case: Case) -> Proof:
    return Proof((_unproved(min(breaches, key=lambda breach: breach.cost), case),), len(breaches))


def _proof(
    rule: Rule,
    breaches: Mapping[Hashable, Breach],
    explored: Explored,
    reproduction: Reproduction,
    *,
    is_one_enough: bool = False,
) -> Proof:
    ranked = _different_first(sorted(breaches.values(), key=lambda breach: breach.cost))
    chosen = sorted(ranked[:MOST_CAUSES], key=lambda breach: breach.cost)
    proved = []
    for breach in chosen:
        proved.append(_proved(rule, breach, explored, reproduction, len(chosen)))
        if is_one_enough and proved[-1].counts:
            break
    others = chosen[len(proved) :] + ranked[MOST_CAUSES:]
    # First what was reproduced, then what counts without it, then what does not count.
    proved.sort(key=lambda report: (not report.reproduced, not report.counts))
    reports = [OtherCauseReport(cause_key(each.finding, each.call), each.finding.timed) for each in others]
    return Proof(tuple(proved), len(breaches), tuple(sorted(reports, key=_by_cause)[:MOST_NAMED]))


def _different_first(breaches: Iterable[Breach]) -> list[Breach]:
    """One breach of each type of exception, then a second one of each, and so on: five times the same says little."""
    counts: Counter[str] = Counter()
    ranks = []
    for breach in breaches:
        raised = breach.call.raised if breach.call else None
        kind = raised.type_name if raised else ""
        ranks.append((counts[kind], breach))
        counts[kind] += 1
    return [breach for _, breach in sorted(ranks, key=lambda each: each[0])]


def _by_patience(breach: Breach) -> tuple[bool, tuple[bool, int, int, str]]:
    call = breach.call
    is_given_more = call is not None and (is_slow_variation(call) or is_endless(call.plan.change.detail))
    return is_given_more, breach.cost


def _by_cause(other: OtherCauseReport) -> tuple[str, bool]:
    return other.cause, other.timed
