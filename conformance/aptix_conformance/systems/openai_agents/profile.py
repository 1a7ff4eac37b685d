"""The profile of the OpenAI Agents SDK: tools that are objects of `FunctionTool`."""

from typing import Final

from aptix_conformance.core.model import SystemTraits
from aptix_conformance.systems.frameworks import FrameworkHostPool, FrameworkResult, spelling
from aptix_conformance.systems.openai_agents.author_test import CALLING
from aptix_conformance.systems.openai_agents.facts import OpenAIAgentsTool
from aptix_conformance.systems.openai_agents.rules import tool
from aptix_conformance.systems.profile import Runtime, SystemProfile

TRAITS: Final = SystemTraits(
    name="openai-agents",
    given=frozenset({"unchecked"}),
    facts=OpenAIAgentsTool,
    result_facts=FrameworkResult,
    schema_source="the function's parameters, or params_json_schema,",
)


class OpenAIAgentsHostPool(FrameworkHostPool):
    """Hosts for tools of the OpenAI Agents SDK (`host.HostPool`)."""

    system = TRAITS.name


PROFILE: Final = SystemProfile(
    name=TRAITS.name,
    runtimes=(Runtime(spelling(TRAITS.name), OpenAIAgentsHostPool, write_test=CALLING.write_test),),
    traits=TRAITS,
    rules=(tool,),
    areas=(("OAI", "tools of the OpenAI Agents SDK"),),
    remedies={
        "EXC001": "Catch the exception, log it, and return a message; or leave failure_error_function as it is, which does that.",
        "EXC002": "Give an async function a timeout: function_tool(timeout=20). It ends no loop that never awaits, and no plain "
        "function: limit what those do, and how much output they make. Never end the process.",
        "RES001": "Return something that str can show; with output_type or output_json_schema a JSON object that fits, also from a "
        "failure_error_function of your own.",
        "RES007": "Raise an exception and write a failure_error_function of your own, which makes the message for the model.",
    },
)
