"""The profile of Pydantic AI: tools that are objects of `Tool`."""

from typing import Final

from aptix_conformance.core.model import SystemTraits
from aptix_conformance.systems.frameworks import FrameworkHostPool, FrameworkResult, spelling
from aptix_conformance.systems.profile import Runtime, SystemProfile
from aptix_conformance.systems.pydantic_ai.author_test import CALLING
from aptix_conformance.systems.pydantic_ai.facts import PydanticAITool

TRAITS: Final = SystemTraits(
    name="pydantic-ai",
    given=frozenset({"unchecked"}),
    facts=PydanticAITool,
    result_facts=FrameworkResult,
    schema_source="the function's parameters",
)
_FAIL: Final = (
    "raise ModelRetry where the model should try again, or ToolFailed where the call is done and has failed"
)


class PydanticAIHostPool(FrameworkHostPool):
    """Hosts for tools of Pydantic AI (`host.HostPool`)."""

    system = TRAITS.name


PROFILE: Final = SystemProfile(
    name=TRAITS.name,
    runtimes=(Runtime(spelling(TRAITS.name), PydanticAIHostPool, write_test=CALLING.write_test),),
    traits=TRAITS,
    remedies={
        "EXC001": f"Catch the exception, log it, and {_FAIL}: any other exception ends the run.",
        "EXC002": "Give the tool a timeout, such as Tool(timeout=20); the model is then asked to try again. It ends no loop "
        "that never awaits, and leaves the thread of a plain function behind: limit what those do. Never end the process.",
        "EXC010": f"Catch the exception, log it, and {_FAIL}.",
        "RES001": "Return what Pydantic can write as JSON; a ToolReturn by itself, not in a list.",
        "RES007": f"Do not return the text of a failure: {_FAIL}.",
    },
)
