"""A glossary of terms from printing."""
import asyncio
import difflib
import json
from pathlib import Path

import mcp.types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

GLOSSARY: dict[str, dict] = json.loads(
    (Path(__file__).parent / "glossary.json").read_text(encoding="utf-8")
)

server = Server("glossary")

LOOKUP = types.Tool(
    name="lookup_term",
    description="Explain a term from printing. For an unknown term, similar ones are suggested.",
    inputSchema={
        "type": "object",
        "properties": {"term": {"type": "string", "minLength": 1, "description": "The term"}},
        "required": ["term"],
    },
    outputSchema={
        "type": "object",
        "properties": {
            "found": {"type": "boolean"},
            "term": {"type": "string"},
            "definition": {"type": "string"},
            "see_also": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["found", "term", "definition", "see_also"],
    },
)
TERMS = types.Tool(
    name="list_terms",
    description="List all terms of the glossary.",
    inputSchema={"type": "object", "properties": {}},
)


def _result(payload: dict) -> types.CallToolResult:
    text = json.dumps(payload, ensure_ascii=False)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structuredContent=payload,
    )


@server.list_tools()
async def list_tools() -> list[types.Tool]:
    return [LOOKUP, TERMS]


@server.call_tool()
async def call_tool(name: str, arguments: dict) -> types.CallToolResult:
    if name == "list_terms":
        return types.CallToolResult(
            content=[types.TextContent(type="text", text="\n".join(sorted(GLOSSARY)))]
        )
    if name != "lookup_term":
        raise ValueError(f"Unknown tool: {name}")
    term = arguments["term"].strip().lower()
    entry = GLOSSARY.get(term)
    if entry is None:
        similar = difflib.get_close_matches(term, GLOSSARY, n=3)
        hint = f"No entry for {term!r}. Similar terms: {', '.join(similar) or 'none'}."
        return types.CallToolResult(content=[types.TextContent(type="text", text=hint)])
    return _result({"found": True, "term": term, **entry})


async def main() -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
