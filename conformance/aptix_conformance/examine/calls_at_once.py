"""Calls at the same time, and the call that closes their group, which is made when all of them have come back."""

from collections.abc import Sequence

from aptix_conformance.core.model import INCIDENTS, Call, Outcome, Stimulus, kept_files
from aptix_conformance.hosts.host import ToolHost


def execute_group(
    host: ToolHost, plans: Sequence[Stimulus], timeout: float | None = None
) -> tuple[Call, ...]:
    """Make the calls of a group; `timeout`, in seconds, is for those at the same time.

    Raises:
        HostError: the host refused the request, or no process could be started.
        SetupError: what the tool needs is missing.
    """
    count = sum(not kept_files.is_closing(plan) for plan in plans)
    calls = host.execute_together(plans[:count], timeout)
    if any(call.outcome in INCIDENTS for call in calls):
        reason = "a call at the same time as others did not come back, so none was made after them"
        return (*calls, *(Call(plan, Outcome.RETURNED, 0.0, left_out=reason) for plan in plans[count:]))
    return (*calls, *map(host.execute, plans[count:]))
