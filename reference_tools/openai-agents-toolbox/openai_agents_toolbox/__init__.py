"""A tool of the OpenAI Agents SDK that conforms, to copy from: it converts lengths."""

import json
from typing import Annotated, Literal

from agents import function_tool
from pydantic import Field

__all__ = ["convert_length"]

Unit = Literal["m", "km", "ft", "mi"]
_METRES: dict[Unit, float] = {"m": 1.0, "km": 1000.0, "ft": 0.3048, "mi": 1609.344}


@function_tool
async def convert_length(value: Annotated[float, Field(ge=0, le=1e12)], unit: Unit, to: Unit) -> str:
    """Converts a length from one unit to another, and gives the value with its unit as JSON.

    It knows metres (m), kilometres (km), feet (ft) and miles (mi). Use it for lengths only, not for areas.

    Args:
        value: The length, from 0 to 1e12.
        unit: The unit of the length.
        to: The unit of the result.
    """
    # The SDK gives the model str() of what is returned: a dictionary would reach it as Python writes it.
    return json.dumps({"value": value * _METRES[unit] / _METRES[to], "unit": to})
