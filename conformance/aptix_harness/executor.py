"""Runs one call of a tool and always returns a result.

The tool runs in a task of its own. So a tool that cancels its task does not cancel the executor's, and each
exception can be distinguished: what the tool raised is logged and becomes a failed result, what came from outside (a
cancelled caller, Ctrl-C) goes on its way.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from aptix_harness.cancellation import CancellationToken
from aptix_harness.context import AgentToolExecutionContext
from aptix_harness.errors import InvalidOperationError, OperationCanceledError
from aptix_harness.factory import ToolFactory
from aptix_harness.logger import AdminLogger, ContainedLogger
from aptix_harness.registry import AgentToolRegistry
from aptix_harness.result import InvokeResult, ResultError, join_messages
from aptix_harness.strict_json import is_strict_json
from aptix_harness.tool import AgentTool

_REFUSED: Final = "[AgentToolExecutor_ExecuteAsync__Refused]"
_EXCEPTION: Final = "[AgentToolExecutor_ExecuteAsync__Exception]"


@dataclass(frozen=True, slots=True)
class AgentToolCall:
    """A call that the model requests (C#: `AgentToolCall`).

    Attributes:
        name: the tool's name; it alone binds the call to a tool (AGN-005.2.5).
        arguments_json: the argument text, handed to the tool unparsed and unchanged (AGN-005.3.7).
        call_id: what the answer is matched by; copied to the result.
    """

    name: str | None
    arguments_json: str | None = None
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class AgentToolCallResult:
    """How a call ended (C#: `AgentToolCallResult`).

    Attributes:
        call_id: that of the call.
        name: that of the call.
        successful: whether the tool did what it was asked to do.
        result: the text of a JSON document; None if the call failed or its result is withheld.
        errors: why the call failed, at least one; empty if it succeeded.
        requires_client_execution: whether a client must finish what succeeded here.
    """

    call_id: str | None
    name: str | None
    successful: bool
    result: str | None = None
    errors: tuple[ResultError, ...] = ()
    requires_client_execution: bool = False

    @property
    def error_message(self) -> str | None:
        """The messages of all errors as one text; None if there are no errors (C#: `ErrorMessage`)."""
        return join_messages(self.errors)


class AgentToolExecutor:
    """Runs calls (C#: `AgentToolExecutor`; AGN-005.9.2, AGN-005.9.5).

    Every call gets a new instance of its tool from `factory`; the default is a `ToolFactory` without services.
    """

    def __init__(
        self,
        registry: AgentToolRegistry,
        logger: AdminLogger,
        factory: Callable[[type[AgentTool]], AgentTool] | None = None,
    ) -> None:
        self._registry = registry
        self._logger = ContainedLogger(logger)
        self._factory = factory or ToolFactory(logger)

    async def execute(
        self,
        call: AgentToolCall,
        context: AgentToolExecutionContext | None = None,
        cancellation_token: CancellationToken = CancellationToken.none(),
    ) -> AgentToolCallResult:
        """Run one call, and turn everything that the tool does into a result.

        A token that is cancelled beforehand is the tool's to see: the tool runs. If it succeeds and says that it is
        not fully executed on the server, its result is withheld and the call marked for the client; if it fails
        there is nothing for a client to finish, and the call is not marked. Texts of exceptions reach the log and
        never the result (TUL-011.3.5).

        Raises:
            asyncio.CancelledError: the caller's task was cancelled.
            KeyboardInterrupt: the process is being stopped.
        """
        tool_type = self._registry.get_tool_type(call.name)
        if tool_type is None:
            return self._refuse(call)
        cancelled_before = _cancellations()
        outcome = await asyncio.create_task(self._attempt(tool_type, call, context, cancellation_token))
        if _cancellations() > cancelled_before:
            # The canceller must see the cancellation, whatever the tool returned.
            raise asyncio.CancelledError
        if isinstance(outcome, AgentToolCallResult):
            return outcome
        if isinstance(outcome, KeyboardInterrupt):
            raise outcome
        self._logger.add_exception(_EXCEPTION, outcome, ("ToolName", str(call.name)))
        if isinstance(outcome, (asyncio.CancelledError, OperationCanceledError)):
            return _failure(call, f"The tool {call.name} was cancelled before it had a result.", "CANCELLED")
        return _failure(call, f"The tool {call.name} failed and gave no usable result.", "TOOL_FAILED")

    async def _attempt(
        self,
        tool_type: type[AgentTool],
        call: AgentToolCall,
        context: AgentToolExecutionContext | None,
        cancellation_token: CancellationToken,
    ) -> AgentToolCallResult | BaseException:
        """Return the result or the exception: a task that ends with SystemExit would end the event loop."""
        try:
            tool = self._factory(tool_type)
            returned = await tool.execute(call.arguments_json, context, cancellation_token)
            return _accept(call, tool, returned)
        except BaseException as raised:  # noqa: BLE001 - execute() separates the tool's exceptions from others
            return raised

    def _refuse(self, call: AgentToolCall) -> AgentToolCallResult:
        if not isinstance(call.name, str) or not call.name.strip():
            message = "The call names no tool."
        else:
            message = f"There is no tool called {call.name[:80]!a}."
        self._logger.add_error(_REFUSED, message)
        return _failure(call, message, "UNKNOWN_TOOL")


def _cancellations() -> int:
    """Return the number of cancellation requests of the current task."""
    task = asyncio.current_task()
    return task.cancelling() if task else 0


def _failure(call: AgentToolCall, message: str, code: str) -> AgentToolCallResult:
    return AgentToolCallResult(
        call.call_id, call.name, successful=False, errors=(ResultError(message, code),)
    )


def _accept(call: AgentToolCall, tool: AgentTool, returned: object) -> AgentToolCallResult:
    """Turn what a tool returned into a result.

    Raises:
        InvalidOperationError: it is not what the contract lets a tool return (AGN-005.4.1, AGN-005.9.4).
    """
    if not isinstance(returned, InvokeResult) or not isinstance(returned.successful, bool):
        raise InvalidOperationError(
            f"{call.name} returned an object of type {type(returned).__name__}. Return InvokeResult.create(json) "
            "or InvokeResult.from_error(message)."
        )
    if not returned.successful:
        errors = tuple(error for error in returned.errors if _is_readable(error))
        if not errors:
            raise InvalidOperationError(f"{call.name} failed without a message. Say what went wrong.")
        return AgentToolCallResult(call.call_id, call.name, successful=False, errors=errors)
    if not isinstance(returned.result, str) or not is_strict_json(returned.result):
        raise InvalidOperationError(
            f"{call.name} returned a payload that is not JSON. Return the text of one RFC 8259 document."
        )
    if not tool.is_tool_fully_executed_on_server:
        return AgentToolCallResult(call.call_id, call.name, successful=True, requires_client_execution=True)
    return AgentToolCallResult(call.call_id, call.name, successful=True, result=returned.result)


def _is_readable(error: object) -> bool:
    return (
        isinstance(error, ResultError)
        and isinstance(error.message, str)
        and bool(error.message.strip())
        and isinstance(error.code, str | None)
        and isinstance(error.details, str | None)
    )
