"""A conforming tool, as its author would write it."""

import json
from typing import Any, Final

from aptix_harness import AgentToolExecutionContext, CancellationToken, InvokeResult


class WeatherTool:
    """The weather of three cities, by heart."""

    TOOL_NAME: Final = "agent_weather"
    TOOL_USAGE_METADATA: Final = """agent_weather: usage guide

Primary purpose:
- Tells today's weather in a city that it knows.

When to use:
- Call it when the user asks for the weather.
- Do not use it for forecasts or for places that are no cities.

Arguments:
- city: the city's English name, such as "Oslo".

Behaviour:
- Idempotent, cheap, safe to call often. It knows three cities.

Errors:
- A failed result with a message when the city is missing or unknown.

Good usage:
- {"city": "Oslo"}

Bad usage:
- {"city": ""}
"""

    def __init__(self, logger: Any) -> None:
        self._logger = logger

    @property
    def name(self) -> str:
        return self.TOOL_NAME

    @property
    def is_tool_fully_executed_on_server(self) -> bool:
        return True

    @staticmethod
    def get_schema() -> dict[str, object]:
        return {
            "type": "function",
            "name": WeatherTool.TOOL_NAME,
            "description": "Tells today's weather in a city.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string", "description": "The city's English name."}},
                "required": ["city"],
            },
        }

    async def execute(
        self,
        arguments_json: str | None,
        context: AgentToolExecutionContext | None,
        cancellation_token: CancellationToken = CancellationToken.none(),
    ) -> InvokeResult[str]:
        try:
            try:
                arguments = json.loads(arguments_json or "")
            except (ValueError, RecursionError):
                return InvokeResult.from_error("The arguments are not a JSON object.")
            city = arguments.get("city") if isinstance(arguments, dict) else None
            if not isinstance(city, str) or not city.strip():
                return InvokeResult.from_error("The argument city is required: a city's name.")
            request = context.request if context else None
            return InvokeResult.create(
                json.dumps(
                    {
                        "city": city,
                        "weather": "rain",
                        "sessionId": context.session_id if context else None,
                        "conversationId": request.conversation_id if request else None,
                    }
                )
            )
        except Exception as error:
            self._logger.add_exception("[WeatherTool_ExecuteAsync__Exception]", error)
            return InvokeResult.from_error("agent_weather failed.")
