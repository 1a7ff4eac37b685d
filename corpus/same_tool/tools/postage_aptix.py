"""The tool as an Aptix tool, and a class for each fault."""

import json
from collections.abc import Mapping
from typing import Any, Final

from aptix_harness import AdminLogger, AgentToolExecutionContext, CancellationToken, InvokeResult
from postage import PRICES, RefusalError, quote


class PostageTool:
    """Quotes the postage of a parcel in euros."""

    TOOL_NAME: Final = "agent_quote_postage"
    TOOL_USAGE_METADATA: Final = """\
Purpose:
- Quotes the postage of a parcel in euros.

When to use:
- Call it when the user asks what it costs to send a parcel.
- Do not use it for letters or for the time of delivery.

Arguments:
- zone: where the parcel goes: home, europe, islands or world.
- kilograms: what it weighs, from 0 to 30; to the islands 1 at most.

Behaviour:
- Read-only, cheap and safe to repeat: the same arguments give the same result.

Errors:
- A failed result with a message when an argument is missing or wrong, or when there is no tariff.

Example:
- {"zone": "home", "kilograms": 2}
"""
    FAULT = "conforming"

    def __init__(self, logger: AdminLogger) -> None:
        self._logger = logger

    @property
    def name(self) -> str:
        return self.TOOL_NAME

    @property
    def is_tool_fully_executed_on_server(self) -> bool:
        return True

    @staticmethod
    def get_schema() -> Mapping[str, object]:
        return {
            "type": "function",
            "name": "agent_quote_postage",
            "description": "Quotes the postage of a parcel in euros.",
            "parameters": {
                "type": "object",
                "properties": {
                    "zone": {"type": "string", "enum": list(PRICES), "description": "Where the parcel goes."},
                    "kilograms": {
                        "type": "number", "minimum": 0, "maximum": 30, "description": "What it weighs.",
                    },
                },
                "required": ["zone", "kilograms"],
            },
        }  # fmt: skip

    async def execute(
        self,
        arguments_json: str | None,
        context: AgentToolExecutionContext | None,
        cancellation_token: CancellationToken = CancellationToken.none(),
    ) -> InvokeResult[str]:
        try:
            zone, kilograms = _read(arguments_json)
            said = await quote(
                zone, kilograms, self.FAULT, lambda: cancellation_token.is_cancellation_requested
            )
            if not said["found"]:
                said["note"] = "The call was cancelled."
            return InvokeResult.create(json.dumps(said | _identifiers(context)))
        except RefusalError as refusal:
            return InvokeResult.from_error(str(refusal))
        except Exception as error:
            self._logger.add_exception("[PostageTool_ExecuteAsync__Exception]", error)
            return InvokeResult.from_error("The tariffs are not available now.")


def _read(arguments_json: str | None) -> tuple[str, float]:
    try:
        given: Any = json.loads(arguments_json or "{}")
    except (ValueError, RecursionError):
        raise RefusalError("The arguments are not valid JSON.") from None
    if not isinstance(given, dict):
        raise RefusalError("The arguments are not a JSON object.")
    zone, kilograms = given.get("zone"), given.get("kilograms")
    if not isinstance(zone, str) or zone not in PRICES:
        raise RefusalError(f"zone is required: one of {', '.join(PRICES)}.")
    if isinstance(kilograms, bool) or not isinstance(kilograms, (int, float)) or not 0 <= kilograms <= 30:
        raise RefusalError("kilograms is required: a number from 0 to 30.")
    return zone, kilograms


def _identifiers(context: AgentToolExecutionContext | None) -> dict[str, Any]:
    request = context.request if context else None
    return {
        "sessionId": context.session_id if context else None,
        "conversationId": request.conversation_id if request else None,
    }


class ShowsAPath(PostageTool):
    FAULT = "shows-a-path"


class ShowsACredential(PostageTool):
    FAULT = "shows-a-credential"


class Hangs(PostageTool):
    FAULT = "hangs"


class EndsTheProcess(PostageTool):
    FAULT = "ends-the-process"


class PriceAsText(PostageTool):
    FAULT = "price-as-text"


class FailureAsSuccess(PostageTool):
    FAULT = "failure-as-success"


class KeepsItsLock(PostageTool):
    FAULT = "keeps-its-lock"


class ComputesOn(PostageTool):
    FAULT = "computes-on"
