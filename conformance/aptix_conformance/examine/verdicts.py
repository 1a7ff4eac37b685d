"""From what the rules found to verdicts, and from verdicts to a tool's status.

The theory, in one place. A rule that binds a tool ends in one of four ways: it was broken (`fail`), it was kept by every
observation that it judges (`pass`), it could not be judged (`inconclusive`), or the breach is waived by an owner until a
date (`waived`). A rule that does not bind the tool is `not_applicable`. Only `pass` is green.

A rule could not be judged where it was stopped because judging took too long; where the tool was not listed at a later
reading, so that what it declares then is unknown; where no observation of the kind was seen; where the calls that it judged turned out to prove nothing; where it is masked, which means that the breach of
another rule hides from it all that it could have judged of some kind; where a breach was seen in calls alone that asked a
service for what its recording does not have; where its verdict depends on how long a call waited for a processor; and where its breach rests on a measured time that was not reproduced. An exception or a leak that was recorded counts, even where it was seen once. A waiver covers what the
breach hides.

A tool is `conforming` when every MUST that binds it passed, `conforming-with-waivers` when each passed or is waived,
`nonconforming` when one failed, and `incomplete` otherwise: what was not examined never looks green, and a waived breach
never looks kept. What passed says nothing where the tool's work was not done (`blocked_network.py`), or where the suite
itself failed (`harness_errors.py`): such a tool is `incomplete` too.

A waiver that nothing needs fails too, so that no waiver outlives its cause. A waiver in a tool's own table is not needed
where that tool keeps the rule. A waiver in the table of a module or a package is not needed only where every tool under
it keeps the rule, which is known when all of them have been examined.
"""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import FindingReport, OtherCauseReport, VerdictReport
from aptix_conformance.core.model.verdict import UNNEEDED_WAIVER, Level, Obstacle, Status, VerdictKind
from aptix_conformance.examine.applicable import ApplicableRule
from aptix_conformance.examine.obstacle_words import UNSEEN, MetObstacle, met, unseen
from aptix_conformance.rules import Rule
from aptix_conformance.targets.settings import Waiver

_HIDING: Final = (
    *(Obstacle.STOPPED, Obstacle.MASKED, Obstacle.UNLISTED, Obstacle.CUT),
    *(Obstacle.UNPROVEN, Obstacle.UNTIMED, Obstacle.UNSOUND),
)
"""The obstacles that keep a rule from passing though it judged something; the last one only then."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The findings of one rule, each for another cause, the best first; `causes` counts those not shown too."""

    findings: tuple[FindingReport, ...]
    causes: int = 1
    others: tuple[OtherCauseReport, ...] = ()
    """The causes that are not shown, as many as a report keeps."""


def verdict_of(
    applicable: ApplicableRule, observations: int, proof: Proof | None, obstacles: Sequence[MetObstacle] = ()
) -> VerdictReport:
    """The verdict of one rule.

    Args:
        applicable: the rule, and whether it binds the tool.
        observations: how many observations it judged.
        proof: what proves that it is broken, if it is.
        obstacles: what it met; a later one is no reason where an earlier one of `Obstacle` is.
    """
    rule = applicable.rule
    verdict = VerdictReport(
        rule.code, rule.name, applicable.level, applicable.clauses, VerdictKind.PASS, observations, "", None
    )
    by_kind = {each.kind: each for each in obstacles}
    if not_for_it := applicable.exempt or by_kind.get(Obstacle.DEFERRED):
        return _without(verdict, VerdictKind.NOT_APPLICABLE, not_for_it)
    if proof:
        return _broken(verdict, proof)
    hiding = _HIDING if observations else _HIDING[:-1]
    if first := next((by_kind[kind] for kind in hiding if kind in by_kind), None):
        masked_by = by_kind[Obstacle.MASKED].rules if Obstacle.MASKED in by_kind else ()
        return replace(_without(verdict, VerdictKind.INCONCLUSIVE, first), masked_by=masked_by)
    return verdict if observations else _unseen(verdict, rule, by_kind)


def _without(verdict: VerdictReport, kind: VerdictKind, why: MetObstacle) -> VerdictReport:
    """A verdict that was not reached, or does not apply."""
    return replace(verdict, verdict=kind, reason=why.words, obstacle=why.kind)


def _unseen(verdict: VerdictReport, rule: Rule, by_kind: Mapping[Obstacle, MetObstacle]) -> VerdictReport:
    """The verdict of a rule that judged nothing."""
    if first := by_kind.get(Obstacle.NOT_REACHED) or by_kind.get(Obstacle.NO_SCHEMA):
        return replace(_without(verdict, VerdictKind.INCONCLUSIVE, first), masked_by=first.rules)
    why = next((by_kind[kind] for kind in UNSEEN if kind in by_kind), unseen(rule, met(Obstacle.REFUSED)))
    left_out, in_the_way = by_kind.get(Obstacle.LEFT_OUT), by_kind.get(Obstacle.IN_THE_WAY)
    if rule.is_optional and not left_out:
        return _without(verdict, VerdictKind.NOT_APPLICABLE, why)
    gaps = f" {left_out.words}" if left_out else ""
    fixed = f"; {in_the_way.words}" if in_the_way else ""
    kinds = {why.kind, *(each.kind for each in (left_out, in_the_way) if each)}
    strongest = min(kinds, key=list(Obstacle).index)
    return _without(verdict, VerdictKind.INCONCLUSIVE, MetObstacle(strongest, f"{why.words}{gaps}{fixed}"))


