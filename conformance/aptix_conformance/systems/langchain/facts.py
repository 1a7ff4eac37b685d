"""The facts that only LangChain's tools declare, and what LangChain breaks for each of them."""

from typing import ClassVar

from aptix_conformance.systems.frameworks import FrameworkTool, Shares


class LangChainTool(FrameworkTool, frozen=True):
    """What a tool of LangChain declares besides its function."""

    shares: ClassVar[Shares] = {"langchain-core 1": frozenset({("CAN008", "the thread asyncio_#")})}
    """Measured with 1.8.3 and a bare tool: a plain function runs in a thread of the event loop's pool, which no cancellation ends.
    `tests/process/hosts/test_langchain.py` measures that again, and the other facts of docs/langchain.md."""
