"""Shows CSV files as tables."""
import asyncio
import csv
from pathlib import Path

import mcp.types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

FILES = Path(__file__).parent / "files"
server = Server("csv-view")


@server.list_tools()
async def list_tools() -> list[types.Tool]:
    return [
        types.Tool(
            name="list_files",
            description="List the CSV files.",
            inputSchema={"type": "object", "properties": {}},
        ),
        types.Tool(
            name="show_csv",
            description="Show the first rows of a CSV file as a Markdown table.",
            inputSchema={
                "type": "object",
                "properties": {
                    "file": {"type": "string", "description": "Name of the file"},
                    "rows": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": 500,
                        "default": 10,
                        "description": "How many rows to show",
                    },
                    "delimiter": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 1,
                        "default": ",",
                        "description": "Character between two fields",
                    },
                    "header": {
                        "type": "boolean",
                        "default": True,
                        "description": "Whether the first row holds the names of the columns",
                    },
                },
                "required": ["file"],
            },
        ),
    ]


def show_csv(file: str, rows: int, delimiter: str, header: bool) -> str:
    known = {path.name: path for path in FILES.glob("*.csv")}
    if file not in known:
        raise ValueError(f"file: there is no file {file!r}")
    with known[file].open(newline="", encoding="utf-8") as handle:
        data = list(csv.reader(handle, delimiter=delimiter))
    width = max((len(row) for row in data), default=0)
    names = data.pop(0) if header and data else [f"column {n + 1}" for n in range(width)]
    lines = [names, ["---"] * len(names), *data[:rows]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


@server.call_tool()
async def call_tool(name: str, arguments: dict) -> list[types.TextContent]:
    if name == "list_files":
        text = "\n".join(sorted(path.name for path in FILES.glob("*.csv")))
    elif name == "show_csv":
        text = show_csv(
            arguments["file"],
            arguments.get("rows", 10),
            arguments.get("delimiter", ","),
            arguments["header"],
        )
    else:
        raise ValueError(f"Unknown tool: {name}")
    return [types.TextContent(type="text", text=text)]


async def main() -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
