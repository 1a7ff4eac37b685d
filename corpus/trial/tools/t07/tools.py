"""Returns the value at a dotted path of a JSON document."""
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


class JsonQueryTool:
    ToolName = "json_query"
    ToolUsageMetadata = """json_query - Usage Guide

Primary purpose:
- Pick one value out of a JSON document that the conversation already holds.

Rules:
- Use it when the user asks for a part of a larger JSON text. Do not use it to fetch documents.
- It has no side effects and is safe to call often.

Arguments:
- document: the JSON text, unchanged.
- path: keys and list positions, separated by dots; leave it out for the whole document.

Errors:
- A failed result with a message when the document is no JSON or the path leads nowhere.

Good usage: {"document": "{\\"a\\": [1, 2]}", "path": "a.1"}
Bad usage: {"document": "https://example.org/data.json"}
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
            "name": JsonQueryTool.ToolName,
            "description": 'Returns the value at a dotted path of a JSON document.',
            "parameters": {
                "type": "object",
                "properties": {
                    "document": {"type": "string", "description": "The JSON document as text"},
                    "path": {"type": "string", "description": "Dotted path such as items.0.name; empty for the whole document"},
                },
                "required": ["document"],
            },
        }

    class _Args:
        def __init__(self, data: dict) -> None:
            self.document = data.get("document")
            self.path = data.get("path")

    @staticmethod
    def _walk(value, path: str):
        for part in path.split("."):
            value = value[int(part)] if isinstance(value, list) else value[part]
        return value

    async def execute(self, arguments_json, context=None, cancellation_token=None) -> InvokeResult:
        try:
            data = json.loads(arguments_json) if arguments_json and arguments_json.strip() else {}
        except (TypeError, ValueError, RecursionError):
            return InvokeResult.from_error("The arguments are not valid JSON.")
        if not isinstance(data, dict):
            return InvokeResult.from_error("The arguments have to be a JSON object.")
        args = self._Args(data)
        if not isinstance(args.document, str) or not args.document.strip():
            return InvokeResult.from_error("document is required and has to be a text.")
        if args.path is not None and not isinstance(args.path, str):
            return InvokeResult.from_error("path has to be a text.")
        try:
            value = json.loads(args.document)
            if args.path:
                value = self._walk(value, args.path)
            payload = {"Path": args.path or "", "Value": value, **_ids(context)}
            return InvokeResult.create(json.dumps(payload, allow_nan=False))
        except (LookupError, TypeError):
            return InvokeResult.from_error("path leads to nothing in this document.")
        except (ValueError, RecursionError):
            return InvokeResult.from_error("document is not valid JSON, or path has a key where a list position is needed.")
        except Exception as ex:
            self._logger.add_exception("[JsonQueryTool_Execute__Exception]", ex)
            return InvokeResult.from_error("json_query failed to process its arguments.")


def create_tool(logger=None) -> JsonQueryTool:
    return JsonQueryTool(logger)
