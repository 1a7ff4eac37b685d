"""The facts that only tools of the OpenAI Agents SDK declare, and what the SDK breaks for each of them."""

from typing import ClassVar

from aptix_conformance.rules.announced import HIDDEN_REASON
from aptix_conformance.systems.frameworks import FrameworkTool, Shares


class OpenAIAgentsTool(FrameworkTool, frozen=True, kw_only=True):
    """What a tool of the OpenAI Agents SDK declares besides its function."""

    shares: ClassVar[Shares] = {
        "openai-agents 0": frozenset({("CAN008", "the thread asyncio_#"), ("ARG012", HIDDEN_REASON)})
    }
    """Measured with 0.24.0 and a bare tool: a plain function runs in a thread of the event loop's pool, which no cancellation ends; and
    one fixed text answers each exception, so that no reason reaches the model. `tests/process/hosts/test_openai_agents.py` measures
    that again."""

    is_strict: bool
    """Whether its schema is in strict mode."""
    has_own_handler: bool
    """Whether its author wrote its failure_error_function."""

    def copies_exceptions(self) -> bool:
        """The SDK puts the text of an exception into its trace, unless its own function answers the exception."""
        return self.has_own_handler
