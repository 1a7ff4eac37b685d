"""The third phase: read the declaration in a process that has served calls, and check that process a last time."""

from typing import Final

from aptix_conformance.core.errors import TargetError, UnlistedError
from aptix_conformance.core.model import Change, Declaration, Kind, SchemaReading
from aptix_conformance.core.model.codec import replace
from aptix_conformance.examine.case import Case, Explored
from aptix_conformance.stimuli.probes.planning import plan

_ONCE_MORE: Final = Change(Kind.AGAIN, of=(Change(Kind.GENERATED),))


def describe_again(explored: Explored) -> Explored:
    """Add the declaration after calls to the ledger; without effect where no call can be made.

    Raises:
        HostError: no process could be started.
    """
    case = explored.case
    if not case.blocked:
        _repeat_successful_call(case)
        try:
            case.ledger.observe(_described_after_calls(case))
        except UnlistedError as error:
            case.ledger.note_unlisted("after calls", str(error))
        case.ledger.check_host_integrity(case.host, last=True)
    return explored


def _repeat_successful_call(case: Case) -> None:
    """Repeat a call that succeeded, so that a new process too has served a call before the declaration is read.

    Its answer is not judged as a valid call: an action that is possible once may be impossible twice.
    """
    successful = next(
        (call.plan for call in case.ledger.calls if call.succeeded and call.plan.probe == "valid"), None
    )
    if successful is not None:
        once_more = plan(case.subject, "valid", _ONCE_MORE, successful.arguments)
        case.host.restore_files()
        case.ledger.observe(case.ledger.called(case.host, once_more))


def _described_after_calls(case: Case) -> Declaration:
    """The declaration, read again; where that fails, the first one with the error in place of its schema.

    A reading that does not work is tried once more, in a new process: it may have been slow, or the process may have been
    ended by what a call left behind, which the sentinels then show.

    Raises:
        UnlistedError: what offers the tool does not list it any more.
    """
    try:
        try:
            return case.host.describe()
        except UnlistedError:
            raise
        except TargetError:
            _repeat_successful_call(case)
            case.ledger.check_host_integrity(case.host)
            return case.host.describe()
    except UnlistedError:
        raise
    except TargetError as error:
        unreadable = SchemaReading("raised", error=str(error))
        return replace(case.declaration, when="after_calls", schema=unreadable, schema_again=unreadable)
