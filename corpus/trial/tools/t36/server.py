"""Read access to a folder of notes."""
from pathlib import Path
from typing import Annotated

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from pydantic import Field

ROOT = (Path(__file__).parent / "notes").resolve()
MAX_BYTES = 200_000

mcp = FastMCP("notes")


def _resolve(path: str) -> Path:
    try:
        target = (ROOT / path).resolve()
        exists = target.exists()
    except (OSError, ValueError):
        raise ToolError("path: not a usable path") from None
    if not target.is_relative_to(ROOT):
        raise ToolError("path: access outside the notes folder is not allowed")
    if not exists:
        raise ToolError("path: no such note")
    return target


@mcp.tool(annotations={"readOnlyHint": True, "openWorldHint": False})
def list_notes(
    folder: Annotated[str, Field(description="Folder below the notes folder; empty for the top")] = "",
) -> list[dict]:
    """List the notes and folders in one folder."""
    target = _resolve(folder or ".")
    if not target.is_dir():
        raise ToolError("folder: this is a note, not a folder")
    return [
        {
            "name": item.name,
            "type": "folder" if item.is_dir() else "note",
            "size": 0 if item.is_dir() else item.stat().st_size,
        }
        for item in sorted(target.iterdir())
    ]


@mcp.tool(annotations={"readOnlyHint": True, "openWorldHint": False})
def read_note(
    path: Annotated[str, Field(description="Path of the note, relative to the notes folder", min_length=1)],
) -> str:
    """Return the text of a note. Only notes below the notes folder can be read."""
    target = _resolve(path)
    if target.is_dir():
        raise ToolError("path: this is a folder; use list_notes")
    if target.stat().st_size > MAX_BYTES:
        raise ToolError(f"path: the note is larger than {MAX_BYTES} bytes")
    return target.read_text(encoding="utf-8", errors="replace")


@mcp.tool(annotations={"readOnlyHint": True, "openWorldHint": False})
def find_in_notes(
    text: Annotated[str, Field(description="Text to look for, case does not matter", min_length=1)],
) -> list[str]:
    """Return the paths of the notes that contain a text."""
    needle = text.casefold()
    return [
        str(path.relative_to(ROOT))
        for path in sorted(ROOT.rglob("*.md"))
        if needle in path.read_text(encoding="utf-8", errors="replace").casefold()
    ]


if __name__ == "__main__":
    mcp.run(show_banner=False)
