"""The profile of LangChain: tools that are objects of `BaseTool`."""

from typing import Final

from aptix_conformance.core.model import SystemTraits
from aptix_conformance.systems.frameworks import FrameworkHostPool, FrameworkResult, spelling
from aptix_conformance.systems.langchain.author_test import CALLING
from aptix_conformance.systems.langchain.facts import LangChainTool
from aptix_conformance.systems.langchain.remedies import REMEDIES
from aptix_conformance.systems.langchain.rules import tool
from aptix_conformance.systems.profile import Runtime, SystemProfile

TRAITS: Final = SystemTraits(
    name="langchain",
    given=frozenset({"unchecked"}),
    facts=LangChainTool,
    result_facts=FrameworkResult,
    schema_source="the function's parameters, or args_schema,",
)


class LangChainHostPool(FrameworkHostPool):
    """Hosts for LangChain's tools (`host.HostPool`)."""

    system = TRAITS.name


PROFILE: Final = SystemProfile(
    name=TRAITS.name,
    runtimes=(Runtime(spelling(TRAITS.name), LangChainHostPool, write_test=CALLING.write_test),),
    traits=TRAITS,
    rules=(tool,),
    areas=(("LCT", "LangChain tools"),),
    remedies=REMEDIES,
)
