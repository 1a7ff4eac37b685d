"""Computes a slow key digest for each of several phrases, a quarter of a second for each."""
import json
from dataclasses import dataclass
import asyncio
import hashlib


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


class BatchDigestTool:
    ToolName = "batch_digest"
    ToolUsageMetadata = """batch_digest - Usage Guide

Primary purpose:
- Derive comparable digests from pass phrases without storing the phrases.

Rules:
- Call it when the user wants to compare phrases by digest. Do not call it for single short checks in a loop; send one batch.
- A phrase takes a quarter of a second, so call it sparingly. The same input gives the same digests.

Arguments:
- phrases: one to sixty phrases.
- salt: optional, the same for all phrases.

Errors:
- A failed result with a message when phrases is missing, empty, too long or holds something that is no text.

Good usage: {"phrases": ["tulip", "harbour"], "salt": "2026"}
Bad usage: {"phrases": "tulip"}
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
            "name": BatchDigestTool.ToolName,
            "description": 'Computes a slow key digest for each of several phrases, a quarter of a second for each.',
            "parameters": {
                "type": "object",
                "properties": {
                    "phrases": {"type": "array", "items": {"type": "string"}, "description": "The phrases, at most 60"},
                    "salt": {"type": "string", "description": "Salt for all digests; empty if left out"},
                },
                "required": ["phrases"],
            },
        }

    class _Args:
        def __init__(self, data: dict) -> None:
            self.phrases = data.get("phrases")
            self.salt = data.get("salt")

    async def execute(self, arguments_json, context=None, cancellation_token=None) -> InvokeResult:
        try:
            data = json.loads(arguments_json) if arguments_json and arguments_json.strip() else {}
        except (TypeError, ValueError, RecursionError):
            return InvokeResult.from_error("The arguments are not valid JSON.")
        if not isinstance(data, dict):
            return InvokeResult.from_error("The arguments have to be a JSON object.")
        args = self._Args(data)
        if not isinstance(args.phrases, list) or not 1 <= len(args.phrases) <= 60:
            return InvokeResult.from_error("phrases is required: a list of one to sixty texts.")
        if not all(isinstance(phrase, str) for phrase in args.phrases):
            return InvokeResult.from_error("phrases may hold texts only.")
        if args.salt is not None and not isinstance(args.salt, str):
            return InvokeResult.from_error("salt has to be a text.")
        try:
            salt = (args.salt or "").encode("utf-8", "surrogatepass")
            digests = []
            for phrase in args.phrases:
                if _is_cancelled(cancellation_token):
                    break
                await asyncio.sleep(0.25)
                raw = hashlib.pbkdf2_hmac("sha256", phrase.encode("utf-8", "surrogatepass"), salt, 1000)
                digests.append(raw.hex())
            cancelled = len(digests) < len(args.phrases)
            payload = {"Digests": digests, "Cancelled": cancelled, **_ids(context)}
            return InvokeResult.create(json.dumps(payload))
        except Exception as ex:
            self._logger.add_exception("[BatchDigestTool_Execute__Exception]", ex)
            return InvokeResult.from_error("batch_digest failed to process its arguments.")


def create_tool(logger=None) -> BatchDigestTool:
    return BatchDigestTool(logger)
