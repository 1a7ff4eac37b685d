"""The reference harness: the contract's types in Python, the tool registry and the tool executor."""

from aptix_harness.cancellation import (
    CancellationRegistration,
    CancellationToken,
    CancellationTokenSource,
)
from aptix_harness.context import AgentToolExecutionContext, AgentToolRequest, EntityHeader
from aptix_harness.errors import InvalidOperationError, OperationCanceledError
from aptix_harness.executor import AgentToolCall, AgentToolCallResult, AgentToolExecutor
from aptix_harness.factory import ToolFactory
from aptix_harness.logger import AdminLogger, KeyValuePair, LoggingAdminLogger, LogLevel
from aptix_harness.registry import AgentToolRegistry
from aptix_harness.result import InvokeResult, ResultError
from aptix_harness.tool import AgentTool

__all__ = [
    "AdminLogger",
    "AgentTool",
    "AgentToolCall",
    "AgentToolCallResult",
    "AgentToolExecutionContext",
    "AgentToolExecutor",
    "AgentToolRegistry",
    "AgentToolRequest",
    "CancellationRegistration",
    "CancellationToken",
    "CancellationTokenSource",
    "EntityHeader",
    "InvalidOperationError",
    "InvokeResult",
    "KeyValuePair",
    "LogLevel",
    "LoggingAdminLogger",
    "OperationCanceledError",
    "ResultError",
    "ToolFactory",
]
