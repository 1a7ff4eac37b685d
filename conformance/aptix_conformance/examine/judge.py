"""The last phase: from the ledger and the findings to verdicts, with waivers applied."""

import time
from collections.abc import Sequence

from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import VerdictReport
from aptix_conformance.core.model.verdict import Obstacle, VerdictKind
from aptix_conformance.core.schemas import fingerprint_of_text
from aptix_conformance.core.text import nearest
from aptix_conformance.examine.applicable import ApplicableRule, tool_name
from aptix_conformance.examine.case import Examination, Proved
from aptix_conformance.examine.causes import with_causes
from aptix_conformance.examine.obstacle_words import met
from aptix_conformance.examine.obstacles import obstacles_of
from aptix_conformance.examine.verdicts import (
    apply_waivers,
    verdict_of,
    with_harness_errors,
    without_waivers,
)
from aptix_conformance.rules import Rule
from aptix_conformance.rules.lib.scope import OWN_TABLE
from aptix_conformance.targets.per_tool import table_of
from aptix_conformance.targets.settings import Target, ToolSettings


def judge(proved: Proved) -> Examination:
    """The examination: a verdict for each rule of the edition, in the suite's order."""
    case, opened = proved.case, proved.case.opened
    harness, waivers = case.ledger.harness, opened.settings.waivers
    initial = harness.attempt(
        "giving verdicts", case.ledger.codes(), lambda: _all_verdicts(proved), lambda: _known_breaches(proved)
    )
    judged = with_harness_errors(initial, harness.reasons)
    judged = harness.attempt(
        "finding what follows from what",
        (),
        lambda: with_causes(judged, proved.settled.breaches, case.ledger),
        lambda: judged,
    )
    verdicts = harness.attempt(
        "applying the waivers",
        [waiver.rule for waiver in waivers],
        lambda: apply_waivers(judged, waivers, opened.options.today),
        lambda: without_waivers(judged, waivers, harness.reasons),
    )
    return Examination(
        tool=tool_name(case.declaration),
        target=opened.target,
        edition=opened.suite.edition.name,
        schema_fingerprint=harness.attempt(
            "making the schema's fingerprint",
            (),
            lambda: fingerprint_of_text(case.declaration.schema.text),
            lambda: None,
        ),
        verdicts=verdicts,
        exploration=case.ledger.exploration(),
        seconds=time.monotonic() - opened.started,
        containment=opened.host.containment,
        watch=opened.watch,
        harness=harness,
        quick=opened.options.quick,
    )


def _all_verdicts(proved: Proved) -> list[VerdictReport]:
    """The verdicts as the rules found them, their reasons in the words of this tool."""
    table = table_of(proved.case.opened.target.spec)
    return [
        replace(each, reason=each.reason.replace(OWN_TABLE, table))
        for each in with_open_masks(_verdicts(proved))
    ]


def _known_breaches(proved: Proved) -> list[VerdictReport]:
    """The verdicts where nothing is known but what breaks a rule."""
    ledger = proved.case.ledger
    return [
        verdict_of(each, ledger.counts.get(each.rule.code, 0), proved.proofs.get(each.rule.code))
        for each in ledger.applicable_rules
    ]


def with_open_masks(verdicts: Sequence[VerdictReport]) -> list[VerdictReport]:
    """The verdicts, of which those that only inconclusive rules mask say why these are so."""
    reasons = {each.rule: each.reason for each in verdicts if each.verdict is VerdictKind.INCONCLUSIVE}
    return [
        replace(
            each, reason=f"masked by {each.masked_by[0]}, which is inconclusive: {reasons[each.masked_by[0]]}"
        )
        if each.verdict is VerdictKind.INCONCLUSIVE
        and each.masked_by
        and reasons.keys() >= set(each.masked_by)
        else each
        for each in verdicts
    ]


def _verdicts(proved: Proved) -> list[VerdictReport]:
    ledger, obstacles = proved.case.ledger, obstacles_of(proved)
    return [
        verdict_of(
            if_asked(applicable, proved.case.opened.settings),
            ledger.counts.get(applicable.rule.code, 0),
            proved.proofs.get(applicable.rule.code),
            obstacles.get(applicable.rule.code, ()),
        )
        for applicable in ledger.applicable_rules
    ]


def if_asked(applicable: ApplicableRule, settings: ToolSettings) -> ApplicableRule:
    """A rule that does not bind a tool whose configuration would have to ask for it; other rules as they are."""
    rule = applicable.rule
    if applicable.exempt or rule.is_optional or not rule.not_applicable or rule.asked_for(settings):
        return applicable
    return replace(applicable, exempt=met(Obstacle.EXEMPT, rule.not_applicable))


def check_waivers(target: Target, settings: ToolSettings, rules: Sequence[Rule]) -> None:
    """Check that every waiver is for a rule that exists.

    Raises:
        ConfigurationError: a waiver names an unknown rule.
    """
    known = {rule.code for rule in rules}
    waive = settings.places.get("waivers")
    place = f"pyproject.toml: {waive}" if waive else f"{target.spec}: waivers"
    for index, waiver in enumerate(settings.waivers):
        if waiver.rule not in known:
            hint = nearest(waiver.rule, sorted(known))
            raise ConfigurationError(
                f"{place}[{index}].rule: {waiver.rule!r} names no rule of this suite{hint}"
            )


def unexamined(rules: Sequence[ApplicableRule], reason: str) -> tuple[VerdictReport, ...]:
    """Verdicts for a tool that was collected but not explored: inconclusive, or not applicable."""
    return tuple(
        VerdictReport(
            applicable.rule.code,
            applicable.rule.name,
            applicable.level,
            applicable.clauses,
            VerdictKind.NOT_APPLICABLE if applicable.exempt else VerdictKind.INCONCLUSIVE,
            observations=0,
            reason=applicable.exempt.words if applicable.exempt else reason,
            finding=None,
            obstacle=applicable.exempt.kind if applicable.exempt else Obstacle.NOT_EXAMINED,
        )
        for applicable in rules
    )
