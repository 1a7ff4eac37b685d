"""The tool as one of the OpenAI Agents SDK: `make` gives it with a fault."""

import json
from typing import Annotated, Any, Literal

from agents import FunctionTool, RunContextWrapper, function_tool
from postage import RefusalError, quote
from pydantic import Field


def tell(_context: RunContextWrapper[Any], error: Exception) -> str:
    if isinstance(error, RefusalError):
        return str(error)
    return "The tool needs a zone and a number of kilograms from 0 to 30."


def make(fault: str) -> FunctionTool:
    @function_tool(failure_error_function=tell)
    async def quote_postage(
        zone: Annotated[
            Literal["home", "europe", "islands", "world"], Field(description="Where the parcel goes.")
        ],
        kilograms: Annotated[float, Field(description="What it weighs.", ge=0, le=30)],
    ) -> str:
        """Quotes the postage of a parcel in euros. A parcel to the islands weighs 1 kg at most."""
        return json.dumps(await quote(zone, kilograms, fault))

    return quote_postage
