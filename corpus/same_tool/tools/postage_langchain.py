"""The tool as one of LangChain's: `make` gives it with a fault."""

from typing import Any, Literal

from langchain_core.tools import BaseTool, ToolException, tool
from postage import RefusalError, quote
from pydantic import BaseModel, Field


class Parcel(BaseModel):
    zone: Literal["home", "europe", "islands", "world"] = Field(description="Where the parcel goes.")
    kilograms: float = Field(description="What it weighs.", ge=0, le=30)


def make(fault: str) -> BaseTool:
    @tool(args_schema=Parcel)
    async def quote_postage(zone: str, kilograms: float) -> dict[str, Any]:
        """Quotes the postage of a parcel in euros. A parcel to the islands weighs 1 kg at most."""
        try:
            return await quote(zone, kilograms, fault)
        except RefusalError as refusal:
            raise ToolException(str(refusal)) from None

    made: BaseTool = quote_postage
    made.handle_tool_error = True
    return made
