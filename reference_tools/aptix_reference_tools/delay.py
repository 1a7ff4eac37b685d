"""testing_delay: a tool that takes long, and stops as soon as it is told to (AGN-005.8.1, AGN-005.8.2)."""

import asyncio
import json
import time
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

_MAXIMUM_MS: Final = 60_000


@dataclass(frozen=True, slots=True)
class _DelayArgs:
    """The arguments, checked, with their defaults."""

    milliseconds: int
    note: str | None

    @classmethod
    def parse(cls, arguments_json: str | None) -> Self:
        arguments = parse_object(arguments_json)
        return cls(
            milliseconds=optional_integer(arguments, "milliseconds", default=1_000),
            note=optional_text(arguments, "note", default=None),
        )

    @property
    def seconds(self) -> float:
        """How long to wait: what was asked for, clamped to what is allowed."""
        return min(max(self.milliseconds, 0), _MAXIMUM_MS) / 1_000


class _DelayResult(TypedDict):
    """The payload. These keys are published: they never change."""

    requestedMs: int
    elapsedMs: int
    cancelled: bool
    note: str | None
    conversationId: str | None
    sessionId: str | None


async def _is_cancelled_within(seconds: float, token: CancellationToken) -> bool:
    """Wait for the token, but no longer than `seconds`; return whether it was cancelled."""
    try:
        async with asyncio.timeout(seconds):
            await token.wait()
    except TimeoutError:
        return False
    return True


class DelayTool:
    """Waits for a while (C#: `DelayTool`; AGN-005.10.1)."""

    TOOL_NAME: Final = "testing_delay"
    TOOL_USAGE_METADATA: Final = """\
testing_delay — Usage Guide

Primary purpose:
- Waits for a given time and then reports how long it waited. It exists to test slow tools and cancellation.

Rules:
- Use it when the user asks to test a delay, a time-out or the cancelling of a running call.
- Do not use it to pace a conversation, to wait for something to happen elsewhere, or as a reminder.
- The call takes as long as the delay, so it is expensive in time: call it sparingly and keep the delay short.
- The delay is limited to 0 to 60000 milliseconds. Anything outside is not refused but clamped: less than 0 waits not
  at all, more than 60000 waits 60000.
- It changes nothing. Repeating a call waits again, and apart from the time measured the answer is the same.
- A call that is cancelled ends at once and succeeds: the answer says that it was cancelled and after how long.

Arguments:
- milliseconds: optional, a whole number, how long to wait; 1000 if left out. One second is 1000.
- note: optional, a short text that comes back in the answer, to tell several delays apart.

Error codes:
- INVALID_ARGUMENTS: the milliseconds are not a whole number or are too large to read, or the note is not a string.
  Correct it and call again.
- UNEXPECTED_FAILURE: the delay could not be run. Tell the user; do not call again.

Good usage:
- The user says "Make a slow call of two seconds": call with {"milliseconds": 2000, "note": "slow call"}.

Bad usage:
- Sending seconds instead of milliseconds: {"milliseconds": 2} waits two thousandths of a second.
- Calling it while the user waits for an answer to something else.
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
        """Return the function schema (C#: `GetSchema`; TUL-011.4.1).

        It declares no bounds for `milliseconds`: what is out of range is clamped, so every integer is allowed.
        """
        return {
            "type": "function",
            "name": DelayTool.TOOL_NAME,
            "description": "Waits for a time and reports how long it waited, to test slow calls and cancellation.",
            "parameters": {
                "type": "object",
                "properties": {
                    "milliseconds": {
                        "type": "integer",
                        "description": "How long to wait, in milliseconds, clamped to 0..60000. Default: 1000.",
                    },
                    "note": {
                        "type": "string",
                        "description": "A short text that comes back in the answer. Default: none.",
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
        """Wait, then return `requestedMs` as asked, `elapsedMs`, `cancelled`, `note` and the identifiers.

        Fails with INVALID_ARGUMENTS for a wrong type; raises nothing of its own (AGN-005.4.2).
        """
        try:
            conversation_id, session_id = identifiers(context)
            args = _DelayArgs.parse(arguments_json)
            started = time.monotonic()
            cancelled = await _is_cancelled_within(args.seconds, cancellation_token)
            result: _DelayResult = {
                "requestedMs": args.milliseconds,
                "elapsedMs": round((time.monotonic() - started) * 1_000),
                "cancelled": cancelled,
                "note": args.note,
                "conversationId": conversation_id,
                "sessionId": session_id,
            }
            return InvokeResult.create(json.dumps(result, allow_nan=False))
        except ArgumentError as error:
            return InvokeResult.from_error(str(error), INVALID_ARGUMENTS)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong, a tool answers (AGN-005.4.2)
            self._logger.add_exception("[DelayTool_ExecuteAsync__Exception]", error)
            return InvokeResult.from_error("DelayTool could not run the delay.", "UNEXPECTED_FAILURE")
