"""The traits of ART, and the execution contexts of its calls.

ART's orchestrator gives every call its callId, traceId and threadId; a user and a session need not be there.
"""

from functools import partial
from typing import Any, Final

from aptix_conformance.core.model import Contexts, SystemTraits
from aptix_conformance.stimuli.probes.contexts import identifiers
from aptix_conformance.systems.art.facts import ArtResult, ArtTool

_KINDS: Final = ("call", "trace", "thread", "user", "session")
"""The things that have an identifier, in the order of the two hexadecimal digits that mark it, from 11."""
_OPTIONAL: Final = ("userId", "sessionId")


def _fresh(seed: int, tool: str, probe: str, label: str, arguments: str | None) -> dict[str, Any]:
    """A complete context of its own for one call: callId, traceId, threadId, userId, sessionId."""
    by_kind = identifiers(_KINDS, 0x11, f"art\0{seed}", tool, probe, label, arguments)
    return {f"{kind}Id": identifier for kind, identifier in by_kind.items()}


def _without(context: dict[str, Any], part: str) -> dict[str, Any]:
    return {name: value for name, value in context.items() if name != part}


def _identified(context: dict[str, Any], identifier: str) -> dict[str, Any]:
    return {**context, **dict.fromkeys(_OPTIONAL, identifier)}


_MISSING: Final = {f"without-{part}": partial(_without, part=part) for part in _OPTIONAL}

CONTEXTS: Final = Contexts(
    fresh=_fresh,
    missing=_MISSING,
    bare=tuple(_MISSING),
    identified=_identified,
)


TRAITS: Final = SystemTraits(
    name="art",
    given=frozenset({"context"}),
    contexts=CONTEXTS,
    undisturbed={
        "cancel": "ART gives a tool no cancellation signal",
        # No clause of ART's says what is due when a service fails.
        "fault": "this host cannot make services and libraries fail",
    },
    undeclared_draft="draft-07",
    facts=ArtTool,
    result_facts=ArtResult,
    schema_source="inputSchema",
    no_instance="no instance could be made: ",
)
