"""The facts that only LangChain's tools declare, and what LangChain breaks for each of them."""

from typing import Final

from aptix_conformance.systems.frameworks import FrameworkTool, Shares

SHARES: Final[Shares] = {"langchain-core 1": frozenset({("CAN008", "the thread asyncio_#")})}
"""Measured with 1.8.3 and a bare tool: a plain function runs in a thread of the event loop's pool, which no cancellation ends.
`tests/process/hosts/test_langchain.py` measures that again, and the other facts of docs/langchain.md."""


class LangChainTool(FrameworkTool, frozen=True):
    """What a tool of LangChain declares besides its function."""

    def breaks_by_itself(self, rule: str, cause: str) -> str:
        """LangChain, where it breaks the rule for every such tool."""
        return self._share_of(SHARES, rule, cause)
