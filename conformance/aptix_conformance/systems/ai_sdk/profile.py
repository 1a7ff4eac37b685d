"""The profile of the AI SDK: tools in JavaScript and TypeScript that are objects with inputSchema and execute."""

from typing import Final

from aptix_conformance.core.model import SystemTraits
from aptix_conformance.systems.ai_sdk.author_test import write_test
from aptix_conformance.systems.ai_sdk.facts import AISDKTool
from aptix_conformance.systems.ai_sdk.remedies import REMEDIES
from aptix_conformance.systems.ai_sdk.rules import tool
from aptix_conformance.systems.frameworks import FrameworkResult
from aptix_conformance.systems.node import node_version
from aptix_conformance.systems.node_pool import NodeHostPool
from aptix_conformance.systems.profile import Runtime, SystemProfile
from aptix_conformance.targets.spec import Spelling, read_place

TRAITS: Final = SystemTraits(
    name="ai-sdk",
    given=frozenset({"unchecked", "token"}),
    undisturbed={"fault": "this host cannot make services and libraries fail"},
    undeclared_draft="draft-07",
    has_tasks=False,
    facts=AISDKTool,
    result_facts=FrameworkResult,
    schema_source="inputSchema",
    no_instance="no tool could be made: ",
)


class AISDKHostPool(NodeHostPool):
    """Hosts for tools of the AI SDK (`host.HostPool`); a context manager that closes itself."""

    system = TRAITS.name


PROFILE: Final = SystemProfile(
    name=TRAITS.name,
    runtimes=(
        Runtime(
            Spelling(TRAITS.name, TRAITS.name, "ai-sdk:./tools.ts#weather", read_place),
            AISDKHostPool,
            version=node_version,
            write_test=write_test,
        ),
    ),
    traits=TRAITS,
    rules=(tool,),
    areas=(("AIS", "tools of the AI SDK"),),
    remedies=REMEDIES,
)
