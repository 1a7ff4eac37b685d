"""The protocol of a tool."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from aptix_harness.cancellation import CancellationToken
from aptix_harness.context import AgentToolExecutionContext
from aptix_harness.result import InvokeResult


@runtime_checkable
class AgentTool(Protocol):
    """The interface of every tool (C#: `IAgentTool`; TUL-011.2.1, AGN-005.2.1). Structural: a tool need not inherit from it.

    A tool's class also has two constants in its body, `TOOL_NAME: Final = "..."` and
    `TOOL_USAGE_METADATA: Final = "..."` (C#: `ToolName`, `ToolUsageMetadata`; TUL-011.2.3). They belong to the
    class and not to what an instance offers, so they stand in no protocol: the registry sees to them.
    """

    @property
    def name(self) -> str:
        """The value of `TOOL_NAME` (C#: `Name`; TUL-011.2.6)."""

    @property
    def is_tool_fully_executed_on_server(self) -> bool:
        """False if a client finishes what `execute` begins (C#: `IsToolFullyExecutedOnServer`; TUL-011.2.1)."""

    @staticmethod
    def get_schema() -> Mapping[str, object]:
        """Return the function schema, the same each time (C#: `GetSchema`; TUL-011.2.7, TUL-011.4.1)."""

    async def execute(
        self,
        arguments_json: str | None,
        context: AgentToolExecutionContext | None,
        cancellation_token: CancellationToken = CancellationToken.none(),
    ) -> InvokeResult[str]:
        """Run one call of the tool (C#: `ExecuteAsync`).

        Args:
            arguments_json: the model's argument text as it came: unparsed, perhaps not JSON, perhaps None
                (AGN-005.3.1, AGN-005.3.7).
            context: where the call comes from; it and each of its parts may be None (AGN-005.5.2).
            cancellation_token: when cancelled, the tool stops early and says so in a successful result
                (AGN-005.8.2).

        Returns:
            On success the text of a JSON document (AGN-005.4.1), otherwise a message for the model to read
            (TUL-011.3.4). Nothing is raised (AGN-005.4.2) but what is not a tool's to catch, such as
            `asyncio.CancelledError`.
        """
