"""testing_ping_pong: shows that a call goes there and comes back, with optional arguments and defaults."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self, TypedDict

from aptix_harness import AdminLogger, AgentToolExecutionContext, CancellationToken, InvokeResult
from aptix_reference_tools._arguments import (
    INVALID_ARGUMENTS,
    ArgumentError,
    optional_integer,
    optional_text,
    parse_object,
)
from aptix_reference_tools._identifiers import identifiers


@dataclass(frozen=True, slots=True)
class _PingPongArgs:
    """The arguments, checked, with their defaults."""

    message: str
    count: int

    @classmethod
    def parse(cls, arguments_json: str | None) -> Self:
        arguments = parse_object(arguments_json)
        return cls(
            message=optional_text(arguments, "message", default="ping"),
            count=optional_integer(arguments, "count", default=0),
        )


class _PingPongResult(TypedDict):
    """The payload. These keys are published: they never change."""

    reply: str | None
    count: int | None
    cancelled: bool
    conversationId: str | None
    sessionId: str | None


class PingPongTool:
    """Sends a message back and counts (C#: `PingPongTool`; AGN-005.10.1)."""

    TOOL_NAME: Final = "testing_ping_pong"
    TOOL_USAGE_METADATA: Final = """\
testing_ping_pong — Usage Guide

Primary purpose:
- Shows that tool calls reach the server and come back: it answers with the message it got and adds one to a count.

Rules:
- Use it when the user asks to test the connection to the tools, or asks for a ping.
- Do not use it to answer questions, to count things, or to keep a number for later: it remembers nothing.
- It has no side effects. The same arguments always give the same answer (idempotent), it costs next to nothing, and
  it is safe to call often.
- To play several rounds, send the count of the last answer with the next call.
- A call that was cancelled succeeds, says that it was cancelled, and has neither reply nor count.

Arguments:
- message: optional, the text to send; "ping" if left out. The reply is "pong: " and this text.
- count: optional, a whole number; 0 if left out. The answer holds this number plus one.

Error codes:
- INVALID_ARGUMENTS: the message is not a string, or the count is not a whole number or is too large. Correct it and
  call again.
- UNEXPECTED_FAILURE: the connection works, but the tool does not. Tell the user; do not call again.

Good usage:
- The user says "Is the tool server there?": call with {}.
- A second round after an answer with the count 1: call with {"message": "still there?", "count": 1}.

Bad usage:
- Sending the count as text: {"count": "1"} is refused.
- Calling it before each other tool to be on the safe side.
"""

    def __init__(self, logger: AdminLogger) -> None:
        self._logger = logger

    @property
    def name(self) -> str:
        """The tool's name (C#: `Name`)."""
        return self.TOOL_NAME

    @property
    def is_tool_fully_executed_on_server(self) -> bool:
        """True: nothing is left for a client to do (C#: `IsToolFullyExecutedOnServer`)."""
        return True

    @staticmethod
    def get_schema() -> Mapping[str, object]:
        """Return the function schema (C#: `GetSchema`; TUL-011.4.1)."""
        return {
            "type": "function",
            "name": PingPongTool.TOOL_NAME,
            "description": "Tests the way to the tool server and back: returns the message and the count plus one.",
            "parameters": {
                "type": "object",
                "properties": {
                    "message": {
                        "type": "string",
                        "description": 'The text to send back after "pong: ". Default: "ping".',
                    },
                    "count": {
                        "type": "integer",
                        "description": "The number that the answer holds plus one. Default: 0.",
                    },
                },
                "required": [],
            },
        }

    async def execute(
        self,
        arguments_json: str | None,
        context: AgentToolExecutionContext | None,
        cancellation_token: CancellationToken = CancellationToken.none(),
    ) -> InvokeResult[str]:
        """Return `reply` and `count`, whether the call was `cancelled`, and the identifiers.

        Fails with INVALID_ARGUMENTS for a wrong type; raises nothing of its own (AGN-005.4.2).
        """
        try:
            conversation_id, session_id = identifiers(context)
            result: _PingPongResult = {
                "reply": None,
                "count": None,
                "cancelled": cancellation_token.is_cancellation_requested,
                "conversationId": conversation_id,
                "sessionId": session_id,
            }
            if not result["cancelled"]:
                args = _PingPongArgs.parse(arguments_json)
                result["reply"] = f"pong: {args.message}"
                result["count"] = args.count + 1
            return InvokeResult.create(json.dumps(result, allow_nan=False))
        except ArgumentError as error:
            return InvokeResult.from_error(str(error), INVALID_ARGUMENTS)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong, a tool answers (AGN-005.4.2)
            self._logger.add_exception("[PingPongTool_ExecuteAsync__Exception]", error)
            return InvokeResult.from_error("PingPongTool could not answer.", "UNEXPECTED_FAILURE")
