"""The traits of Aptix, and the execution contexts of its calls."""

from functools import partial
from typing import Any, Final

from aptix_conformance.core.model import Contexts, OwnRules, SystemTraits
from aptix_conformance.stimuli.probes.contexts import identifiers

PARTS: Final = (
    "session_id", "current_turn_id", "request", "conversation_id", "request-session_id", "org", "user", "role", "agent_context",
)  # fmt: skip
"""The parts that a context can lack."""

_KINDS: Final = ("session", "turn", "conversation", "org", "user", "role", "agent_context")
"""The things that have an identifier, in the order of the two digits that mark it, from 01."""


def fresh_context(seed: int, tool: str, probe: str, label: str, arguments: str | None) -> dict[str, Any]:
    """A complete, unique context for one call."""
    ids = identifiers(_KINDS, 1, str(seed), tool, probe, label, arguments)
    return {
        "session_id": ids["session"],
        "current_turn_id": ids["turn"],
        "request": {"conversation_id": ids["conversation"], "session_id": ids["session"]},
        "org": {"id": ids["org"], "text": "Conformance Works"},
        "user": {"id": ids["user"], "text": "Ada Lovelace"},
        "role": {"id": ids["role"], "text": "Engineer"},
        "agent_context": {"id": ids["agent_context"], "text": "Conformance run"},
    }


def without(context: dict[str, Any], part: str) -> dict[str, Any]:
    """The context without one of `PARTS`."""
    if part in {"conversation_id", "request-session_id"}:
        name_left_out = part.removeprefix("request-")
        request = {name: value for name, value in context["request"].items() if name != name_left_out}
        return {**context, "request": request}
    return {name: value for name, value in context.items() if name != part}


def identified_by(context: dict[str, Any], identifier: str) -> dict[str, Any]:
    """The context with one text as each of the identifiers that results carry."""
    request = {"conversation_id": identifier, "session_id": identifier}
    return {**context, "session_id": identifier, "current_turn_id": identifier, "request": request}


CONTEXTS: Final = Contexts(
    fresh=fresh_context,
    missing={
        "none": lambda _: None,
        "empty": lambda _: {},
        **{f"without-{part}": partial(without, part=part) for part in PARTS},
    },
    bare=("none", "empty"),
    identified=identified_by,
)


HELLO_WORLD: Final = "agent_hello_world"
LIST_MODES: Final = "agent_list_modes"
"""The names of the two tools that have their own contract."""

TRAITS: Final = SystemTraits(
    name="aptix",
    given=frozenset({"unchecked", "text", "context", "token"}),
    contexts=CONTEXTS,
    schema_source="get_schema",
    no_instance="no instance could be made: ",
    null_is_absent=True,  # AGN-005.3.3
    own_rules={
        HELLO_WORLD: OwnRules(constraint="USE022", identifiers="USE023"),
        LIST_MODES: OwnRules(
            required="CAT002", failure_payload="CAT009", equal_answers="CAT012", silent_service="CAT018"
        ),
    },
)
