"""The profile of MCP: the tools of servers that are started by a command."""

from typing import Final

from aptix_conformance.systems.mcp import server_code
from aptix_conformance.systems.mcp.author_test import write_test
from aptix_conformance.systems.mcp.cancelling import CANCELLING
from aptix_conformance.systems.mcp.client_files import CLIENT_FILES
from aptix_conformance.systems.mcp.commands import read_server
from aptix_conformance.systems.mcp.conversations import CONVERSATIONS
from aptix_conformance.systems.mcp.installing.command import INSTALL
from aptix_conformance.systems.mcp.pool import McpPool
from aptix_conformance.systems.mcp.probe import SERVER, WIRE
from aptix_conformance.systems.mcp.remedies import REMEDIES
from aptix_conformance.systems.mcp.rules import (
    annotations,
    asking,
    calls,
    cancellation,
    clients,
    comparisons,
    conversations,
    conversions,
    declarations,
    ends,
    http,
    logs,
    messages,
    recovery,
    results,
    revisions,
    schemas,
    servers,
    task_states,
    tasks,
)
from aptix_conformance.systems.mcp.scarcity_probe import RESOURCES
from aptix_conformance.systems.mcp.traits import TRAITS
from aptix_conformance.systems.node import node_version
from aptix_conformance.systems.profile import Runtime, SystemProfile
from aptix_conformance.targets.spec import Spelling

PROFILE: Final = SystemProfile(
    name=TRAITS.name,
    runtimes=(
        Runtime(
            Spelling("mcp", TRAITS.name, "mcp:python -m my_server#my_tool", read_server, is_server=True),
            McpPool,
            write_test=write_test,
            version=node_version,
            started=server_code,
        ),
    ),
    traits=TRAITS,
    rules=(
        annotations,
        asking,
        calls,
        cancellation,
        clients,
        comparisons,
        conversations,
        conversions,
        declarations,
        http,
        logs,
        messages,
        ends,
        recovery,
        results,
        revisions,
        schemas,
        servers,
        task_states,
        tasks,
    ),
    areas=(("MCP", "MCP servers"),),
    remedies=REMEDIES,
    probes=(WIRE, CANCELLING, CONVERSATIONS, RESOURCES, SERVER),
    client_files=CLIENT_FILES,
    commands=(INSTALL,),
)
