"""The reference harness: the contract's types in Python, the tool registry, the tool executor and the reasoner."""

from aptix_harness.cancellation import (
    CancellationRegistration,
    CancellationToken,
    CancellationTokenSource,
)
from aptix_harness.context import AgentToolExecutionContext, AgentToolRequest, EntityHeader
from aptix_harness.errors import InvalidOperationError, OperationCanceledError
from aptix_harness.executor import AgentToolCall, AgentToolCallResult, AgentToolExecutor
from aptix_harness.factory import ToolFactory
from aptix_harness.guidance import ToolGuide, read_tool_guides
from aptix_harness.logger import AdminLogger, KeyValuePair, LoggingAdminLogger, LogLevel
from aptix_harness.reasoner import (
    AgentReasoner,
    AnsweredCall,
    ReasonerResult,
    Responses,
    ResponsesClient,
    StopReason,
)
from aptix_harness.registry import AgentToolRegistry
from aptix_harness.response_items import function_call_output
from aptix_harness.result import InvokeResult, ResultError
from aptix_harness.tool import AgentTool

__all__ = [
    "AdminLogger",
    "AgentReasoner",
    "AgentTool",
    "AgentToolCall",
    "AgentToolCallResult",
    "AgentToolExecutionContext",
    "AgentToolExecutor",
    "AgentToolRegistry",
    "AgentToolRequest",
    "AnsweredCall",
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
    "ReasonerResult",
    "Responses",
    "ResponsesClient",
    "ResultError",
    "StopReason",
    "ToolFactory",
    "ToolGuide",
    "function_call_output",
    "read_tool_guides",
]
