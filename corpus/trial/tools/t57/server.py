"""Geometry with a schema that uses references and alternatives."""
import asyncio
import json
import math

import mcp.types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

server = Server("geometry", version="0.9.1")

SHAPE = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "shape": {
            "description": "The shape to measure",
            "oneOf": [
                {"$ref": "#/$defs/circle"},
                {"$ref": "#/$defs/rectangle"},
                {"$ref": "#/$defs/polygon"},
            ],
        },
        "unit": {"enum": ["mm", "cm", "m", None], "default": None, "description": "Unit of the lengths, if any"},
    },
    "required": ["shape"],
    "additionalProperties": False,
    "$defs": {
        "length": {"type": "number", "exclusiveMinimum": 0, "maximum": 1e6},
        "point": {
            "type": "array",
            "prefixItems": [{"type": "number"}, {"type": "number"}],
            "items": False,
            "minItems": 2,
        },
        "circle": {
            "type": "object",
            "properties": {"kind": {"const": "circle"}, "radius": {"$ref": "#/$defs/length"}},
            "required": ["kind", "radius"],
            "additionalProperties": False,
        },
        "rectangle": {
            "type": "object",
            "properties": {
                "kind": {"const": "rectangle"},
                "width": {"$ref": "#/$defs/length"},
                "height": {"$ref": "#/$defs/length"},
            },
            "required": ["kind", "width", "height"],
            "additionalProperties": False,
        },
        "polygon": {
            "type": "object",
            "properties": {
                "kind": {"const": "polygon"},
                "points": {"type": "array", "minItems": 3, "maxItems": 1000, "items": {"$ref": "#/$defs/point"}},
            },
            "required": ["kind", "points"],
            "additionalProperties": False,
        },
    },
}


def area(shape: dict) -> float:
    if shape["kind"] == "circle":
        return math.pi * shape["radius"] ** 2
    if shape["kind"] == "rectangle":
        return shape["width"] * shape["height"]
    points = shape["points"]
    pairs = zip(points, points[1:] + points[:1])
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairs)) / 2


@server.list_tools()
async def list_tools() -> list[types.Tool]:
    return [
        types.Tool(
            name="shape.area-2d",
            title="Area of a shape",
            description="Area of a circle, a rectangle or a polygon given by its corners.",
            inputSchema=SHAPE,
            outputSchema={
                "type": "object",
                "properties": {"area": {"type": "number"}, "unit": {"type": ["string", "null"]}},
                "required": ["area", "unit"],
            },
            annotations=types.ToolAnnotations(readOnlyHint=True, idempotentHint=True, openWorldHint=False),
        )
    ]


@server.call_tool()
async def call_tool(name: str, arguments: dict):
    if name != "shape.area-2d":
        raise ValueError(f"Unknown tool: {name}")
    value = area(arguments["shape"])
    if not math.isfinite(value):
        raise ValueError("shape: the area is too large")
    unit = arguments.get("unit")
    payload = {"area": value, "unit": f"{unit}2" if unit else None}
    return [types.TextContent(type="text", text=json.dumps(payload))], payload


async def main() -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
