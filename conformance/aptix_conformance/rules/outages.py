"""EXC: what a tool does when a service that it calls over the network fails.

The probe `outage` makes each recorded service fail for a whole call. EXC002 judges whether the call comes back, EXC003 to EXC006 what its
failure shows.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from aptix_conformance.core.model import Call, Exploration, Outage
from aptix_conformance.core.text import quoted
from aptix_conformance.rules.lib.documents import payload_of
from aptix_conformance.rules.lib.identifiers import without_identifiers
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.rules.lib.scope import (
    PROPER,
    answered,
    any_call,
    by_disturbance,
    came_back,
    fault_of,
    faults,
    passed_lines,
    raised_at,
    threw,
    thrown,
)
from aptix_conformance.stimuli.probes.outage import NAME

_NO_SERVICE: Final = NotApplicable(
    "its configuration names no `recording` of services; if it calls some, `aptix-conformance record` makes one",
    asked_for=lambda settings: bool(settings.recording),
)
_HOW: Final = "how the service failed"
_STATUS: Final = re.compile(r"\b(?:429|500)\b")
_HAS_STATUS: Final = ("500", "429")
_SHOWS_NOTHING: Final = ("not-json", "encoding")
"""Failures with which a tool may succeed: it need not read what the service answers."""


def failure_of(call: Call) -> str:
    """How the services failed during the call; empty where none did."""
    reached = call.disturbed is not None and call.disturbed.reached
    return call.plan.disturbance.name if reached and isinstance(call.plan.disturbance, Outage) else ""


def _came_back(call: Call) -> bool:
    return bool(failure_of(call)) and came_back(call)


def _is_without_service(call: Call) -> bool:
    return bool(failure_of(call)) and failure_of(call) not in _SHOWS_NOTHING and answered(call)


@rule(
    "EXC017",
    "AGN-005.4.2",
    "TUL-011.3.5",
    "AGN-005.9.5",
    "AMP.3.4",
    "ART.1.2",
    when=any_call(_came_back),
    kind=by_disturbance,
    unseen_reason=_NO_SERVICE,
    probes=(NAME, "fault", *PROPER),
    differs_by=_HOW,
    remedy="Catch what the client of the service raises, and what reading its answer raises; log it, and return a failed result "
    "with a message.",
)
def failing_service_never_raises(exploration: Exploration) -> Iterator[Finding]:
    """When a service that the tool calls fails, no exception leaves `execute`.

    The service answers 500 or 429, resets the connection, ends within its answer, answers something else than JSON or
    bytes that are no UTF-8, or has a wrong certificate. EXC001 reports an exception that calls raise whether or not something fails, and
    EXC010 one of a line that raises too when what it calls is made to fail.
    """
    reported = faults(exploration.calls)
    struck = (call for call in exploration.calls if call.plan.fault is not None and threw(call))
    unguarded = frozenset[str]().union(*map(passed_lines, struck))
    for call in exploration.calls:
        if _came_back(call) and threw(call):
            defers_to = "EXC010" if raised_at(call)[1] in unguarded else ""
            defers_to = "EXC001" if fault_of(call) in reported else defers_to
            yield Finding(f"The tool raised {thrown(call)}.", call, defers_to, failure_of(call))


@rule(
    "EXC018",
    "AGN-005.4.2",
    "TUL-011.3.5",
    "AMP.3.4",
    "MCP.E.6",
    when=any_call(_is_without_service),
    kind=by_disturbance,
    unseen_reason=_NO_SERVICE,
    probes=(NAME,),
    differs_by=_HOW,
    remedy="Look at the status of each answer, and return a failed result when a service fails.",
    source="advice",
)
def failing_service_gives_a_failed_result(exploration: Exploration) -> Iterator[Finding]:
    """A call that a service does not answer is no success.

    Otherwise the model takes the words of the failure, or a result without content, for what it asked for. A tool that returns what it
    returns while the service works needs no answer, and one that passes on the status of the answer says what happened. Where equal
    arguments get different results while the service works, the results do not show whether the tool needs it.
    """
    usual: defaultdict[str | None, set[str]] = defaultdict(set)
    for call in exploration.calls:
        if call.succeeded and call.plan.disturbance is None:
            usual[call.plan.arguments].add(_without_context(call))
    for call in exploration.calls:
        if not (_is_without_service(call) and call.succeeded):
            continue
        known, shown = usual[call.plan.arguments], _payload(call)
        says_status = failure_of(call) in _HAS_STATUS and _STATUS.search(shown)
        if len(known) == 1 and _without_context(call) not in known and not says_status:
            message = f"The tool succeeded all the same, and returned {quoted(shown, 120)}."
            yield Finding(message, call, cause=failure_of(call))


def _without_context(call: Call) -> str:
    """What a call returned, without the identifiers of its context and in one spelling."""
    if payload_of(call).fault is not None:
        return _payload(call)
    return json.dumps(without_identifiers(call), sort_keys=True)


def _payload(call: Call) -> str:
    return (call.result.payload or "") if call.result else ""
