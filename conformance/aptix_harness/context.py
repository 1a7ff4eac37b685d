"""The context of a call. Every part may be None, and a tool must accept that (AGN-005.5.2)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EntityHeader:
    """A reference to a person, organisation or role (C#: `EntityHeader`)."""

    id: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class AgentToolRequest:
    """The request that led to the call (C#: `AgentToolExecutionContext.Request`)."""

    conversation_id: str | None = None
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class AgentToolExecutionContext:
    """The caller, the session and the turn (C#: `AgentToolExecutionContext`; TUL-011.3.3, AGN-005.5.1).

    Identifiers are opaque text from outside: copy them, never interpret them.

    Attributes:
        session_id: the session (C#: `SessionId`).
        current_turn_id: the turn in the session (C#: `CurrentTurnId`).
        request: the request, which holds the conversation's identifier (C#: `Request`).
        org: the organisation (C#: `Org`).
        user: the person (C#: `User`).
        role: the person's role (C#: `Role`).
        agent_context: the agent's configuration (C#: `AgentContext`).
    """

    session_id: str | None = None
    current_turn_id: str | None = None
    request: AgentToolRequest | None = None
    org: EntityHeader | None = None
    user: EntityHeader | None = None
    role: EntityHeader | None = None
    agent_context: EntityHeader | None = None
