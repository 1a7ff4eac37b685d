"""The obstacles that keep each rule from a verdict: this module looks for all of them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from aptix_conformance.core.model import INCIDENTS, Call, Declaration, Kind, Shortfall
from aptix_conformance.core.model.verdict import Obstacle
from aptix_conformance.core.text import printable
from aptix_conformance.examine.case import Proved
from aptix_conformance.examine.ledger import Ledger
from aptix_conformance.examine.needed_probes import ALL_CALLS, BASE
from aptix_conformance.examine.obstacle_words import MetObstacle, met, unseen
from aptix_conformance.rules import Rule
from aptix_conformance.rules.lib.documents import has_readable_payload
from aptix_conformance.rules.lib.scope import OWN_TABLE
from aptix_conformance.targets.settings import ToolSettings

_FILES: Final = (
    ": where it finds what an earlier call left, name in `files` the directory, which may be empty, from which each call "
    f"starts, in {OWN_TABLE}"
)
"""The remedy for a tool whose calls succeed once, where its author has not named a directory yet."""


def obstacles_of(proved: Proved) -> dict[str, list[MetObstacle]]:
    """The obstacles of each rule that binds the tool, by its code."""
    ledger, subject, opened = proved.case.ledger, proved.case.subject, proved.case.opened
    has_network = opened.host.containment is None or opened.host.containment.opens_network
    unread = not ledger.calls and subject.schema is None and not subject.stopped
    of_tool = _ToolObstacles(
        proved,
        why_no_success(ledger.calls, has_files=bool(opened.settings.files), has_network=has_network),
        met(Obstacle.NO_SCHEMA, _why_no_call(ledger.shortfalls)) if unread else None,
        _unreadable(proved),
    )
    return {rule.code: list(of_tool.met_by(rule)) for rule in ledger.rules}


@dataclass(frozen=True, slots=True)
class _ToolObstacles:
    """The obstacles of the rules of one tool: `success` says why no call succeeded that shows more, `never` why none was made."""

    proved: Proved
    success: MetObstacle
    never: MetObstacle | None
    unreadable: tuple[str, ...]

    def met_by(self, rule: Rule) -> Iterator[MetObstacle]:
        """The obstacles of one rule."""
        case, settled = self.proved.case, self.proved.settled
        ledger, settings = case.ledger, case.opened.settings
        if first := settled.covered_by.get(rule.code):
            yield met(Obstacle.DEFERRED, rules=(first,))
        if why := ledger.out_of_time.get(rule.code):
            yield met(Obstacle.STOPPED, why)
        if masked := settled.masked.get(rule.code):
            yield met(Obstacle.MASKED, rules=masked)
        if ledger.unlisted and rule.over is Declaration:
            yield met(Obstacle.UNLISTED, ledger.unlisted)
        if cut := cut_of(rule, ledger, settings):
            yield met(Obstacle.CUT, cut)
        if unproven := ledger.unproven.get(rule.code):
            yield met(Obstacle.UNPROVEN, unproven)
        if untimed := ledger.untimed.get(rule.code):
            yield met(Obstacle.UNTIMED, untimed)
        if void := _void_of(rule, ledger):
            yield met(Obstacle.UNSOUND, void)
        yield from self._met_unseen(rule, gaps_of(rule, ledger, settings))

    def _met_unseen(self, rule: Rule, gaps: str) -> Iterator[MetObstacle]:
        """Why the rule has nothing to judge, if it has nothing; `gaps` are the calls that were left out."""
        case = self.proved.case
        if case.blocked:
            yield MetObstacle(Obstacle.NOT_REACHED, case.blocked, _blocking(self.proved))
        elif self.never and gaps and rule.over is not Declaration:
            yield self.never
        yield unseen(rule, self.success)
        if gaps:
            yield met(Obstacle.LEFT_OUT, gaps)
        unreadable = self.unreadable if rule.needs_success else ()
        if in_the_way := self.proved.settled.in_the_way.get(rule.code) or unreadable:
            yield met(Obstacle.IN_THE_WAY, rules=in_the_way)


def why_no_success(calls: Sequence[Call], *, has_files: bool, has_network: bool = True) -> MetObstacle:
    """Why no call succeeded that shows what a rule judges: an example does not help everywhere."""
    if _succeeds_once(calls):
        return met(Obstacle.NOT_TWICE, "" if has_files else _FILES)
    succeeded = _succeeded(calls)
    if succeeded:
        return met(Obstacle.NOT_SHOWN if any(map(has_readable_payload, succeeded)) else Obstacle.NOT_JSON)
    hosts = (host for call in calls for host in call.network if not host.startswith("/"))
    if not has_network and (host := next(hosts, "")):
        return met(Obstacle.NO_NETWORK, printable(host, 80))
    if request := next((request for call in calls for request in call.unrecorded), ""):
        return met(Obstacle.NO_RECORDING, request)
    has_example = any(call.plan.kind is Kind.EXAMPLE for call in calls)
    return met(Obstacle.EXAMPLE_REFUSED if has_example else Obstacle.REFUSED)


def gaps_of(rule: Rule, ledger: Ledger, settings: ToolSettings) -> str:
    """The calls that were left out and that a rule might have judged, and why; empty where there are none.

    A rule that names no probes looks for something in any call: it has judged a part of a probe that made calls.
    `masks.py` handles calls that were planned and not made because others hung.
    """
    if not rule.asked_for(settings):
        return ""
    probes = {call.plan.probe for call in ledger.calls if call.outcome not in INCIDENTS}
    left_out = [
        shortfall
        for shortfall in ledger.shortfalls
        if not shortfall.reduced_coverage and (not shortfall.rules or rule.code in shortfall.rules)
    ]
    if rule.probes is None:
        return _listed(each for each in left_out if each.probe not in probes)
    return _listed(each for each in left_out if _is_of(each, rule))


def cut_of(rule: Rule, ledger: Ledger, settings: ToolSettings) -> str:
    """The calls that were planned, that a rule would have judged, and that were not made, and why; empty where all were made.

    A rule that names no probes judges calls of any.
    """
    if rule.over is Declaration or not rule.asked_for(settings):
        return ""
    return _listed(
        each for each in ledger.shortfalls if each.cut and (rule.probes is None or _is_of(each, rule))
    )


def unreadable_by(calls: Sequence[Call], masked_by: Mapping[int, Collection[str]]) -> tuple[str, ...]:
    """The rules that report why no successful call returned JSON; empty where one did, or where JSON is not asked for.

    Args:
        calls: all calls.
        masked_by: by the identity of a call, the rules that it breaks and that say that its result cannot be read.
    """
    succeeded = _succeeded(calls)
    if any(map(has_readable_payload, succeeded)):
        return ()
    return tuple(sorted({code for call in succeeded for code in masked_by.get(id(call), ())}))


def _why_no_call(shortfalls: Iterable[Shortfall]) -> str:
    """The fault of the schema, as the probe `valid` reports it."""
    reasons = (each.reason for each in shortfalls if each.probe == BASE and not each.reduced_coverage)
    return next(reasons, "its schema cannot be read")


def _void_of(rule: Rule, ledger: Ledger) -> str:
    """Why what a rule judged proves nothing, as a shortfall that names the rule says; empty where none does."""
    return _listed(
        each for each in ledger.shortfalls if rule.code in each.rules and not each.reduced_coverage
    )


def _is_of(shortfall: Shortfall, rule: Rule) -> bool:
    return shortfall.probe in {ALL_CALLS, BASE, *(rule.probes or ())}


def _listed(shortfalls: Iterable[Shortfall]) -> str:
    return "; ".join(f"{each.probe}: {each.reason}" for each in shortfalls)


def _succeeded(calls: Iterable[Call]) -> list[Call]:
    return [
        call for call in calls if call.plan.disturbance is None and call.succeeded and not call.unrecorded
    ]


def _succeeds_once(calls: Sequence[Call]) -> bool:
    """Whether calls that the schema allows succeeded, none of them a second time, and equal ones failed.

    Where the probe `confined` makes them, they find other files.
    """
    succeeded = [call.plan.arguments for call in calls if call.plan.probe == "valid" and call.succeeded]
    known = set(succeeded)
    failed = (
        call
        for call in calls
        if call.plan.disturbance is None and not call.succeeded and call.plan.files == "author"
    )
    return 0 < len(succeeded) == len(known) and any(call.plan.arguments in known for call in failed)


def _unreadable(proved: Proved) -> tuple[str, ...]:
    """The broken rules that report why no successful call returned JSON."""
    ledger = proved.case.ledger
    codes = unreadable_by(ledger.calls, ledger.masked_by)
    return tuple(code for code in codes if code in proved.settled.breaches)


def _blocking(proved: Proved) -> tuple[str, ...]:
    """The broken rules that report why the tool lets no call be made."""
    if not proved.case.blocked_by_tool:
        return ()
    broken = proved.settled.breaches
    stopping = (rule for rule in proved.case.ledger.rules if rule.masks_others and rule.over is Declaration)
    return tuple(rule.code for rule in stopping if rule.code in broken)
