"""testing_failure_injection: a failure on purpose, logged as a custom event (AGN-005.6.2, AGN-005.9.1)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self, TypedDict

from aptix_harness import AdminLogger, AgentToolExecutionContext, CancellationToken, InvokeResult, LogLevel
from aptix_reference_tools._arguments import (
    INVALID_ARGUMENTS,
    ArgumentError,
    optional_boolean,
    optional_text,
    parse_object,
)
from aptix_reference_tools._identifiers import identifiers


@dataclass(frozen=True, slots=True)
class _FailureInjectionArgs:
    """The arguments, checked, with their defaults."""

    should_fail: bool
    failure_message: str
    payload: str | None

    @classmethod
    def parse(cls, arguments_json: str | None) -> Self:
        arguments = parse_object(arguments_json)
        message = optional_text(arguments, "failureMessage", default="")
        return cls(
            should_fail=optional_boolean(arguments, "shouldFail", default=False),
            # A failure without a message would be of no use to anyone.
            failure_message=message if message.strip() else "This failure was asked for.",
            payload=optional_text(arguments, "payload", default=None),
        )


class _FailureInjectionResult(TypedDict):
    """The payload of a call that was not told to fail. These keys are published: they never change."""

    failed: bool
    payload: str | None
    cancelled: bool
    conversationId: str | None
    sessionId: str | None


class FailureInjectionTool:
    """Fails when it is told to (C#: `FailureInjectionTool`; AGN-005.10.1)."""

    TOOL_NAME: Final = "testing_failure_injection"
    TOOL_USAGE_METADATA: Final = """\
testing_failure_injection — Usage Guide

Primary purpose:
- Fails on purpose, with a message of your choice, to test how failed tool calls are shown and recovered from.

Rules:
- Use it when the user asks to test a failing tool call, or to see how a failure is handled.
- Do not use it to report a real problem, to end a conversation, or in place of a tool that you cannot call.
- It fails only when it is told to; otherwise it succeeds and hands the payload back.
- A failure that you asked for is the expected outcome: go on with the conversation and do not call again.
- It changes nothing, but each failure on purpose is written to the administrators' log, with the payload: put
  nothing private into it. The same arguments always give the same outcome (idempotent). Safe to call often.
- A call that was cancelled succeeds, says that it was cancelled, and does not fail even if it was told to.

Arguments:
- shouldFail: optional, true to fail; false if left out.
- failureMessage: optional, the message of the failure; a general one if left out or blank. Not used otherwise.
- payload: optional, any text; comes back in the answer of a call that succeeds.

Error codes:
- INJECTED_FAILURE: the failure that was asked for, with its message.
- INVALID_ARGUMENTS: an argument is of the wrong type. Correct it and call again.
- UNEXPECTED_FAILURE: a failure that nobody asked for. Tell the user that the test itself did not work.

Good usage:
- The user says "Pretend that the disk is full": call with {"shouldFail": true, "failureMessage": "Disk full."}.
- The user wants to see the other case: call with {"shouldFail": false, "payload": "all is well"}.

Bad usage:
- Sending text for a truth value: {"shouldFail": "yes"} is refused.
- Calling it over and over to make the failure go away.
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
            "name": FailureInjectionTool.TOOL_NAME,
            "description": "Fails on purpose when told to, to test how failed tool calls are handled.",
            "parameters": {
                "type": "object",
                "properties": {
                    "shouldFail": {
                        "type": "boolean",
                        "description": "Whether the call is to fail. Default: false.",
                    },
                    "failureMessage": {
                        "type": "string",
                        "description": "The message of the failure. Default: a general message.",
                    },
                    "payload": {
                        "type": "string",
                        "description": "A text that comes back if the call succeeds. Default: none.",
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
        """Return `failed` (false), `payload`, `cancelled` and the identifiers, or fail if told to.

        Fails with INJECTED_FAILURE or INVALID_ARGUMENTS; raises nothing of its own (AGN-005.4.2).
        """
        try:
            conversation_id, session_id = identifiers(context)
            result: _FailureInjectionResult = {
                "failed": False,
                "payload": None,
                "cancelled": cancellation_token.is_cancellation_requested,
                "conversationId": conversation_id,
                "sessionId": session_id,
            }
            if not result["cancelled"]:
                args = _FailureInjectionArgs.parse(arguments_json)
                if args.should_fail:
                    self._logger.add_custom_event(
                        LogLevel.ERROR,
                        "[FailureInjectionTool_ExecuteAsync]",
                        "A failure was asked for.",
                        [
                            ("ConversationId", conversation_id or ""),
                            ("SessionId", session_id or ""),
                            ("Payload", args.payload or ""),
                        ],
                    )
                    return InvokeResult.from_error(args.failure_message, "INJECTED_FAILURE")
                result["payload"] = args.payload
            return InvokeResult.create(json.dumps(result, allow_nan=False))
        except ArgumentError as error:
            return InvokeResult.from_error(str(error), INVALID_ARGUMENTS)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong, a tool answers (AGN-005.4.2)
            self._logger.add_exception("[FailureInjectionTool_ExecuteAsync__Exception]", error)
            return InvokeResult.from_error(
                "FailureInjectionTool failed, though not in the way it was told to.", "UNEXPECTED_FAILURE"
            )
