"""Execution contexts whose identifiers can be recognised wherever they turn up again.

An identifier is 32 hexadecimal digits, as a GUID without hyphens: six that are the suite's, two that say what
it identifies, and 24 that depend on the run's seed, the tool and the call. Equal calls get equal contexts.
"""

import hashlib
from typing import Any, Final

PREFIX: Final = "c0ffee"
"""What every identifier of ours begins with."""

KINDS: Final = ("session", "turn", "conversation", "org", "user", "role", "agent_context")
"""What is identified, in the order of the two digits that say so, from 01."""

ART_KINDS: Final = ("call", "trace", "thread", "user", "session")
"""What is identified in ART's contexts, in the order of their two digits, from 11."""

ART_PARTS: Final = ("userId", "sessionId")
"""What one of ART's contexts can be without."""

PARTS: Final = (
    "session_id", "current_turn_id", "request", "conversation_id", "request-session_id", "org", "user", "role", "agent_context",
)  # fmt: skip
"""What a context can be without."""


def fresh_context(seed: int, tool: str, probe: str, label: str, arguments: str | None) -> dict[str, Any]:
    """A complete context of its own for one call."""
    key = "\0".join((str(seed), tool, probe, label, "null" if arguments is None else "=" + arguments))
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=64).hexdigest()
    ids = {
        kind: f"{PREFIX}{number:02x}{digest[14 * number : 14 * number + 24]}"
        for number, kind in enumerate(KINDS, start=1)
    }
    return {
        "session_id": ids["session"],
        "current_turn_id": ids["turn"],
        "request": {"conversation_id": ids["conversation"], "session_id": ids["session"]},
        "org": {"id": ids["org"], "text": "Conformance Works"},
        "user": {"id": ids["user"], "text": "Ada Lovelace"},
        "role": {"id": ids["role"], "text": "Engineer"},
        "agent_context": {"id": ids["agent_context"], "text": "Conformance run"},
    }


def fresh_art_context(seed: int, tool: str, probe: str, label: str, arguments: str | None) -> dict[str, str]:
    """A complete context of ART's, of its own for one call: callId, traceId, threadId, userId, sessionId."""
    key = "\0".join(("art", str(seed), tool, probe, label, "null" if arguments is None else "=" + arguments))
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=64).hexdigest()
    numbered = enumerate(ART_KINDS)
    return {
        f"{kind}Id": f"{PREFIX}{17 + number:02x}{digest[24 * number :][:24]}" for number, kind in numbered
    }


def without(context: dict[str, Any], part: str) -> dict[str, Any]:
    """The context without one of `PARTS`."""
    if part in {"conversation_id", "request-session_id"}:
        gone = part.removeprefix("request-")
        request = {name: value for name, value in context["request"].items() if name != gone}
        return {**context, "request": request}
    return {name: value for name, value in context.items() if name != part}


def identified_by(context: dict[str, Any], identifier: str) -> dict[str, Any]:
    """The context with one text as each of the identifiers that results carry."""
    request = {"conversation_id": identifier, "session_id": identifier}
    return {**context, "session_id": identifier, "current_turn_id": identifier, "request": request}
