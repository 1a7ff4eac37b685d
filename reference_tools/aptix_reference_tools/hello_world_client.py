"""agent_hello_world_client: the server part of a tool that a client finishes.

The server validates the arguments and shapes what the client needs; the client shows the greeting. For the model
and for the contract's rules it is a tool like any other.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NotRequired, Self, TypedDict

from aptix_harness import AdminLogger, AgentToolExecutionContext, CancellationToken, InvokeResult
from aptix_reference_tools._arguments import INVALID_ARGUMENTS, ArgumentError, parse_object, required_text
from aptix_reference_tools._identifiers import identifiers


@dataclass(frozen=True, slots=True)
class _HelloWorldClientArgs:
    """The arguments, checked."""

    name: str

    @classmethod
    def parse(cls, arguments_json: str | None) -> Self:
        arguments = parse_object(arguments_json)
        return cls(name=required_text(arguments, "name"))


class _HelloWorldClientResult(TypedDict):
    """What the client gets to work with. These keys are published: they never change."""

    Name: str | None
    ConversationId: str | None
    SessionId: str | None
    Cancelled: NotRequired[bool]


class HelloWorldClientTool:
    """Prepares a greeting that the user's own client shows (C#: `HelloWorldClientTool`)."""

    TOOL_NAME: Final = "agent_hello_world_client"
    TOOL_USAGE_METADATA: Final = """\
agent_hello_world_client — Usage Guide

Primary purpose:
- Has the user's own application show a friendly greeting with the user's name, for example as a banner.

Rules:
- Use it when the user asks to be greeted or welcomed on the screen, in their application.
- Do not use it when a greeting in the conversation will do: that is what agent_hello_world is for.
- The server checks the call and the user's application finishes it, so it takes as long as the application takes.
- It stores nothing, but it is not idempotent to the eye: each call shows one more greeting. Call it sparingly, once
  for each time the user asks.
- A call that was cancelled succeeds, says so, and shows nothing.

Arguments:
- name: the name to greet, as the user writes it. Not empty. Take it from the conversation.

Error codes:
- INVALID_ARGUMENTS: the name is missing, empty or not a string; nothing is shown. Ask the user, then call again.
- UNEXPECTED_FAILURE: the greeting could not be prepared; nothing is shown. Greet the user in your own words.

Good usage:
- The user says "Put a welcome for Amara on my screen": call with {"name": "Amara"}.

Bad usage:
- The user only says "Hi": answer in the conversation and call nothing.
- Calling it a second time because you cannot see the banner: the user can.
"""

    def __init__(self, logger: AdminLogger) -> None:
        self._logger = logger

    @property
    def name(self) -> str:
        """The tool's name (C#: `Name`)."""
        return self.TOOL_NAME

    @property
    def is_tool_fully_executed_on_server(self) -> bool:
        """False: a client shows the greeting (C#: `IsToolFullyExecutedOnServer`)."""
        return False

    @staticmethod
    def get_schema() -> Mapping[str, object]:
        """Return the function schema (C#: `GetSchema`; TUL-011.4.1)."""
        return {
            "type": "function",
            "name": HelloWorldClientTool.TOOL_NAME,
            "description": "Shows a friendly greeting with the user's name in the user's own application.",
            "parameters": {
                "type": "object",
                "properties": {
                    "name": {
                        "type": "string",
                        "description": "The name of the user to greet. Must not be blank.",
                        "pattern": r"\S",
                    },
                },
                "required": ["name"],
            },
        }

    async def execute(
        self,
        arguments_json: str | None,
        context: AgentToolExecutionContext | None,
        cancellation_token: CancellationToken = CancellationToken.none(),
    ) -> InvokeResult[str]:
        """Return the name to greet in `Name`, beside `ConversationId` and `SessionId`.

        Fails with INVALID_ARGUMENTS without a name; raises nothing of its own (AGN-005.4.2).
        """
        try:
            conversation_id, session_id = identifiers(context)
            result: _HelloWorldClientResult = {
                "Name": None,
                "ConversationId": conversation_id,
                "SessionId": session_id,
            }
            if cancellation_token.is_cancellation_requested:
                result["Cancelled"] = True
            else:
                result["Name"] = _HelloWorldClientArgs.parse(arguments_json).name
            return InvokeResult.create(json.dumps(result, allow_nan=False))
        except ArgumentError as error:
            return InvokeResult.from_error(str(error), INVALID_ARGUMENTS)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong, a tool answers (AGN-005.4.2)
            self._logger.add_exception("[HelloWorldClientTool_ExecuteAsync__Exception]", error)
            return InvokeResult.from_error(
                "HelloWorldClientTool could not prepare the greeting.", "UNEXPECTED_FAILURE"
            )
