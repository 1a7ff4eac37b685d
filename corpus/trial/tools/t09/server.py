"""Read access to the public tables of a library database."""
import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import mcp.types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

DATABASE = Path(__file__).parent / "library.db"
INTERNAL = {"staff_accounts"}

server = Server("library")

TOOLS = [
    types.Tool(
        name="list_tables",
        description="List the public tables of the library database and their columns.",
        inputSchema={"type": "object", "properties": {}, "additionalProperties": False},
    ),
    types.Tool(
        name="read_table",
        description="Return rows of a public table. Internal tables cannot be read.",
        inputSchema={
            "type": "object",
            "properties": {
                "table": {"type": "string", "description": "Table name as list_tables returns it"},
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 200,
                    "default": 50,
                    "description": "Largest number of rows",
                },
            },
            "required": ["table"],
            "additionalProperties": False,
        },
    ),
]


def _connect() -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{DATABASE}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    return connection


def _tables(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [row["name"] for row in rows if row["name"] not in INTERNAL]


@server.list_tools()
async def list_tools() -> list[types.Tool]:
    return TOOLS


@server.call_tool()
async def call_tool(name: str, arguments: dict) -> list[types.TextContent]:
    with closing(_connect()) as connection:
        if name == "list_tables":
            result = {
                table: [row["name"] for row in connection.execute(f'PRAGMA table_info("{table}")')]
                for table in _tables(connection)
            }
        elif name == "read_table":
            table = arguments["table"]
            if table in INTERNAL:
                raise ValueError(f"table: {table!r} is internal")
            limit = arguments.get("limit", 50)
            rows = connection.execute(f"SELECT * FROM {table} LIMIT {limit}").fetchall()
            result = {"table": table, "rows": [dict(row) for row in rows]}
        else:
            raise ValueError(f"Unknown tool: {name}")
    return [types.TextContent(type="text", text=json.dumps(result, ensure_ascii=False))]


async def main() -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
