"""Reads the identifiers that results carry for traceability (AGN-005.5.1)."""

from typing import NamedTuple

from aptix_harness import AgentToolExecutionContext


class Identifiers(NamedTuple):
    """Which conversation and session a call belongs to; None where that is not known."""

    conversation_id: str | None
    session_id: str | None


def identifiers(context: AgentToolExecutionContext | None) -> Identifiers:
    """Return the identifiers of a call, whatever of its context is missing (AGN-005.5.2)."""
    if context is None:
        return Identifiers(None, None)
    request = context.request
    return Identifiers(_text(request.conversation_id if request else None), _text(context.session_id))


def _text(identifier: object) -> str | None:
    """Return an identifier if it can stand in JSON as what it is: a text."""
    return identifier if isinstance(identifier, str) else None
