"""Tells the current date and time, in UTC or at a fixed offset."""
import json
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone


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


class ClockTool:
    ToolName = "clock_now"
    ToolUsageMetadata = """clock_now - Usage Guide

Primary purpose:
- Tell the time of the call, which the model cannot know.

Rules:
- Call it whenever the answer depends on the current day or hour. Do not call it for times in the past.
- Every call gives another time. It changes nothing and is cheap.

Arguments:
- offset_minutes: optional; 120 stands for two hours east of UTC. No arguments at all mean UTC.

Errors:
- A failed result with a message when the offset is no whole number or out of range.

Good usage: {}
Bad usage: {"offset_minutes": "two hours"}
"""

    def __init__(self, logger=None) -> None:
        self._logger = logger or NullLogger()
        self._now = lambda: datetime.now(timezone.utc)
        self._calls = 0

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
            "name": ClockTool.ToolName,
            "description": 'Tells the current date and time, in UTC or at a fixed offset.',
            "parameters": {
                "type": "object",
                "properties": {
                    "offset_minutes": {"type": "integer", "description": "Minutes east of UTC, -720 to 840; 0 if left out"},
                },
                "required": [],
            },
        }

    class _Args:
        def __init__(self, data: dict) -> None:
            self.offset_minutes = data.get("offset_minutes")

    async def execute(self, arguments_json, context=None, cancellation_token=None) -> InvokeResult:
        try:
            data = json.loads(arguments_json) if arguments_json and arguments_json.strip() else {}
        except (TypeError, ValueError, RecursionError):
            return InvokeResult.from_error("The arguments are not valid JSON.")
        if data is None:
            data = {}
        if not isinstance(data, dict):
            return InvokeResult.from_error("The arguments have to be a JSON object.")
        offset = self._Args(data).offset_minutes
        if offset is None:
            offset = 0
        if type(offset) is not int or not -720 <= offset <= 840:
            return InvokeResult.from_error("offset_minutes has to be a whole number from -720 to 840.")
        try:
            self._calls += 1
            now = self._now().astimezone(timezone(timedelta(minutes=offset)))
            payload = {
                "Now": now.isoformat(timespec="milliseconds"),
                "Weekday": now.strftime("%A"),
                "Calls": self._calls,
                **_ids(context),
            }
            return InvokeResult.create(json.dumps(payload))
        except Exception as ex:
            self._logger.add_exception("[ClockTool_Execute__Exception]", ex)
            return InvokeResult.from_error("clock_now failed to process its arguments.")


def create_tool(logger=None) -> ClockTool:
    return ClockTool(logger)