def _broken(verdict: VerdictReport, proof: Proof) -> VerdictReport:
    """The verdict where there are breaches: none of them may count."""
    best = proof.findings[0]
    detailed = replace(verdict.with_findings(proof.findings), causes=proof.causes, other_causes=proof.others)
    if best.counts:
        return replace(detailed, verdict=VerdictKind.FAIL, reason=best.message)
    seen = f"seen in 1 of {best.attempts} attempts" if best.attempts > 1 else "seen once, and not repeated"
    reason = f"{seen}: {best.message}"
    return _without(detailed, VerdictKind.INCONCLUSIVE, MetObstacle(Obstacle.NOT_REPRODUCED, reason))


def with_harness_errors(verdicts: Iterable[VerdictReport], by_rule: Mapping[str, str]) -> list[VerdictReport]:
    """The verdicts, of which those that an error of the suite concerns are inconclusive, unless they are a fail."""
    return [
        replace(
            each,
            verdict=VerdictKind.INCONCLUSIVE,
            reason=f"{each.reason}; {error}" if each.findings else error,
            masked_by=(),
            obstacle=Obstacle.SUITE_FAILED,
        )
        if (error := by_rule.get(each.rule)) and each.verdict is not VerdictKind.FAIL
        else each
        for each in verdicts
    ]


def without_waivers(
    verdicts: Iterable[VerdictReport], waivers: Iterable[Waiver], by_rule: Mapping[str, str]
) -> tuple[VerdictReport, ...]:
    """The verdicts where the suite failed to apply the waivers: whether a breach is waived is not known."""
    waived = {waiver.rule for waiver in waivers}
    unknown = (
        replace(each, verdict=VerdictKind.INCONCLUSIVE, obstacle=Obstacle.SUITE_FAILED)
        if each.rule in waived and each.verdict is VerdictKind.FAIL
        else each
        for each in verdicts
    )
    return tuple(with_harness_errors(unknown, by_rule))


def apply_waivers(
    verdicts: Sequence[VerdictReport], waivers: Iterable[Waiver], today: datetime.date
) -> tuple[VerdictReport, ...]:
    """Apply waivers to verdicts: an expired waiver fails, and so does one that is not needed.

    What only waived rules mask is waived with them.
    """
    by_rule = {waiver.rule: waiver for waiver in waivers}
    applied = [_waive(verdict, by_rule.get(verdict.rule), today) for verdict in verdicts]
    waived = {verdict.rule for verdict in applied if verdict.verdict is VerdictKind.WAIVED}
    return tuple(_waive_masked(verdict, waived) for verdict in applied)


def _waive_masked(verdict: VerdictReport, waived: set[str]) -> VerdictReport:
    if not verdict.masked_by or not waived.issuperset(verdict.masked_by):
        return verdict
    reason = f"masked by {' and '.join(verdict.masked_by)}, which is waived"
    return replace(verdict, verdict=VerdictKind.WAIVED, reason=reason, obstacle=None)


def _waive(verdict: VerdictReport, waiver: Waiver | None, today: datetime.date) -> VerdictReport:
    if waiver is None:
        return verdict
    text = f"waived by {waiver.owner} until {waiver.expires.isoformat()}: {waiver.reason}"
    if verdict.verdict is VerdictKind.FAIL:
        if waiver.expires < today:
            reason = (
                f"{verdict.reason} (the waiver of {waiver.owner} ran out on {waiver.expires.isoformat()})"
            )
            return replace(verdict, reason=reason)
        return replace(verdict, verdict=VerdictKind.WAIVED, reason=text)
    if verdict.verdict is VerdictKind.PASS:
        return verdict if waiver.table else _not_needed(verdict, waiver.not_needed)
    return verdict


def _not_needed(verdict: VerdictReport, message: str) -> VerdictReport:
    finding = FindingReport(message, None, (), reproduced=True, replay="", cause=UNNEEDED_WAIVER)
    return replace(verdict, verdict=VerdictKind.FAIL, reason=message, finding=finding, causes=1)


def split_waivers(
    judged: Iterable[tuple[Waiver, VerdictKind | None]],
) -> tuple[tuple[Waiver, ...], tuple[Waiver, ...]]:
    """The waivers of modules and packages that a tool under them needs or may need, and those that none needs.

    A waiver whose rule judged no tool is in neither.

    Args:
        judged: each such waiver with the verdict of its rule, once for every tool under it; None where that is not known.
    """
    by_waiver: dict[Waiver, set[VerdictKind | None]] = {}
    for waiver, kind in judged:
        by_waiver.setdefault(waiver, set()).add(kind)
    fine = {VerdictKind.PASS, VerdictKind.NOT_APPLICABLE}
    needed = tuple(waiver for waiver, kinds in by_waiver.items() if not kinds <= fine)
    unneeded = (waiver for waiver, kinds in by_waiver.items() if VerdictKind.PASS in kinds and kinds <= fine)
    return needed, tuple(unneeded)


def status_of(
    verdicts: Iterable[VerdictReport], *, deselected: frozenset[str] = frozenset(), says_nothing: bool = False
) -> Status:
    """A tool's status: deselected rules count as not examined. `says_nothing` is whether what passed says nothing.

    Everything that has to do with a status asks here; `Examination` knows all that it depends on.
    """
    selected = [verdict for verdict in verdicts if verdict.rule not in deselected]
    left_out = [verdict for verdict in verdicts if verdict.rule in deselected]
    if any(verdict.blocks for verdict in selected):
        return "nonconforming"
    examined = any(verdict.verdict is not VerdictKind.NOT_APPLICABLE for verdict in selected)
    missing = any(
        verdict.level is Level.MUST and verdict.verdict is not VerdictKind.NOT_APPLICABLE
        for verdict in left_out
    )
    if says_nothing or missing or not examined or any(verdict.is_open for verdict in selected):
        return "incomplete"
    return "conforming-with-waivers" if any(verdict.is_waived for verdict in selected) else "conforming"
