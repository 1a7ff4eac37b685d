import math

import pytest

from aptix_reference_tools import CalculatorTool


def call(operation, left, right):
    """Return argument text with the numbers as they are written."""
    return f'{{"operation": "{operation}", "left": {left}, "right": {right}}}'


@pytest.mark.parametrize(
    ("operation", "left", "right", "result"),
    [
        ("add", "1", "2", 3),
        ("subtract", "1", "2", -1),
        ("multiply", "1.5", "4", 6.0),
        ("divide", "1", "4", 0.25),
        ("divide", "91", "7", 13),
        ("divide", "-91", "7", -13),
        ("divide", "7.5", "2.5", 3.0),
        ("add", "9007199254740993", "0", 9007199254740993),
        ("multiply", "123456789012345678901", "10", 1234567890123456789010),
        ("divide", "123456789012345678901", "1", 123456789012345678901),
        ("add", "1e308", "7e307", 1.7e308),
        ("add", "0.1", "0.2", 0.1 + 0.2),
    ],
)
async def test_operation_gives_its_result_exact_for_integers(succeed, operation, left, right, result):
    """Integers stay integers where the result is one."""
    found = (await succeed(CalculatorTool, call(operation, left, right)))["result"]
    assert (found, type(found)) == (result, type(result))


async def test_arguments_and_identifiers_come_back(succeed, context):
    """The payload says what was calculated."""
    assert await succeed(CalculatorTool, call("add", "1", "2.5"), context) == {
        "operation": "add",
        "left": 1,
        "right": 2.5,
        "result": 3.5,
        "cancelled": False,
        "conversationId": "conversation-1",
        "sessionId": "session-1",
    }


@pytest.mark.parametrize("zero", ["0", "0.0", "-0.0"])
@pytest.mark.parametrize("left", ["1", "0", "1.5"])
async def test_division_by_zero_is_a_clean_failure(fail, left, zero):
    """It has a code of its own and is not logged as an exception."""
    code, message = await fail(CalculatorTool, call("divide", left, zero))
    assert code == "DIVISION_BY_ZERO"
    assert "'right'" in message


@pytest.mark.parametrize(
    ("operation", "left", "right"),
    [
        ("multiply", "1e308", "10"),
        ("multiply", "-1e308", "10"),
        ("add", "1.7e308", "1.7e308"),
        ("subtract", "-1.7e308", "1.7e308"),
        ("divide", "1e308", "1e-10"),
        ("multiply", "1" + "0" * 300, "1" + "0" * 300),
        ("divide", "1" + "0" * 300, "0.0000000001"),
    ],
)
async def test_overflow_is_a_clean_failure(fail, operation, left, right):
    """No infinity gets into a payload, from floats or from integers."""
    assert await fail(CalculatorTool, call(operation, left, right)) == (
        "OVERFLOW",
        "The result is too large.",
    )


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1" + "0" * 400])
@pytest.mark.parametrize("side", ["left", "right"])
async def test_operand_beyond_a_double_is_refused(fail, side, number):
    """The message names the operand."""
    operands = {"left": "1", "right": "1", side: number}
    assert await fail(CalculatorTool, call("add", **operands)) == (
        "INVALID_ARGUMENTS",
        f"'{side}' is too large.",
    )


async def test_underflow_is_zero(succeed):
    """A result too small to tell from zero is zero."""
    assert (await succeed(CalculatorTool, call("divide", "1e-300", "1e300")))["result"] == 0


async def test_product_of_large_integers_within_a_double_is_exact(succeed):
    """Only the range is bounded, not the number of digits."""
    found = (await succeed(CalculatorTool, call("multiply", "1" + "0" * 150, "1" + "0" * 150)))["result"]
    assert found == 10**300
    assert math.isfinite(found)
