"""Bookmarks in a SQLite database."""
import logging
import sqlite3
from pathlib import Path
from typing import Annotated

from mcp.server.fastmcp import FastMCP
from pydantic import Field

DATABASE = Path(__file__).parent / "data" / "bookmarks.db"
DATABASE.parent.mkdir(exist_ok=True)
log = logging.getLogger("bookmarks")

mcp = FastMCP("bookmarks", log_level="WARNING")


class Store:
    uses = 0
    statements = 0

    def __init__(self) -> None:
        Store.uses += 1
        self.connection = sqlite3.connect(DATABASE)
        self.connection.row_factory = sqlite3.Row
        self.connection.set_trace_callback(self._trace)

    def _trace(self, statement: str) -> None:
        Store.statements += 1
        log.debug("statement %d: %s", self.statements, statement)

    def __enter__(self) -> sqlite3.Connection:
        self.connection.execute(
            "CREATE TABLE IF NOT EXISTS bookmarks (url TEXT PRIMARY KEY, title TEXT NOT NULL)"
        )
        return self.connection

    def __exit__(self, kind, value, traceback) -> None:
        if kind is None:
            self.connection.commit()
        else:
            self.connection.rollback()
        self.connection.set_trace_callback(None)
        self.connection.close()


@mcp.tool()
def save_bookmark(
    url: Annotated[str, Field(description="Address, http or https", pattern=r"^https?://\S+$")],
    title: Annotated[str, Field(description="Title of the page", min_length=1)],
) -> dict:
    """Save a bookmark. An address that is saved already gets the new title."""
    with Store() as connection:
        connection.execute(
            "INSERT INTO bookmarks VALUES (?, ?) ON CONFLICT (url) DO UPDATE SET title = excluded.title",
            (url, title),
        )
    return {"url": url, "title": title}


@mcp.tool()
def find_bookmarks(
    text: Annotated[str, Field(description="Text in the title or address; empty for all")] = "",
    limit: Annotated[int, Field(description="Largest number of bookmarks", ge=1, le=200)] = 20,
) -> dict:
    """Find bookmarks."""
    with Store() as connection:
        rows = connection.execute(
            "SELECT url, title FROM bookmarks WHERE instr(lower(title || ' ' || url), lower(?)) ORDER BY url",
            (text,),
        ).fetchall()
    return {"total": len(rows), "bookmarks": [dict(row) for row in rows[:limit]]}


@mcp.tool()
def delete_bookmark(url: Annotated[str, Field(description="Address of the bookmark")]) -> dict:
    """Delete a bookmark."""
    with Store() as connection:
        removed = connection.execute("DELETE FROM bookmarks WHERE url = ?", (url,)).rowcount
    if not removed:
        raise ValueError(f"url: there is no bookmark for {url!r}")
    return {"deleted": url}


@mcp.tool()
def usage() -> dict:
    """Tell how often the database was used since the start of the server."""
    return {
        "uses": Store.uses,
        "statements": Store.statements,
    }


if __name__ == "__main__":
    mcp.run()
