"""A tool that is a class; it refuses by ToolException, which LangChain hands to the model as an error."""

from typing import Any, Literal

from langchain_core.tools import BaseTool, ToolException
from pydantic import BaseModel, Field

_HOURS = {"monday": "9 to 17", "tuesday": "9 to 17", "saturday": "10 to 14"}


class Day(BaseModel):
    """The day that is asked for."""

    day: Literal["monday", "tuesday", "saturday", "sunday"] = Field(
        description="The day of the week: monday, tuesday, saturday or sunday."
    )


class OpeningHours(BaseTool):
    """Says when the shop is open."""

    name: str = "opening_hours"
    description: str = (
        "Says from when to when the shop is open on a day of the week. "
        "It refuses sunday, on which the shop is closed, with a message."
    )
    args_schema: Any = Day
    handle_tool_error: Any = True

    def _run(self, day: str) -> dict[str, str]:
        raise NotImplementedError("the tool is called with await, as agents do")

    async def _arun(self, day: str) -> dict[str, str]:
        if day not in _HOURS:
            raise ToolException(f"The shop is closed on {day}.")
        return {"day": day, "open": _HOURS[day]}
