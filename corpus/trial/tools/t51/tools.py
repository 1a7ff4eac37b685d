"""Computes count, mean and standard deviation of a list of numbers."""
import json
from dataclasses import dataclass
import math
import statistics


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


class SeriesStatsTool:
    ToolName = "series_stats"
    ToolUsageMetadata = """series_stats - Usage Guide

Primary purpose:
- Describe a list of numbers by count, mean, standard deviation, smallest and largest value.

Rules:
- Call it when the user asks for an average or a spread. Do not call it for fewer than two numbers that you can read off.
- Repeated calls give the same result; it is cheap.

Arguments:
- values: the numbers in any order, at most 10000.
- minimum, maximum: optional bounds; values outside are left out.

Errors:
- A failed result with a message when values is missing or holds something that is no number.

Good usage: {"values": [1, 2, 3.5], "minimum": 0}
Bad usage: {"values": "1, 2, 3"}
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
            "name": SeriesStatsTool.ToolName,
            "description": 'Computes count, mean and standard deviation of a list of numbers. Values outside an optional range are left out.',
            "parameters": {
                "type": "object",
                "properties": {
                    "values": {"type": "array", "items": {"type": "number"}, "description": "The numbers"},
                    "minimum": {"type": "number", "description": "Leave out smaller values"},
                    "maximum": {"type": "number", "description": "Leave out larger values"},
                },
                "required": ["values"],
            },
        }

    class _Args:
        def __init__(self, data: dict) -> None:
            self.values = data.get("values")
            self.minimum = data.get("minimum")
            self.maximum = data.get("maximum")

    @staticmethod
    def _describe(values: list[float]) -> dict:
        count = len(values)
        return {
            "Count": count,
            "Mean": statistics.fmean(values) if count else math.nan,
            "StdDev": statistics.stdev(values) if count > 1 else math.nan,
            "Minimum": min(values, default=None),
            "Maximum": max(values, default=None),
        }

    async def execute(self, arguments_json, context=None, cancellation_token=None) -> InvokeResult:
        try:
            data = json.loads(arguments_json) if arguments_json and arguments_json.strip() else {}
        except (TypeError, ValueError, RecursionError):
            return InvokeResult.from_error("The arguments are not valid JSON.")
        if not isinstance(data, dict):
            return InvokeResult.from_error("The arguments have to be a JSON object.")
        args = self._Args(data)
        if not isinstance(args.values, list):
            return InvokeResult.from_error("values is required and has to be a list of numbers.")
        if len(args.values) > 10000:
            return InvokeResult.from_error("values may hold at most 10000 numbers.")
        bounds = [bound for bound in (args.minimum, args.maximum) if bound is not None]
        for item in [*args.values, *bounds]:
            if isinstance(item, bool) or not isinstance(item, (int, float)) or not abs(item) < 1e100:
                return InvokeResult.from_error("values, minimum and maximum have to be finite numbers below 1e100.")
        try:
            low = -math.inf if args.minimum is None else args.minimum
            high = math.inf if args.maximum is None else args.maximum
            kept = [float(value) for value in args.values if low <= value <= high]
            payload = {**self._describe(kept), **_ids(context)}
            return InvokeResult.create(json.dumps(payload))
        except Exception as ex:
            self._logger.add_exception("[SeriesStatsTool_Execute__Exception]", ex)
            return InvokeResult.from_error("series_stats failed to process its arguments.")


def create_tool(logger=None) -> SeriesStatsTool:
    return SeriesStatsTool(logger)
