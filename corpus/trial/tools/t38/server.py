"""A slow simulation that reports its progress."""
import asyncio
import math
from typing import Annotated

from mcp.server.fastmcp import Context, FastMCP
from pydantic import Field

mcp = FastMCP("simulation")
_running = 0


@mcp.tool()
async def simulate_cooling(
    ctx: Context,
    start: Annotated[float, Field(description="Temperature at the start in degrees Celsius", ge=-200, le=2000)],
    ambient: Annotated[float, Field(description="Temperature around it in degrees Celsius", ge=-200, le=2000)] = 20.0,
    steps: Annotated[int, Field(description="Number of steps; each takes a tenth of a second", ge=1, le=300)] = 25,
) -> dict:
    """Simulate how a body cools, step by step. Takes a tenth of a second for each step and can be cancelled."""
    global _running
    _running += 1
    try:
        values = []
        for step in range(1, steps + 1):
            await asyncio.sleep(0.1)
            values.append(round(ambient + (start - ambient) * math.exp(-0.05 * step), 3))
            if step % 5 == 0 or step == steps:
                await ctx.report_progress(step, steps, f"step {step}")
    finally:
        _running -= 1
    return {"steps": steps, "last": values[-1], "values": values}


@mcp.tool()
async def running_simulations() -> dict:
    """Tell how many simulations are running at the moment."""
    return {"running": _running}


@mcp.tool()
async def half_time(
    rate: Annotated[float, Field(description="Rate of cooling for each step", ge=0.0001, le=10)] = 0.05,
) -> dict:
    """Number of steps after which half of the difference in temperature is gone."""
    return {"rate": rate, "steps": round(math.log(2) / rate, 3)}


if __name__ == "__main__":
    mcp.run()
