"""Plays an outage for a drill: fails on purpose with the message that it is given, after an optional delay."""
import json
from dataclasses import dataclass
import asyncio
import time


@dataclass
class InvokeResult:
    successful: bool
    result: str | None = None
    error_message: str | None = None

    @classmethod
    def create(cls, result: str) -> "InvokeResult":
        return cls(True, result=result)

    @classmethod
    def from_error(cls, message: str) -> "InvokeResult":
        return cls(False, error_message=message)


class NullLogger:
    def add_exception(self, tag: str, ex: BaseException) -> None:
        pass

    def add_custom_event(self, level: str, tag: str, message: str, pairs: list[tuple[str, str]]) -> None:
        pass


def _ids(context) -> dict:
    request = getattr(context, "request", None)
    return {
        "SessionId": getattr(context, "session_id", None),
        "ConversationId": getattr(request, "conversation_id", None),
    }


def _is_cancelled(token) -> bool:
    return bool(getattr(token, "is_cancellation_requested", False))


class OutageDrillTool:
    ToolName = "outage_drill"
    ToolUsageMetadata = """outage_drill - Usage Guide

Primary purpose:
- Rehearse how the conversation goes on when a tool fails.

Rules:
- Call it only when the user asks for a drill. Never call it in ordinary work.
- It changes nothing. A delay can be cancelled.

Arguments:
- message: what the failure is to say.
- fail: false lets it succeed.
- delay_ms: optional delay in milliseconds.

Errors:
- Every drill with fail true ends as a failed result with the given message.

Good usage: {"message": "storage is offline", "delay_ms": 500}
Bad usage: {"fail": true}
"""

    def __init__(self, logger=None) -> None:
        self._logger = logger or NullLogger()

    @property
    def name(self) -> str:
        return self.ToolName

    @property
    def description(self) -> str:
        return self.get_schema()["description"]

    @property
    def parameters(self) -> dict:
        return self.get_schema()["parameters"]

    @property
    def is_tool_fully_executed_on_server(self) -> bool:
        return True

    @staticmethod
    def get_schema() -> dict:
        return {
            "type": "function",
            "name": OutageDrillTool.ToolName,
            "description": 'Plays an outage for a drill: fails on purpose with the message that it is given, after an optional delay.',
            "parameters": {
                "type": "object",
                "properties": {
                    "message": {"type": "string", "description": "Message of the failure"},
                    "fail": {"type": "boolean", "description": "False lets the drill succeed; true if left out"},
                    "delay_ms": {"type": "integer", "description": "Wait this many milliseconds first, 0 to 60000; 0 if left out"},
                },
                "required": ["message"],
            },
        }

    class _Args:
        def __init__(self, data: dict) -> None:
            self.message = data.get("message")
            self.fail = True if data.get("fail") is None else data["fail"]
            self.delay_ms = 0 if data.get("delay_ms") is None else data["delay_ms"]

    async def execute(self, arguments_json, context=None, cancellation_token=None) -> InvokeResult:
        try:
            data = json.loads(arguments_json) if arguments_json and arguments_json.strip() else {}
        except (TypeError, ValueError, RecursionError):
            return InvokeResult.from_error("The arguments are not valid JSON.")
        if not isinstance(data, dict):
            return InvokeResult.from_error("The arguments have to be a JSON object.")
        args = self._Args(data)
        if not isinstance(args.message, str) or not args.message.strip():
            return InvokeResult.from_error("message is required and has to be a text.")
        if not isinstance(args.fail, bool):
            return InvokeResult.from_error("fail has to be true or false.")
        if type(args.delay_ms) is not int or not 0 <= args.delay_ms <= 60000:
            return InvokeResult.from_error("delay_ms has to be a whole number from 0 to 60000.")
        try:
            until = time.monotonic() + args.delay_ms / 1000
            while (left := until - time.monotonic()) > 0:
                if _is_cancelled(cancellation_token):
                    break
                await asyncio.sleep(min(left, 0.05))
            ids = _ids(context)
            if _is_cancelled(cancellation_token):
                return InvokeResult.create(json.dumps({"Cancelled": True, "Message": "The drill was cancelled.", **ids}))
            if args.fail:
                self._logger.add_custom_event(
                    "Error",
                    "OutageDrillTool.Execute",
                    "Failure requested by a drill.",
                    [(key, value or "") for key, value in ids.items()],
                )
                return InvokeResult.from_error(args.message)
            return InvokeResult.create(json.dumps({"Cancelled": False, "Message": args.message, **ids}))
        except Exception as ex:
            self._logger.add_exception("[OutageDrillTool_Execute__Exception]", ex)
            return InvokeResult.from_error("outage_drill failed to process its arguments.")


def create_tool(logger=None) -> OutageDrillTool:
    return OutageDrillTool(logger)
