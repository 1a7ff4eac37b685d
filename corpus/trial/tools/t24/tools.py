"""Collects the hash tags and mentions of a text in the order in which they appear."""
import json
from dataclasses import dataclass
import re


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


TAG = re.compile(r"#\w+")
MENTION = re.compile(r"@\w+")


class TagExtractorTool:
    ToolName = "extract_tags"
    ToolUsageMetadata = """extract_tags - Usage Guide

Primary purpose:
- Collect the #tags and @mentions of one text.

Rules:
- Call it when the user asks for tags or mentions. Do not call it for key words that are not marked.
- Each text stands alone: the same text gives the same tags. It is cheap.

Arguments:
- text: the text, at most 100000 characters.
- lowercase: false keeps the tags as they are written.

Errors:
- A failed result with a message when text is missing.

Good usage: {"text": "See #Paris with @ann"}
Bad usage: {"text": null}
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
            "name": TagExtractorTool.ToolName,
            "description": 'Collects the hash tags and mentions of a text in the order in which they appear.',
            "parameters": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "description": "The text to look through"},
                    "lowercase": {"type": "boolean", "description": "Return the tags in lower case; true if left out"},
                },
                "required": ["text"],
            },
        }

    class _Args:
        def __init__(self, data: dict) -> None:
            self.text = data.get("text")
            self.lowercase = data.get("lowercase")

    @staticmethod
    def _collect(pattern: re.Pattern, text: str, found: dict = {}) -> list[str]:
        for word in pattern.findall(text):
            found.setdefault(word, len(found))
        return [word for word in found if word[0] == pattern.pattern[0]]

    async def execute(self, arguments_json, context=None, cancellation_token=None) -> InvokeResult:
        try:
            data = json.loads(arguments_json) if arguments_json and arguments_json.strip() else {}
        except (TypeError, ValueError, RecursionError):
            return InvokeResult.from_error("The arguments are not valid JSON.")
        if not isinstance(data, dict):
            return InvokeResult.from_error("The arguments have to be a JSON object.")
        args = self._Args(data)
        if not isinstance(args.text, str) or len(args.text) > 100000:
            return InvokeResult.from_error("text is required: a text of at most 100000 characters.")
        if args.lowercase is not None and not isinstance(args.lowercase, bool):
            return InvokeResult.from_error("lowercase has to be true or false.")
        try:
            text = args.text if args.lowercase is False else args.text.lower()
            payload = {
                "Tags": self._collect(TAG, text),
                "Mentions": self._collect(MENTION, text),
                **_ids(context),
            }
            return InvokeResult.create(json.dumps(payload))
        except Exception as ex:
            self._logger.add_exception("[TagExtractorTool_Execute__Exception]", ex)
            return InvokeResult.from_error("extract_tags failed to process its arguments.")


def create_tool(logger=None) -> TagExtractorTool:
    return TagExtractorTool(logger)
