"""The facts that only tools of Pydantic AI declare, and what Pydantic AI breaks for each of them."""

from typing import Final

from aptix_conformance.systems.frameworks import FrameworkTool, Shares

SHARES: Final[Shares] = {"pydantic-ai-slim 2": frozenset({("CAN008", "the thread AnyIO worker thread")})}
"""Measured with 2.68.0 and a bare tool: a plain function runs in a thread of AnyIO's, which no cancellation ends.
`tests/process/hosts/test_pydantic_ai.py` measures that again."""


class PydanticAITool(FrameworkTool, frozen=True):
    """What a tool of Pydantic AI declares besides its function."""

    def breaks_by_itself(self, rule: str, cause: str) -> str:
        """Pydantic AI, where it breaks the rule for every such tool."""
        return self._share_of(SHARES, rule, cause)
