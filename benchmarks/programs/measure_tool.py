"""The measured tool: five arguments, one of each common kind, and next to nothing to do."""

import json
from typing import Any, Final

import measures

from aptix_harness import AdminLogger, AgentToolExecutionContext, CancellationToken, InvokeResult


class MeasureTool:
    """Gives back what it was sent, with the identifiers of the call."""

    TOOL_NAME: Final = "benchmark_measure"
    TOOL_USAGE_METADATA: Final = """benchmark_measure: usage guide

Primary purpose:
- Gives back a measure: what was measured, how many, the share, the unit.

When to use:
- Call it when a benchmark runs.
- Do not use it for anything else.

Arguments:
- name: required, what is measured.
- count: required, a whole number from 0 to 100.
- ratio: optional, from 0 to 1; 0 if left out.
- unit: optional, metre, mile or foot; metre if left out.
- detailed: optional, whether to say more; false if left out.

Behaviour:
- Idempotent, cheap, safe to call often.

Errors:
- A failed result with a message when an argument is missing or wrong.

Good usage:
- {"name": "plank", "count": 3}

Bad usage:
- {"name": "", "count": -1}
"""

    def __init__(self, logger: AdminLogger) -> None:
        self._logger = logger

    @property
    def name(self) -> str:
        return self.TOOL_NAME

    @property
    def is_tool_fully_executed_on_server(self) -> bool:
        return True

    @staticmethod
    def get_schema() -> dict[str, Any]:
        return {
            "type": "function",
            "name": MeasureTool.TOOL_NAME,
            "description": "Gives back a measure.",
            "parameters": measures.PARAMETERS,
        }

    async def execute(
        self,
        arguments_json: str | None,
        context: AgentToolExecutionContext | None,
        cancellation_token: CancellationToken = CancellationToken.none(),
    ) -> InvokeResult[str]:
        try:
            try:
                sent = json.loads(arguments_json or "")
            except (ValueError, RecursionError):
                return InvokeResult.from_error("The arguments are not a JSON object.")
            fault = measures.fault(sent)
            if fault:
                return InvokeResult.from_error(fault)
            request = context.request if context else None
            result = {
                **measures.measure(sent),
                "cancelled": cancellation_token.is_cancellation_requested,
                "sessionId": context.session_id if context else None,
                "conversationId": request.conversation_id if request else None,
            }
            return InvokeResult.create(json.dumps(result))
        except Exception as error:  # noqa: BLE001 - whatever goes wrong, a tool answers
            self._logger.add_exception("[MeasureTool_ExecuteAsync__Exception]", error)
            return InvokeResult.from_error("benchmark_measure failed.")
