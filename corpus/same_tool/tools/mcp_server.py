"""The tool on the Python SDK of MCP, the version 1 or 2: `mcp_server.py FAULT`."""

import sys
from typing import Annotated, Literal

from postage import RefusalError, quote
from pydantic import Field
from typing_extensions import TypedDict

try:
    from mcp.server.mcpserver import MCPServer as App
    from mcp.server.mcpserver.exceptions import ToolError
except ImportError:
    from mcp.server.fastmcp import FastMCP as App
    from mcp.server.fastmcp.exceptions import ToolError

Zone = Literal["home", "europe", "islands", "world"]
FAULT = sys.argv[1]
app = App("postage")


class Quote(TypedDict):
    """A quote."""

    found: bool
    success: bool
    zone: Zone
    price: float
    note: str


@app.tool()
async def quote_postage(
    zone: Annotated[Zone, Field(description="Where the parcel goes.")],
    kilograms: Annotated[float, Field(description="What it weighs.", ge=0, le=30)],
) -> Quote:
    """Quotes the postage of a parcel in euros. A parcel to the islands weighs 1 kg at most."""
    try:
        return await quote(zone, kilograms, FAULT)
    except RefusalError as refusal:
        raise ToolError(str(refusal)) from None


app.run()
