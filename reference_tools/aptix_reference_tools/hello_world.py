"""agent_hello_world: the smallest complete tool (TUL-011.6.1 to TUL-011.6.4). Copy this one first."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NotRequired, Self, TypedDict

from aptix_harness import AdminLogger, AgentToolExecutionContext, CancellationToken, InvokeResult
from aptix_reference_tools._arguments import INVALID_ARGUMENTS, ArgumentError, parse_object, required_text
from aptix_reference_tools._identifiers import identifiers


@dataclass(frozen=True, slots=True)
class _HelloWorldArgs:
    """The arguments, checked."""

    name: str

    @classmethod
    def parse(cls, arguments_json: str | None) -> Self:
        arguments = parse_object(arguments_json)
        return cls(name=required_text(arguments, "name"))


class _HelloWorldResult(TypedDict):
    """The payload. These keys are published: they never change."""

    Message: str
    ConversationId: str | None
    SessionId: str | None
    Cancelled: NotRequired[bool]


class HelloWorldTool:
    """Greets the user by name (C#: `HelloWorldTool`)."""

    TOOL_NAME: Final = "agent_hello_world"
    TOOL_USAGE_METADATA: Final = """\
agent_hello_world — Usage Guide

Primary purpose:
- Creates a personalized, friendly greeting for the user.

Rules:
- Use it when the user asks to be greeted or welcomed and you know the name to greet them by.
- Do not use it to open every conversation, and do not use it when you do not know the name: ask for it first.
- It changes nothing and needs nothing from outside. The same name always gives the same greeting (idempotent), and
  it is safe to call often.
- One call greets one name. To greet several people, call it once for each.
- A call that was cancelled succeeds with a message that says so instead of a greeting.

Arguments:
- name: the name to greet, as the user writes it, with capitals and accents. Not empty. Take it from the
  conversation and never make one up.

Error codes:
- INVALID_ARGUMENTS: the name is missing, empty or not a string. Ask the user for a name, then call again.
- UNEXPECTED_FAILURE: the greeting could not be made. Greet the user in your own words.

Good usage:
- The user says "I'm Zoë, say hello to me!": call with {"name": "Zoë"}.

Bad usage:
- The user says "Welcome me!" without giving a name: calling with {"name": "user"} greets nobody.
- Calling it again for every message of somebody who was greeted already.
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
        """Return the function schema (C#: `GetSchema`; TUL-011.6.4)."""
        return {
            "type": "function",
            "name": HelloWorldTool.TOOL_NAME,
            "description": "Creates a friendly greeting using the user's name, for a user who asks to be greeted.",
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
        """Return the greeting in `Message`, beside `ConversationId` and `SessionId` (TUL-011.6.3).

        Fails with INVALID_ARGUMENTS without a name; raises nothing of its own (AGN-005.4.2).
        """
        try:
            conversation_id, session_id = identifiers(context)
            result: _HelloWorldResult
            if cancellation_token.is_cancellation_requested:
                result = {
                    "Message": "The call was cancelled before the greeting was made.",
                    "ConversationId": conversation_id,
                    "SessionId": session_id,
                    "Cancelled": True,
                }
            else:
                args = _HelloWorldArgs.parse(arguments_json)
                result = {
                    "Message": f"Hello, {args.name}! It is good to have you here.",
                    "ConversationId": conversation_id,
                    "SessionId": session_id,
                }
            return InvokeResult.create(json.dumps(result, allow_nan=False))
        except ArgumentError as error:
            return InvokeResult.from_error(str(error), INVALID_ARGUMENTS)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong, a tool answers (AGN-005.4.2)
            self._logger.add_exception("[HelloWorldTool_ExecuteAsync__Exception]", error)
            return InvokeResult.from_error(
                "HelloWorldTool could not make the greeting.", "UNEXPECTED_FAILURE"
            )
