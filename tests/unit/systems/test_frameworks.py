"""What a framework breaks for every tool is said of no tool whose author breaks it."""

import pytest

from aptix_conformance.systems.langchain.facts import LangChainTool
from aptix_conformance.systems.openai_agents.facts import OpenAIAgentsTool
from aptix_conformance.systems.pydantic_ai.facts import PydanticAITool

STRICT = {"is_strict": True, "has_own_handler": False}


@pytest.mark.parametrize(
    ("facts", "library", "thread", "members"),
    [
        (LangChainTool, "langchain-core 1.8.3", "asyncio_#", {}),
        (OpenAIAgentsTool, "openai-agents 0.24.0", "asyncio_#", STRICT),
        (PydanticAITool, "pydantic-ai-slim 2.68.0", "AnyIO worker thread", {}),
    ],
)
def test_a_thread_is_of_the_framework_only_where_the_function_is_a_plain_one(facts, library, thread, members):
    """An async function that leaves one behind has started it itself, by asyncio.to_thread."""
    broken = {
        is_async: facts(library, is_async=is_async, **members).breaks_by_itself(
            "CAN008", f"the thread {thread}"
        )
        for is_async in (False, True)
    }
    assert broken == {False: library, True: ""}
