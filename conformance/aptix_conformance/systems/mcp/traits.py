"""The traits of MCP."""

from typing import Final

from aptix_conformance.core.model import SystemTraits
from aptix_conformance.systems.mcp.facts import McpResult, McpTool

_CLIENTS_LIMIT: Final = 60.0
"""Seconds that clients in wide use wait for a response."""
_NESTING: Final = 150
"""Levels of nesting. A bare server on `mcp` 1.30.0 and on 2.3.0 answers 190 levels and never answers 250; what it does with
1,000 is MCP034's, once a server."""

TRAITS: Final = SystemTraits(
    name="mcp",
    given=frozenset({"unchecked"}),
    undisturbed={
        "cancel": "the inside of a server cannot be seen, so a call is cancelled at sampled moments and not at each of its suspensions",
        "fault": "the inside of a server cannot be seen, so services and libraries are not made to fail",
    },
    has_servers=True,
    grades_conversions=True,
    facts=McpTool,
    result_facts=McpResult,
    schema_source="inputSchema",
    no_instance="the server did not start: ",
    unsent_documents="arguments are part of a message: text that is not strict JSON would break the message, not the tool's arguments",
    patience=_CLIENTS_LIMIT,
    nesting=_NESTING,
)
