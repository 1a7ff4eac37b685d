"""A box of small text tools."""
import asyncio
import hashlib
import json
import re
import textwrap
import unicodedata

import jsonschema
import mcp.types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

PAGE = 10
server = Server("text-box", version="1.4.0")


def _text_tool(name: str, description: str, **extra: dict) -> types.Tool:
    properties = {"text": {"type": "string", "description": "The text to work on"}, **extra}
    return types.Tool(
        name=name,
        description=description,
        inputSchema={
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        },
    )


TOOLS = [
    _text_tool("count_words", "Count the words, lines and characters of a text."),
    _text_tool("slugify", "Turn a title into a slug for addresses and file names."),
    _text_tool("sha256", "SHA-256 of a text in UTF-8, in hexadecimal digits."),
    _text_tool(
        "wrap",
        "Wrap a text at a width.",
        width={"type": "integer", "minimum": 10, "maximum": 200, "description": "Width in characters"},
    ),
    _text_tool("strip_accents", "Remove accents from letters."),
    _text_tool("dedent", "Remove the common leading white space of all lines."),
]


def _apply(name: str, arguments: dict) -> str:
    text = arguments["text"]
    match name:
        case "count_words":
            return json.dumps(
                {"words": len(text.split()), "lines": len(text.splitlines()), "characters": len(text)}
            )
        case "slugify":
            plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
            return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
        case "sha256":
            return hashlib.sha256(text.encode("utf-8")).hexdigest()
        case "wrap":
            return textwrap.fill(text, arguments["width"])
        case "strip_accents":
            decomposed = unicodedata.normalize("NFD", text)
            return "".join(c for c in decomposed if not unicodedata.combining(c))
        case "dedent":
            return textwrap.dedent(text)
    raise ValueError(f"Unknown tool: {name}")


@server.list_tools()
async def list_tools(request: types.ListToolsRequest) -> types.ListToolsResult:
    cursor = request.params.cursor if request and request.params else None
    start = int(cursor) if cursor and cursor.isdigit() else 0
    start = min(start, max(len(TOOLS) - PAGE, 0))
    return types.ListToolsResult(tools=TOOLS[start : start + PAGE], nextCursor=str(start + PAGE))


@server.call_tool(validate_input=False)
async def call_tool(name: str, arguments: dict) -> list[types.TextContent]:
    tool = next((tool for tool in TOOLS if tool.name == name), None)
    if tool is None:
        raise ValueError(f"Unknown tool: {name}")
    try:
        jsonschema.validate(arguments, tool.inputSchema)
    except jsonschema.ValidationError as exc:
        raise ValueError(f"{exc.json_path}: {exc.message}") from None
    return [types.TextContent(type="text", text=_apply(name, arguments))]


async def main() -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
