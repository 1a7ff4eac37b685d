"""The last phase: from the ledger and the counterexamples to verdicts, with waivers applied."""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from aptix_conformance.errors import ConfigurationError
from aptix_conformance.examination.applicable import ApplicableRule, tool_name
from aptix_conformance.examination.case import Examination, Proved
from aptix_conformance.examination.causes import with_causes
from aptix_conformance.examination.ledger import Ledger
from aptix_conformance.examination.needed import ALL_CALLS, BASE
from aptix_conformance.examination.verdicts import (
    Obstacles,
    Verdict,
    apply_waivers,
    verdict_of,
    with_harness_errors,
    without_waivers,
)
from aptix_conformance.model import INCIDENTS, Call, Declaration, Kind, Shortfall, confinement
from aptix_conformance.model.verdict import VerdictKind
from aptix_conformance.rules import Rule
from aptix_conformance.rules.lib.documents import has_readable_payload
from aptix_conformance.rules.lib.scope import (
    FILES,
    NEVER_CALLED,
    NO_NETWORK_GIVEN,
    NO_SUCCESS,
    NOT_AGAIN,
    NOT_JSON,
    OTHERS_SUCCEEDED,
    OWN_TABLE,
    REFUSED_EXAMPLE,
)
from aptix_conformance.schemas import fingerprint_of_text
from aptix_conformance.targets.per_tool import table_of, written_key
from aptix_conformance.targets.settings import Target, ToolSettings
from aptix_conformance.text import nearest, printable


def judge(proved: Proved) -> Examination:
    """The examination: a verdict for each rule of the edition, in the suite's order."""
    case, opened = proved.case, proved.case.opened
    harness, waivers = case.ledger.harness, opened.settings.waivers
    found = harness.attempt(
        "giving verdicts", case.ledger.codes(), lambda: _found(proved), lambda: _known_breaches(proved)
    )
    judged = with_harness_errors(found, harness.reasons)
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


def _found(proved: Proved) -> list[Verdict]:
    """The verdicts as the rules found them, their reasons in the words of this tool."""
    case, opened = proved.case, proved.case.opened
    found = with_open_masks(_verdicts(proved))
    has_network = opened.host.containment is None or opened.host.containment.opens_network
    said = why_unseen(case.ledger.calls, has_files=bool(opened.settings.files), has_network=has_network)
    table = table_of(opened.target.spec)
    return [
        replace(each, reason=each.reason.replace(NO_SUCCESS, said).replace(OWN_TABLE, table))
        for each in found
    ]


def _known_breaches(proved: Proved) -> list[Verdict]:
    """The verdicts where nothing is known but what breaks a rule."""
    ledger = proved.case.ledger
    return [
        verdict_of(each, ledger.counts.get(each.rule.code, 0), proved.proofs.get(each.rule.code))
        for each in ledger.applicable_rules
    ]


def why_unseen(calls: Sequence[Call], *, has_files: bool, has_network: bool = True) -> str:
    """What is said in place of `NO_SUCCESS`, which is wrong where calls succeeded, and does not help without a network."""
    if succeeds_once(calls):
        return NOT_AGAIN if has_files else f"{NOT_AGAIN}: {FILES}"
    succeeded = [call for call in calls if call.plan.disturbance is None and call.succeeded]
    if succeeded:
        return OTHERS_SUCCEEDED if any(map(has_readable_payload, succeeded)) else NOT_JSON
    hosts = (host for call in calls for host in call.network if not host.startswith("/"))
    if not has_network and (host := next(hosts, "")):
        return NO_NETWORK_GIVEN.format(printable(host, 80))
    return REFUSED_EXAMPLE if any(call.plan.kind is Kind.EXAMPLE for call in calls) else NO_SUCCESS


def why_never_called(shortfalls: Sequence[Shortfall], spec: str) -> str:
    """What is said of rules on calls where none was made for want of a schema: what helps, with the table to write it in.

    Args:
        shortfalls: what the probes left out; that of `valid` says what is wrong with the schema.
        spec: the canonical spec of the tool.
    """
    reasons = (each.reason for each in shortfalls if each.probe == BASE and not each.reduced_coverage)
    return NEVER_CALLED.format(next(reasons, "its schema cannot be read"), written_key(spec))


def unreadable_by(calls: Sequence[Call], taken: Mapping[int, Collection[str]]) -> tuple[str, ...]:
    """The rules that report why no successful call returned JSON; empty where one did, or where JSON is not asked for.

    Args:
        calls: all calls.
        taken: by the identity of a call, the rules that it breaks and that say that its result cannot be read.
    """
    succeeded = [call for call in calls if call.plan.disturbance is None and call.succeeded]
    if any(map(has_readable_payload, succeeded)):
        return ()
    return tuple(sorted({code for call in succeeded for code in taken.get(id(call), ())}))


def with_open_masks(verdicts: Sequence[Verdict]) -> list[Verdict]:
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


def succeeds_once(calls: Sequence[Call]) -> bool:
    """Whether calls that the schema allows succeeded, none of them a second time, and equal ones failed.

    Where the probe `confined` makes them, they find other files.
    """
    succeeded = [call.plan.arguments for call in calls if call.plan.probe == "valid" and call.succeeded]
    known = set(succeeded)
    failed = (
        call
        for call in calls
        if call.plan.disturbance is None and not call.succeeded and call.plan.probe != confinement.KIND
    )
    return 0 < len(succeeded) == len(known) and any(call.plan.arguments in known for call in failed)


