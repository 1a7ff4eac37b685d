"""testing_calculator: required arguments, an enumeration, and failures that are ordinary results."""

import json
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Self, TypedDict

from aptix_harness import AdminLogger, AgentToolExecutionContext, CancellationToken, InvokeResult
from aptix_reference_tools._arguments import (
    INVALID_ARGUMENTS,
    ArgumentError,
    parse_object,
    required_choice,
    required_number,
)
from aptix_reference_tools._identifiers import identifiers


def _divide(left: float, right: float) -> float:
    """Return an exact integer where there is one, as for the other operations on integers."""
    if isinstance(left, int) and isinstance(right, int) and left % right == 0:
        return left // right
    return left / right


_OPERATIONS: Final[Mapping[str, Callable[[float, float], float]]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": _divide,
}


@dataclass(frozen=True, slots=True)
class _CalculatorArgs:
    """The arguments, checked. A `float` here may be an `int`, and is then exact."""

    operation: str
    left: float
    right: float

    @classmethod
    def parse(cls, arguments_json: str | None) -> Self:
        arguments = parse_object(arguments_json)
        return cls(
            operation=required_choice(arguments, "operation", list(_OPERATIONS)),
            left=required_number(arguments, "left"),
            right=required_number(arguments, "right"),
        )

    def calculate(self) -> float:
        """Return the result.

        Raises:
            ZeroDivisionError: a division by zero.
            OverflowError: the result is beyond the range of a double, integers included.
        """
        result = _OPERATIONS[self.operation](self.left, self.right)
        if not math.isfinite(result):  # raises OverflowError itself for an integer that is too long
            raise OverflowError
        return result


class _CalculatorResult(TypedDict):
    """The payload. These keys are published: they never change."""

    operation: str | None
    left: float | None
    right: float | None
    result: float | None
    cancelled: bool
    conversationId: str | None
    sessionId: str | None


class CalculatorTool:
    """Adds, subtracts, multiplies and divides two numbers (C#: `CalculatorTool`; AGN-005.10.1)."""

    TOOL_NAME: Final = "testing_calculator"
    TOOL_USAGE_METADATA: Final = """\
testing_calculator — Usage Guide

Primary purpose:
- Calculates with two numbers: one addition, subtraction, multiplication or division.

Rules:
- Use it when an answer depends on arithmetic that must be right, above all with long or fractional numbers.
- Do not use it for anything but these four operations, and not for sums that you know by heart.
- One call does one operation. For a longer calculation call it step by step, and use each result in the next step.
- Whole numbers are calculated exactly, and so is a division that comes out even. Everything else is calculated with
  floating point numbers: about 15 digits are right, so 0.1 plus 0.2 is not exactly 0.3.
- Numbers and results are limited to what a floating point number holds, about 1.8e308 either way.
- It has no side effects. The same arguments always give the same result (idempotent), and it is safe to call often.
- A call that was cancelled succeeds, says that it was cancelled, and has no result.

Arguments:
- operation: one of add, subtract, multiply, divide, written exactly so.
- left: the first number; for subtract the one to take away from, for divide the one to be divided.
- right: the second number; for subtract the one to take away, for divide the divisor, which must not be 0.

Error codes:
- INVALID_ARGUMENTS: an argument is missing, is not a number or is too large, or the operation is unknown. Correct
  it and call again.
- DIVISION_BY_ZERO: the divisor is 0. Tell the user that there is no result; the same call fails again.
- OVERFLOW: the result is too large. Tell the user; the same call fails again.
- UNEXPECTED_FAILURE: the calculation could not be made. Tell the user instead of guessing the result.

Good usage:
- The user asks what 1234.5 times 17 is: call with {"operation": "multiply", "left": 1234.5, "right": 17}.
- The user wants 91 shared out among 7: call with {"operation": "divide", "left": 91, "right": 7}.

Bad usage:
- Sending numbers as text: {"operation": "add", "left": "2", "right": "3"} is refused.
- Sending a formula, a percentage, or an operation such as "sqrt".
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
            "name": CalculatorTool.TOOL_NAME,
            "description": "Calculates with two numbers: adds, subtracts, multiplies or divides them.",
            "parameters": {
                "type": "object",
                "properties": {
                    "operation": {
                        "type": "string",
                        "enum": list(_OPERATIONS),
                        "description": "What to do with the two numbers.",
                    },
                    "left": {
                        "type": "number",
                        "description": "The first number: taken away from, or divided.",
                    },
                    "right": {
                        "type": "number",
                        "description": "The second number: taken away, or divided by. Not 0 for divide.",
                    },
                },
                "required": ["operation", "left", "right"],
            },
        }

    async def execute(
        self,
        arguments_json: str | None,
        context: AgentToolExecutionContext | None,
        cancellation_token: CancellationToken = CancellationToken.none(),
    ) -> InvokeResult[str]:
        """Return the arguments and their `result`, whether the call was `cancelled`, and the identifiers.

        Fails with INVALID_ARGUMENTS, DIVISION_BY_ZERO or OVERFLOW; raises nothing of its own (AGN-005.4.2).
        """
        try:
            conversation_id, session_id = identifiers(context)
            result: _CalculatorResult = {
                "operation": None,
                "left": None,
                "right": None,
                "result": None,
                "cancelled": cancellation_token.is_cancellation_requested,
                "conversationId": conversation_id,
                "sessionId": session_id,
            }
            if not result["cancelled"]:
                args = _CalculatorArgs.parse(arguments_json)
                result["operation"] = args.operation
                result["left"] = args.left
                result["right"] = args.right
                result["result"] = args.calculate()
            return InvokeResult.create(json.dumps(result, allow_nan=False))
        except ArgumentError as error:
            return InvokeResult.from_error(str(error), INVALID_ARGUMENTS)
        except ZeroDivisionError:
            return InvokeResult.from_error("'right' must not be 0 for divide.", "DIVISION_BY_ZERO")
        except OverflowError:
            return InvokeResult.from_error("The result is too large.", "OVERFLOW")
        except Exception as error:  # noqa: BLE001 - whatever goes wrong, a tool answers (AGN-005.4.2)
            self._logger.add_exception("[CalculatorTool_ExecuteAsync__Exception]", error)
            return InvokeResult.from_error("CalculatorTool could not calculate.", "UNEXPECTED_FAILURE")
