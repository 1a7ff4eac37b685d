"""What the tools of these examples share: they read, refuse, obey their token and never raise."""

import asyncio
import json
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from aptix_harness import AdminLogger, AgentToolExecutionContext, CancellationToken, InvokeResult


class RefusedError(Exception):
    """The call cannot be served; the message is for the model."""


class GuardedTool(ABC):
    """Reads the arguments, awaits `work`, and adds the identifiers of the call."""

    TOOL_NAME: ClassVar[str]

    def __init__(self, logger: AdminLogger) -> None:
        self._logger = logger

    @property
    def name(self) -> str:
        return self.TOOL_NAME

    @property
    def is_tool_fully_executed_on_server(self) -> bool:
        return True

    @abstractmethod
    async def work(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The result for some arguments; a RefusedError where they will not do."""

    async def execute(
        self,
        arguments_json: str | None,
        context: AgentToolExecutionContext | None,
        cancellation_token: CancellationToken = CancellationToken.none(),
    ) -> InvokeResult[str]:
        try:
            result = await self._unless_cancelled(read_object(arguments_json), cancellation_token)
            request = context.request if context else None
            result["sessionId"] = context.session_id if context else None
            result["conversationId"] = request.conversation_id if request else None
            return InvokeResult.create(json.dumps(result, allow_nan=False))
        except RefusedError as refusal:
            return InvokeResult.from_error(str(refusal))
        except Exception as error:
            self._logger.add_exception(f"[{type(self).__name__}_ExecuteAsync__Exception]", error)
            return InvokeResult.from_error("The tool cannot do its work now; try again later.")

    async def _unless_cancelled(self, arguments: dict[str, Any], token: CancellationToken) -> dict[str, Any]:
        doing = asyncio.ensure_future(self.work(arguments))
        stop = asyncio.ensure_future(token.wait())
        try:
            await asyncio.wait({doing, stop}, return_when=asyncio.FIRST_COMPLETED)
            if doing.done():
                return doing.result()
            return {"cancelled": True, "message": "The call was cancelled before it was done."}
        finally:
            for task in (doing, stop):
                task.cancel()
            await asyncio.gather(doing, stop, return_exceptions=True)


def read_object(arguments_json: str | None) -> dict[str, Any]:
    """The arguments; nothing at all is an object without members."""
    try:
        arguments = json.loads(arguments_json) if arguments_json and arguments_json.strip() else {}
    except (ValueError, RecursionError):
        raise RefusedError("The arguments are not valid JSON.") from None
    if not isinstance(arguments, dict):
        raise RefusedError("The arguments are not a JSON object.")
    return arguments


def one_of(arguments: dict[str, Any], key: str, values: tuple[str, ...]) -> str:
    """An argument that is one of some words."""
    value = arguments.get(key)
    if not isinstance(value, str) or value not in values:
        raise RefusedError(f"{key} is required: one of {', '.join(values)}.")
    return value


def function_schema(name: str, description: str, /, **properties: dict[str, Any]) -> dict[str, Any]:
    """A function schema that requires all of some properties."""
    return {
        "type": "function",
        "name": name,
        "description": description,
        "parameters": {"type": "object", "properties": properties, "required": list(properties)},
    }
