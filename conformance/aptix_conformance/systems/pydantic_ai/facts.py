"""The facts that only tools of Pydantic AI declare, and what Pydantic AI breaks for each of them."""

from typing import ClassVar

from aptix_conformance.systems.frameworks import FrameworkTool, Shares


class PydanticAITool(FrameworkTool, frozen=True):
    """What a tool of Pydantic AI declares besides its function."""

    shares: ClassVar[Shares] = {
        "pydantic-ai-slim 2": frozenset({("CAN008", "the thread AnyIO worker thread")})
    }
    """Measured with 2.68.0 and a bare tool: a plain function runs in a thread of AnyIO's, which no cancellation ends.
    `tests/process/hosts/test_pydantic_ai.py` measures that again."""
