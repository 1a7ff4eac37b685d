"""Converts a length from one unit to another."""
import json
from dataclasses import dataclass


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


METRES = {"mm": 0.001, "cm": 0.01, "m": 1.0, "km": 1000.0, "in": 0.0254, "ft": 0.3048, "yd": 0.9144, "mi": 1609.344}
METRIC = {"mm", "cm", "m", "km"}
IMPERIAL = {"in", "ft", "yd", "mi"}
UNITS = METRIC | IMPERIAL


class ConvertUnitTool:
    ToolName = "convert_length"
    ToolUsageMetadata = """convert_length - Usage Guide

Primary purpose:
- Convert a length between metric and imperial units.

Rules:
- Call it when the user gives a length in one unit and needs another. Do not call it for areas or weights.
- The same arguments give the same result; it is cheap.

Arguments:
- value: the length.
- source, target: unit codes as the schema lists them.

Errors:
- A failed result with a message when an argument is missing or a unit is unknown.

Good usage: {"value": 12, "source": "in", "target": "cm"}
Bad usage: {"value": "12 inches"}
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
            "name": ConvertUnitTool.ToolName,
            "description": 'Converts a length from one unit to another.',
            "parameters": {
                "type": "object",
                "properties": {
                    "value": {"type": "number", "description": "The length"},
                    "source": {"type": "string", "enum": sorted(UNITS), "description": "Unit of the length"},
                    "target": {"type": "string", "enum": sorted(UNITS), "description": "Unit to convert to"},
                },
                "required": ["value", "source", "target"],
            },
        }

    class _Args:
        def __init__(self, data: dict) -> None:
            self.value = data.get("value")
            self.source = data.get("source")
            self.target = data.get("target")

    async def execute(self, arguments_json, context=None, cancellation_token=None) -> InvokeResult:
        try:
            data = json.loads(arguments_json) if arguments_json and arguments_json.strip() else {}
        except (TypeError, ValueError, RecursionError):
            return InvokeResult.from_error("The arguments are not valid JSON.")
        if not isinstance(data, dict):
            return InvokeResult.from_error("The arguments have to be a JSON object.")
        args = self._Args(data)
        if isinstance(args.value, bool) or not isinstance(args.value, (int, float)) or not abs(args.value) < 1e100:
            return InvokeResult.from_error("value is required and has to be a number below 1e100.")
        for field_name in ("source", "target"):
            unit = getattr(args, field_name)
            if not isinstance(unit, str) or unit not in UNITS:
                return InvokeResult.from_error(f"{field_name} has to be one of {', '.join(sorted(UNITS))}.")
        try:
            value = args.value * METRES[args.source] / METRES[args.target]
            payload = {"Value": value, "Unit": args.target, **_ids(context)}
            return InvokeResult.create(json.dumps(payload, allow_nan=False))
        except Exception as ex:
            self._logger.add_exception("[ConvertUnitTool_Execute__Exception]", ex)
            return InvokeResult.from_error("convert_length failed to process its arguments.")


def create_tool(logger=None) -> ConvertUnitTool:
    return ConvertUnitTool(logger)
