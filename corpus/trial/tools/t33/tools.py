"""Searches the reminders of the user by a text."""
import json
from dataclasses import dataclass
from datetime import datetime, timezone


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


REMINDERS = [
    {"title": "Dentist", "due": datetime(2026, 6, 3, 8, 30, tzinfo=timezone.utc), "done": False},
    {"title": "Call the printer", "due": datetime(2026, 6, 1, 9, 0, tzinfo=timezone.utc), "done": True},
    {"title": "Pay the rent", "due": datetime(2026, 6, 30, 12, 0, tzinfo=timezone.utc), "done": False},
]


class SearchRemindersTool:
    ToolName = "search_reminders"
    ToolUsageMetadata = """search_reminders - Usage Guide

Primary purpose:
- Find reminders of the user by a part of their title.

Rules:
- Call it when the user asks about a certain reminder. Do not call it to list everything.
- It only reads and is safe to call often. At most twenty reminders come back.

Arguments:
- query: a part of the title.
- only_open: true leaves out what is done.

Errors:
- A failed result with a message when query is missing or empty.

Good usage: {"query": "dentist", "only_open": true}
Bad usage: {"query": ""}
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
            "name": SearchRemindersTool.ToolName,
            "description": 'Searches the reminders of the user by a text.',
            "parameters": {
                "type": "object",
                "properties": {
                    "query": {"type": "string", "description": "Text to look for in the title, case does not matter"},
                    "only_open": {"type": "boolean", "description": "Leave out reminders that are done; false if left out"},
                },
                "required": ["query"],
            },
        }

    class _Args:
        def __init__(self, data: dict) -> None:
            self.query = data.get("query")
            self.only_open = data.get("only_open")

    async def execute(self, arguments_json, context=None, cancellation_token=None) -> InvokeResult:
        try:
            data = json.loads(arguments_json) if arguments_json and arguments_json.strip() else {}
        except (TypeError, ValueError, RecursionError):
            return InvokeResult.from_error("The arguments are not valid JSON.")
        if not isinstance(data, dict):
            return InvokeResult.from_error("The arguments have to be a JSON object.")
        args = self._Args(data)
        if not isinstance(args.query, str) or not args.query.strip():
            return InvokeResult.from_error("query is required and has to be a text.")
        if args.only_open is not None and not isinstance(args.only_open, bool):
            return InvokeResult.from_error("only_open has to be true or false.")
        try:
            needle = args.query.strip().casefold()
            found = [
                reminder
                for reminder in REMINDERS
                if needle in reminder["title"].casefold() and not (args.only_open and reminder["done"])
            ]
        except Exception as ex:
            self._logger.add_exception("[SearchRemindersTool_Execute__Exception]", ex)
            return InvokeResult.from_error("search_reminders failed to process its arguments.")
        payload = {"Count": len(found), "Reminders": found[:20], **_ids(context)}
        return InvokeResult.create(json.dumps(payload))


def create_tool(logger=None) -> SearchRemindersTool:
    return SearchRemindersTool(logger)
