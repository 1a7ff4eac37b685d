"""The third phase: read the declaration in a process that has served calls, and check that process a last time."""

from typing import Final

from aptix_conformance.errors import TargetError
from aptix_conformance.examination.case import Case, Explored
from aptix_conformance.model import Change, Declaration, Kind, SchemaReading
from aptix_conformance.model.codec import replace
from aptix_conformance.probes.planning import plan

_ONCE_MORE: Final = Change(Kind.AGAIN, of=(Change(Kind.GENERATED),))


def describe_again(explored: Explored) -> Explored:
    """The same, with the declaration as it is after calls; unchanged where no call can be made.

    Raises:
        HostError: no process could be started.
    """
    case = explored.case
    if not case.blocked:
        _repeat_successful_call(case)
        case.ledger.observe(_described_after_calls(case))
        case.ledger.check_host_integrity(case.host, last=True)
    return explored


def _repeat_successful_call(case: Case) -> None:
    """Make a call like one that succeeded: the process may be a new one, and what calls change is to be seen.

    Nothing is demanded of its answer: what could be done once need not be possible again.
    """
    worked = next(
        (call.plan for call in case.ledger.calls if call.succeeded and call.plan.probe == "valid"), None
    )
    if worked is not None:
        once_more = plan(case.subject, "valid", _ONCE_MORE, worked.arguments)
        case.ledger.observe(case.host.execute(once_more))


def _described_after_calls(case: Case) -> Declaration:
    """The declaration read once more; where it cannot be read any more, with the error for its schema."""
    try:
        return case.host.describe()
    except TargetError as error:
        gone = SchemaReading("raised", error=str(error))
        return replace(case.declaration, when="after_calls", schema=gone, schema_again=gone)
