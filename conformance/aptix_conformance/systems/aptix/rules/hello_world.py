"""USE020 to USE023: the contract of agent_hello_world, the canonical example (TUL-011 section 6)."""

from collections.abc import Mapping

from aptix_conformance.core.model import Call, Declaration
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib import declarations, prose
from aptix_conformance.rules.lib.documents import arguments_of, has_member, has_readable_payload, payload_of
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.rules.lib.scope import answered, payload
from aptix_conformance.systems.aptix.traits import HELLO_WORLD


def _hello_world(declaration: Declaration) -> str | None:
    return None if declaration.tool_name.value == HELLO_WORLD else f"it is not {HELLO_WORLD}"


@rule(
    "USE020",
    "TUL-011.6.1",
    applies=_hello_world,
    when=declarations.has_usage_text,
    remedy="Say that the tool makes a greeting, and to call it when the user asks to be greeted or welcomed.",
)
def hello_world_speaks_of_greeting(declaration: Declaration) -> Finding | None:
    """The usage text of agent_hello_world says that it greets a user who asks to be greeted or welcomed."""
    stems = prose.stems(declarations.usage_text(declaration))
    if {"greet", "welco"} & stems:
        return None
    return Finding("The usage text speaks neither of greeting nor of welcoming.")


@rule(
    "USE021",
    "TUL-011.6.4",
    applies=_hello_world,
    when=declarations.has_parameters,
    remedy="Declare one required string argument, name, and a description that speaks of a friendly greeting.",
)
def hello_world_takes_a_name(declaration: Declaration) -> Finding | None:
    """The schema of agent_hello_world has one argument, name: a required string; its description tells of a greeting."""
    properties = declarations.properties(declaration)
    name = properties.get("name")
    if set(properties) != {"name"} or declarations.required(declaration) != ("name",):
        names = printable(", ".join(properties) or "none", 80)
        return Finding(
            f"The tool's arguments are {names}; required: {list(declarations.required(declaration))}."
        )
    if not isinstance(name, Mapping) or name.get("type", "string") != "string":
        return Finding("The argument name is not a string.")
    if "greet" not in prose.stems(declarations.description(declaration)):
        return Finding(
            f"The schema's description speaks of no greeting: {quoted(declarations.description(declaration), 80)}."
        )
    return None


@rule(
    "USE022",
    "TUL-011.6.2",
    applies=_hello_world,
    when=lambda call: answered(call) and arguments_of(call).get("name") == "",
    unseen_reason="no call with an empty name was answered",
    remedy="Return InvokeResult.from_error(message) if the name is empty.",
)
def hello_world_refuses_an_empty_name(call: Call) -> Finding | None:
    """agent_hello_world refuses an empty name."""
    return Finding("The tool greeted an empty name.") if call.succeeded else None


@rule(
    "USE023",
    "TUL-011.6.3",
    applies=_hello_world,
    when=has_readable_payload,
    remedy="Return the members Message, ConversationId and SessionId, in either casing; null if there is none.",
)
def hello_world_returns_message_and_identifiers(call: Call) -> Finding | None:
    """A result of agent_hello_world has a message and both identifiers, null where the context has none."""
    value = payload_of(call).value
    known: Mapping[str, object] = value if isinstance(value, Mapping) else {}
    missing = [key for key in ("Message", "ConversationId", "SessionId") if not has_member(known, key)]
    if not missing:
        return None
    return Finding(f"The payload {payload(call)} has no {' and no '.join(missing)}.")
