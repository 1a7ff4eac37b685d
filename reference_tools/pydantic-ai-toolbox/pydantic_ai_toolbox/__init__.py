"""A tool of Pydantic AI that conforms, to copy from: it converts lengths."""

from typing import Annotated, Literal

from pydantic import Field
from pydantic_ai import FunctionToolset

__all__ = ["TOOLS"]

Unit = Literal["m", "km", "ft", "mi"]
_METRES: dict[Unit, float] = {"m": 1.0, "km": 1000.0, "ft": 0.3048, "mi": 1609.344}
TOOLS: FunctionToolset[None] = FunctionToolset()


@TOOLS.tool_plain
async def convert_length(
    value: Annotated[float, Field(ge=0, le=1e12, strict=True)], unit: Unit, to: Unit
) -> dict[str, float | str]:
    """Converts a length from one unit to another, and gives the value with its unit.

    It knows metres (m), kilometres (km), feet (ft) and miles (mi). Use it for lengths only, not for areas.

    Args:
        value: The length, from 0 to 1e12.
        unit: The unit of the length.
        to: The unit of the result.
    """
    return {"value": value * _METRES[unit] / _METRES[to], "unit": to}
