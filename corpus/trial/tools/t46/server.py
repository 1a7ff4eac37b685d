"""Lists, checks and tidies Markdown files."""
import re
from pathlib import Path
from typing import Annotated

from mcp.server.fastmcp import FastMCP
from mcp.types import ToolAnnotations
from pydantic import Field

PAGES = Path(__file__).parent / "pages"

mcp = FastMCP("markdown-tidy")


def _annotations(title: str) -> ToolAnnotations:
    return ToolAnnotations(title=title, readOnlyHint=True, openWorldHint=False)


def _page(name: str) -> Path:
    known = {path.name: path for path in PAGES.glob("*.md")}
    if name not in known:
        raise ValueError(f"page: there is no page {name!r}")
    return known[name]


def _tidy(text: str) -> str:
    lines = [line.rstrip() for line in text.splitlines()]
    lines = [re.sub(r"^(\s*)[*+] ", r"\1- ", line) for line in lines]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


@mcp.tool(annotations=_annotations("List pages"))
def list_pages() -> list[str]:
    """List the pages."""
    return sorted(path.name for path in PAGES.glob("*.md"))


@mcp.tool(annotations=_annotations("Read page"))
def read_page(page: Annotated[str, Field(description="Name of the page")]) -> str:
    """Return the text of a page."""
    return _page(page).read_text(encoding="utf-8")


@mcp.tool(annotations=_annotations("Check page"))
def check_page(page: Annotated[str, Field(description="Name of the page")]) -> dict:
    """Tell which lines of a page are not tidy."""
    text = _page(page).read_text(encoding="utf-8")
    loose = [
        number
        for number, line in enumerate(text.splitlines(), 1)
        if line != line.rstrip() or re.match(r"\s*[*+] ", line)
    ]
    return {"page": page, "tidy": text == _tidy(text), "lines": loose}


@mcp.tool(annotations=_annotations("Tidy page"))
def tidy_page(page: Annotated[str, Field(description="Name of the page")]) -> dict:
    """Tidy a page: trailing blanks, bullets and runs of empty lines."""
    path = _page(page)
    before = path.read_text(encoding="utf-8")
    after = _tidy(before)
    if after != before:
        path.write_text(after, encoding="utf-8")
    return {"page": page, "changed": after != before}


if __name__ == "__main__":
    mcp.run()
