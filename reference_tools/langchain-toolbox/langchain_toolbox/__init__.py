"""Two tools of LangChain that conform, to copy from: one converts lengths, the other says when a shop is open."""

from langchain_toolbox.lengths import convert_length
from langchain_toolbox.opening_hours import OpeningHours

__all__ = ["TOOLS", "convert_length", "opening_hours"]

opening_hours = OpeningHours()
TOOLS = [convert_length, opening_hours]
"""What an agent gets: `create_agent(model, tools=TOOLS)`."""
