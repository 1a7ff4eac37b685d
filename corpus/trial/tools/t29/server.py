"""Counts words in a folder of texts."""
import asyncio
from pathlib import Path
from typing import Annotated

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from pydantic import Field

TEXTS = Path(__file__).parent / "texts"

mcp = FastMCP("text-counts")


async def _run(command: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_shell(
        command,
        cwd=TEXTS,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), 15)
    except asyncio.TimeoutError:
        raise ToolError("the count took too long") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode, out.decode("utf-8", "replace")


@mcp.tool(annotations={"readOnlyHint": True})
def list_texts() -> list[str]:
    """List the texts."""
    return [path.name for path in sorted(TEXTS.glob("*.txt"))]


@mcp.tool(annotations={"readOnlyHint": True})
async def count_lines_with(
    word: Annotated[str, Field(description="Word or phrase to look for, case does not matter", min_length=1)],
) -> dict:
    """Count, for each text, the lines that contain a word."""
    code, out = await _run(f"grep -i -c -F -- {word} *.txt")
    if code > 1:
        raise ToolError("word: the search failed")
    counts = {}
    for line in out.splitlines():
        name, _, number = line.rpartition(":")
        if name and number.isdigit():
            counts[name] = int(number)
    return {"word": word, "total": sum(counts.values()), "texts": counts}


@mcp.tool(annotations={"readOnlyHint": True})
async def sizes() -> dict:
    """Number of lines, words and bytes of each text."""
    code, out = await _run("wc -l -w -c *.txt")
    if code:
        raise ToolError("the count failed")
    result = {}
    for line in out.splitlines():
        lines, words, size, name = line.split(maxsplit=3)
        if name != "total":
            result[name] = {"lines": int(lines), "words": int(words), "bytes": int(size)}
    return result


if __name__ == "__main__":
    mcp.run(show_banner=False)
