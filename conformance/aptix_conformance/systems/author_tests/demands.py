"""Which findings the tool's own framework shows: the call comes back, in time, refused, accepted, or as JSON.

What any other rule demands is shown by the suite, which replays the finding (`replayed.py`).
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final

from aptix_conformance.core.errors import ReportError
from aptix_conformance.core.model import CancellationPoint, Disturbance, Kind, Outcome
from aptix_conformance.core.model.disturbance import WatchedArguments
from aptix_conformance.core.model.report import CallReport, FindingReport
from aptix_conformance.rules import Rule

_MOST_EARLIER: Final = 8
"""Earlier calls that a test may make by itself."""


class Demand(Enum):
    """The demand that a test makes on a call."""

    COMES_BACK = "it returns a result, and raises nothing"
    IS_REFUSED = "its result is a failure"
    SUCCEEDS = "its result is no failure"
    IS_JSON = "its payload is JSON"
    ENDS = "it ends in time and keeps its process"


RULES: Final[Mapping[Demand, frozenset[str]]] = {
    Demand.COMES_BACK: frozenset({"ARG002", "ARG005", "ARG013", "CTX001", "EXC001", "RES001"}),
    Demand.IS_REFUSED: frozenset({
        "ARG001", "ARG003", "ARG004", "ARG006", "ARG007", "ARG008", "ARG009", "ARG010", "MCP055", "MCP110", "USE022",
    }),
    Demand.SUCCEEDS: frozenset({"ARG011", "CTX006", "MCP051", "RES006"}),
    Demand.IS_JSON: frozenset({"RES003"}),
    Demand.ENDS: frozenset({"EXC002"}),
}  # fmt: skip


def demand_of(rule: Rule, finding: FindingReport) -> tuple[Demand, CallReport]:
    """The demand on the call of a finding, and the call.

    Raises:
        ReportError: only the suite shows it.
    """
    call = finding.call
    demand = next((each for each, codes in RULES.items() if rule.code in codes), None)
    plans = (call.plan, *finding.history) if call else ()
    if (
        call is None
        or demand is None
        or not _shows(call, demand)
        or call.plan.kind is Kind.TOGETHER
        or len(finding.history) > _MOST_EARLIER
        or any(_changes(plan.disturbance) for plan in plans)
    ):
        raise only_the_suite()
    return demand, call


def only_the_suite() -> ReportError:
    """The error for a finding that the tool's own framework does not show."""
    return ReportError("only the suite shows this finding")


def _shows(call: CallReport, demand: Demand) -> bool:
    """Whether the recorded call is against a demand by itself, and not compared with others."""
    successful = call.result.successful if call.result else None
    match demand:
        case Demand.COMES_BACK:
            return call.outcome is Outcome.RAISED or (
                call.result is not None and not call.result.is_invoke_result
            )
        case Demand.IS_REFUSED | Demand.IS_JSON:
            return successful is True
        case Demand.SUCCEEDS:
            return successful is not True
        case Demand.ENDS:
            return call.outcome in {Outcome.TIMED_OUT, Outcome.CRASHED, Outcome.RAISED}


def _changes(disturbance: Disturbance | None) -> bool:
    """Whether a disturbance changes the call, and does not only watch it."""
    is_watched = isinstance(disturbance, CancellationPoint) and disturbance.is_watched_only
    return not (disturbance is None or is_watched or isinstance(disturbance, WatchedArguments))
