"""A tool that is a decorated coroutine function; a pydantic model checks its arguments."""

from typing import Literal

from langchain_core.tools import tool
from pydantic import BaseModel, ConfigDict, Field

Unit = Literal["m", "km", "ft", "mi"]
_METRES: dict[Unit, float] = {"m": 1.0, "km": 1000.0, "ft": 0.3048, "mi": 1609.344}


class Length(BaseModel):
    """A length and the unit that is asked for. Strict: LangChain would take true for 1 and the text "4" for 4."""

    model_config = ConfigDict(strict=True)

    value: float = Field(ge=0, le=1e12, description="The length, from 0 to 1e12.")
    unit: Unit = Field(description="The unit of the length: m, km, ft or mi.")
    to: Unit = Field(default="m", description="The unit of the result: m, km, ft or mi. Default: m.")


@tool(args_schema=Length)
async def convert_length(value: float, unit: Unit, to: Unit = "m") -> dict[str, float | str]:
    """Converts a length from one unit to another, and gives the value with its unit.

    It knows metres (m), kilometres (km), feet (ft) and miles (mi). Use it for lengths only, not for areas.
    """
    return {"value": value * _METRES[unit] / _METRES[to], "unit": to}
