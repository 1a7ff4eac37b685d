"""Looks up stock in the databases that connections.ini names."""
import configparser
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from mcp.server.fastmcp import FastMCP
from pydantic import Field

HERE = Path(__file__).parent
config = configparser.ConfigParser(interpolation=None)
config.read(HERE / "connections.ini", encoding="utf-8")

mcp = FastMCP("stock")


class DatabaseError(RuntimeError):
    pass


def _dsn(source: str) -> str:
    section = config[source]
    password = os.environ.get("STOCK_DB_PASSWORD") or section["password"]
    return f"sqlite://{section['user']}:{password}@localhost/{section['file']}"


def _connect(source: str) -> sqlite3.Connection:
    if source not in config.sections():
        raise DatabaseError(f"source: unknown source {source!r}; one of {', '.join(config.sections())}")
    dsn = _dsn(source)
    path = HERE / urlsplit(dsn).path.lstrip("/")
    try:
        return sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    except sqlite3.Error as exc:
        raise DatabaseError(f"failed to connect to {dsn}: {exc}") from exc


@mcp.tool()
def list_sources() -> list[str]:
    """List the databases that can be asked."""
    return config.sections()


@mcp.tool()
def stock_level(
    sku: Annotated[str, Field(description="Article number, like A-100", min_length=1)],
    source: Annotated[str, Field(description="Database to ask, see list_sources")] = "main",
) -> dict:
    """Tell how many pieces of an article are in stock."""
    with closing(_connect(source)) as connection:
        row = connection.execute("SELECT name, pieces FROM stock WHERE sku = ?", (sku,)).fetchone()
    if row is None:
        raise ValueError(f"sku: there is no article {sku!r}")
    return {"sku": sku, "name": row[0], "pieces": row[1], "source": source}


@mcp.tool()
def low_stock(
    below: Annotated[int, Field(description="Report articles with fewer pieces than this", ge=1)] = 10,
    source: Annotated[str, Field(description="Database to ask, see list_sources")] = "main",
) -> list[dict]:
    """List the articles that are running out."""
    with closing(_connect(source)) as connection:
        rows = connection.execute(
            "SELECT sku, name, pieces FROM stock WHERE pieces < ? ORDER BY pieces, sku", (below,)
        ).fetchall()
    return [dict(zip(("sku", "name", "pieces"), row)) for row in rows]


if __name__ == "__main__":
    mcp.run()
