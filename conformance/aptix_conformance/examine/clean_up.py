"""The fifth phase: use the tool in a fresh process, and let it clean up as at the end of a session."""

import json
from typing import Final

from aptix_conformance.core.errors import HostError, TargetError
from aptix_conformance.core.model import Kind, Shortfall, Stimulus
from aptix_conformance.core.model.codec import replace
from aptix_conformance.examine.case import Case, Explored

CLEANUP: Final = "cleanup"
"""The capability of a host, and the condition of the reading."""
_MOST_CALLS: Final = 6


def clean_up(explored: Explored) -> Explored:
    """Add a declaration whose facts say how the cleanup went. The host must have the capability `cleanup`.

    Raises:
        HostError: no process could be started.
    """
    case = explored.case
    case.host.reset()
    if not case.blocked:
        case.host.restore_files()
        for plan in _used_before(case):
            case.host.execute(plan)
    try:
        declaration = case.host.describe_again({CLEANUP: "called"})
    except (TargetError, HostError) as error:
        case.ledger.shortfalls.append(Shortfall(CLEANUP, str(error), reduced_coverage=True))
    else:
        # Declarations that were read after the calls are judged elsewhere.
        first = case.ledger.declarations[0]
        case.ledger.declarations.append(
            replace(first, when="restarted", conditions=declaration.conditions, facts=declaration.facts)
        )
    return explored


def _used_before(case: Case) -> list[Stimulus]:
    """Some calls that succeeded, each with other members than those before. Their answers are not judged again."""
    plans = [
        call.plan
        for call in case.ledger.calls
        if call.succeeded and call.plan.probe == "valid" and call.plan.disturbance is None
    ]
    by_form: dict[str, Stimulus] = {}
    for plan in sorted(plans, key=lambda plan: plan.kind is not Kind.EXAMPLE):
        by_form.setdefault(_form(plan.arguments), plan)
    return list(by_form.values())[:_MOST_CALLS]


def _form(arguments: str | None) -> str:
    """The common form of calls that use a tool alike: the names of the members, and switches with their value."""
    value = json.loads(arguments or "{}")
    members = value.items() if isinstance(value, dict) else ()
    return " ".join(sorted(f"{name}={each}" if isinstance(each, bool) else name for name, each in members))