def _verdicts(proved: Proved) -> list[Verdict]:
    ledger = proved.case.ledger
    blocked_by = _blocking(proved) if proved.case.blocked_by_tool else ()
    unreadable = tuple(
        code for code in unreadable_by(ledger.calls, ledger.taken) if code in proved.settled.breaches
    )
    subject = proved.case.subject
    never_called = (
        why_never_called(ledger.shortfalls, proved.case.opened.target.spec)
        if not ledger.calls and subject.schema is None and not subject.stopped
        else ""
    )
    gaps = {
        each.rule.code: gaps_of(each.rule, ledger, proved.case.opened.settings)
        for each in ledger.applicable_rules
    }
    return [
        verdict_of(
            if_asked(applicable, proved.case.opened.settings),
            ledger.counts.get(applicable.rule.code, 0),
            proved.proofs.get(applicable.rule.code),
            Obstacles(
                blocked=proved.case.blocked
                or (
                    never_called
                    if gaps[applicable.rule.code] and applicable.rule.over is not Declaration
                    else ""
                ),
                blocked_by=blocked_by,
                gaps=gaps[applicable.rule.code],
                cut=cut_of(applicable.rule, ledger, proved.case.opened.settings),
                void=void_of(applicable.rule, ledger),
                masked=proved.settled.masked.get(applicable.rule.code, ()),
                moot=proved.settled.moot.get(applicable.rule.code, ""),
                in_the_way=proved.settled.in_the_way.get(applicable.rule.code)
                or (unreadable if NO_SUCCESS in applicable.rule.unseen_reason else ()),
                out_of_time=ledger.out_of_time.get(applicable.rule.code, ""),
                unlisted=ledger.unlisted if applicable.rule.over is Declaration else "",
            ),
        )
        for applicable in ledger.applicable_rules
    ]


def if_asked(applicable: ApplicableRule, settings: ToolSettings) -> ApplicableRule:
    """A rule that does not bind a tool whose configuration would have to ask for it (`Rule.unasked`); other rules as they are."""
    if applicable.exempt or not applicable.rule.unasked or applicable.rule.asked_for(settings):
        return applicable
    return replace(applicable, exempt=applicable.rule.unasked)


def gaps_of(rule: Rule, ledger: Ledger, settings: ToolSettings) -> str:
    """The calls that were left out and that a rule might have judged, and why; empty where there are none.

    A rule that names no probes looks for something in any call: it has seen a part of a probe that made calls. What it
    judges of calls that were planned and not made, because others hung, `masks.py` finds.
    """
    if not rule.asked_for(settings):
        return ""
    made = {call.plan.probe for call in ledger.calls if call.outcome not in INCIDENTS}
    left_out = [
        shortfall
        for shortfall in ledger.shortfalls
        if not shortfall.reduced_coverage and (not shortfall.rules or rule.code in shortfall.rules)
    ]
    if rule.probes is None:
        open_ = [each for each in left_out if each.probe not in made]
    else:
        wanted = {ALL_CALLS, BASE, *rule.probes}
        open_ = [each for each in left_out if each.probe in wanted]
    return "; ".join(f"{shortfall.probe}: {shortfall.reason}" for shortfall in open_)


def cut_of(rule: Rule, ledger: Ledger, settings: ToolSettings) -> str:
    """The calls that were planned, that a rule would have judged, and that were not made, and why; empty where all were made.

    A rule that names no probes judges calls of any.
    """
    if rule.over is Declaration or not rule.asked_for(settings):
        return ""
    wanted = None if rule.probes is None else {ALL_CALLS, BASE, *rule.probes}
    return "; ".join(
        f"{shortfall.probe}: {shortfall.reason}"
        for shortfall in ledger.shortfalls
        if shortfall.is_cut and (wanted is None or shortfall.probe in wanted)
    )


def void_of(rule: Rule, ledger: Ledger) -> str:
    """Why what a rule judged proves nothing, as a shortfall that names the rule says; empty where none does."""
    return "; ".join(
        f"{shortfall.probe}: {shortfall.reason}"
        for shortfall in ledger.shortfalls
        if rule.code in shortfall.rules and not shortfall.reduced_coverage
    )


def _blocking(proved: Proved) -> tuple[str, ...]:
    """The broken rules that report why no call could be made."""
    broken = proved.settled.breaches
    return tuple(rule.code for rule in proved.case.ledger.rules if rule.stops_calls and rule.code in broken)


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


def unexamined(rules: Sequence[ApplicableRule], reason: str) -> tuple[Verdict, ...]:
    """Verdicts for a tool that was collected but not explored: inconclusive, or not applicable."""
    return tuple(
        Verdict(
            applicable.rule.code,
            applicable.rule.name,
            applicable.level,
            applicable.clauses,
            VerdictKind.NOT_APPLICABLE if applicable.exempt else VerdictKind.INCONCLUSIVE,
            reason=applicable.exempt or reason,
        )
        for applicable in rules
    )
