"""A small knowledge graph that is kept in a JSON file."""
import asyncio
import json
import os
from pathlib import Path
from typing import Annotated

import anyio
from mcp.server.fastmcp import FastMCP
from pydantic import BaseModel, Field

FILE = Path(__file__).parent / "data" / "memory.json"
FILE.parent.mkdir(exist_ok=True)

mcp = FastMCP("memory")
_lock = asyncio.Lock()


class Entity(BaseModel):
    name: str = Field(description="Unique name of the entity", min_length=1)
    kind: str = Field(description="What it is, person or place for example", min_length=1)
    observations: list[str] = Field(default_factory=list, description="What is known about it")


async def _load() -> dict:
    if not await anyio.Path(FILE).exists():
        return {"entities": {}}
    return json.loads(await anyio.Path(FILE).read_text(encoding="utf-8"))


async def _save(graph: dict) -> None:
    temporary = FILE.with_suffix(f".{os.urandom(4).hex()}.tmp")
    await anyio.Path(temporary).write_text(json.dumps(graph, ensure_ascii=False), encoding="utf-8")
    await anyio.to_thread.run_sync(os.replace, temporary, FILE)


@mcp.tool()
async def create_entities(
    entities: Annotated[list[Entity], Field(description="The entities to create", min_length=1)],
) -> dict:
    """Create entities. A name that exists already is left as it is and reported as skipped."""
    created, skipped = [], []
    async with _lock:
        graph = await _load()
        for entity in entities:
            if entity.name in graph["entities"]:
                skipped.append(entity.name)
            else:
                graph["entities"][entity.name] = entity.model_dump()
                created.append(entity.name)
        await _save(graph)
    return {"created": created, "skipped": skipped}


@mcp.tool()
async def add_observation(
    name: Annotated[str, Field(description="Name of an existing entity")],
    text: Annotated[str, Field(description="What was observed", min_length=1)],
) -> dict:
    """Add one observation to an entity."""
    async with _lock:
        graph = await _load()
        if name not in graph["entities"]:
            raise ValueError(f"name: there is no entity {name!r}")
        graph["entities"][name]["observations"].append(text)
        await _save(graph)
    return graph["entities"][name]


@mcp.tool()
async def read_graph() -> dict:
    """Return all entities with their observations."""
    graph = await _load()
    return {"entities": list(graph["entities"].values())}


if __name__ == "__main__":
    mcp.run()
