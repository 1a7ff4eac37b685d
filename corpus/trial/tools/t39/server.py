"""Lists and reads the pages of a notebook."""
from pathlib import Path
from typing import Annotated

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from pydantic import Field

PAGES = Path(__file__).parent / "pages"
PREVIEW = 80

mcp = FastMCP("notebook")


def _files() -> dict[str, Path]:
    return {path.stem: path for path in sorted(PAGES.glob("*.md"))}


def _preview(path: Path) -> str:
    content = path.read_bytes()
    if len(content) > PREVIEW:
        return content[:PREVIEW].decode("utf-8", errors="replace") + "..."
    return content.decode("utf-8", errors="replace")


@mcp.tool(annotations={"readOnlyHint": True})
def list_pages(
    contains: Annotated[str | None, Field(description="Only pages that contain this text")] = None,
) -> list[dict]:
    """List the pages with a short preview of each."""
    return [
        {"page": name, "preview": _preview(path)}
        for name, path in _files().items()
        if contains is None or contains in path.read_text(encoding="utf-8")
    ]


@mcp.tool(annotations={"readOnlyHint": True})
def read_page(page: Annotated[str, Field(description="Name of the page")]) -> str:
    """Return the whole text of a page."""
    files = _files()
    if page not in files:
        raise ToolError(f"page: there is no page {page!r}")
    return files[page].read_text(encoding="utf-8")


@mcp.tool(annotations={"readOnlyHint": True})
def outline(page: Annotated[str, Field(description="Name of the page")]) -> list[dict]:
    """Return the headings of a page with their level."""
    files = _files()
    if page not in files:
        raise ToolError(f"page: there is no page {page!r}")
    headings = []
    for line in files[page].read_text(encoding="utf-8").splitlines():
        mark, _, text = line.partition(" ")
        if mark and set(mark) == {"#"}:
            headings.append({"level": len(mark), "text": text.strip()})
    return headings


if __name__ == "__main__":
    mcp.run(show_banner=False)
