"""The same calls as `mcp_calls.py` by the official client of the package `mcp`, which is not contained.

`mcp_client_calls.py CALLS` prints {"calls": …, "wall": seconds, "cpu": seconds of both processes}.
"""

import asyncio
import json
import sys
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from processor_time import timed_by

SERVER = Path(__file__).with_name("mcp_server.py")
WARM_UP = 50


async def main(calls: int) -> dict[str, float]:
    server = StdioServerParameters(command=sys.executable, args=[str(SERVER)])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()

        async def call_all(count: int) -> None:
            for _ in range(count):
                await session.call_tool("add", {"a": 1, "b": 2})

        await call_all(WARM_UP)
        return {"calls": calls, **await timed_by(lambda: call_all(calls))}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(int(sys.argv[1])))))
