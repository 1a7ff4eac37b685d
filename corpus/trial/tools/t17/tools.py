"""Evaluates an arithmetic expression with numbers, brackets and the operators + - * / // % **."""
import json
from dataclasses import dataclass
import ast
import operator


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


OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


class ExpressionTool:
    ToolName = "evaluate_expression"
    ToolUsageMetadata = """evaluate_expression - Usage Guide

Primary purpose:
- Compute an arithmetic expression exactly instead of guessing.

Rules:
- Call it for every calculation with more than two numbers. Do not call it for units, dates or variables.
- The same expression gives the same value; it is cheap.

Arguments:
- expression: numbers, brackets and + - * / // % **, at most 500 characters.
- digits: optional rounding.

Errors:
- A failed result with a message when the expression cannot be read or computed.

Good usage: {"expression": "(19.9 + 5) * 3", "digits": 2}
Bad usage: {"expression": "x + 1"}
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
            "name": ExpressionTool.ToolName,
            "description": 'Evaluates an arithmetic expression with numbers, brackets and the operators + - * / // % **.',
            "parameters": {
                "type": "object",
                "properties": {
                    "expression": {"type": "string", "description": "The expression, such as (2 + 3) * 4"},
                    "digits": {"type": "integer", "description": "Round the result to this many decimals, 0 to 12; not rounded if left out"},
                },
                "required": ["expression"],
            },
        }

    class _Args:
        def __init__(self, data: dict) -> None:
            self.expression = data.get("expression")
            self.digits = data.get("digits")

    @classmethod
    def _value(cls, node: ast.AST, depth: int = 0):
        if depth > 50:
            raise ValueError("the expression is nested too deeply")
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
            value = cls._value(node.operand, depth + 1)
            return value if isinstance(node.op, ast.UAdd) else -value
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            left, right = cls._value(node.left, depth + 1), cls._value(node.right, depth + 1)
            if isinstance(node.op, ast.Pow) and (abs(right) > 200 or abs(left) > 1e6):
                raise ValueError("the power is too large")
            value = OPERATORS[type(node.op)](left, right)
            if isinstance(value, complex) or not abs(value) < 1e300:
                raise ValueError("the result is no real number below 1e300")
            return value
        raise ValueError("only numbers, brackets and + - * / // % ** are allowed")

    async def execute(self, arguments_json, context=None, cancellation_token=None) -> InvokeResult:
        try:
            data = json.loads(arguments_json) if arguments_json and arguments_json.strip() else {}
        except (TypeError, ValueError, RecursionError):
            return InvokeResult.from_error("The arguments are not valid JSON.")
        if not isinstance(data, dict):
            return InvokeResult.from_error("The arguments have to be a JSON object.")
        args = self._Args(data)
        if not isinstance(args.expression, str) or not 0 < len(args.expression.strip()) <= 500:
            return InvokeResult.from_error("expression is required: a text of at most 500 characters.")
        if args.digits is not None and (type(args.digits) is not int or not 0 <= args.digits <= 12):
            return InvokeResult.from_error("digits has to be a whole number from 0 to 12.")
        output, error = None, ""
        try:
            output = self._value(ast.parse(args.expression.strip(), mode="eval").body)
            if args.digits is not None:
                output = round(float(output), args.digits)
        except (ArithmeticError, ValueError, SyntaxError) as ex:
            error = f"{type(ex).__name__}: {ex}"
        except Exception as ex:
            self._logger.add_exception("[ExpressionTool_Execute__Exception]", ex)
            return InvokeResult.from_error("evaluate_expression failed to process its arguments.")
        payload = {"Output": output, "Error": error, **_ids(context)}
        return InvokeResult.create(json.dumps(payload, allow_nan=False))


def create_tool(logger=None) -> ExpressionTool:
    return ExpressionTool(logger)
