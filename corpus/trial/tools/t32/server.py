"""Reads tables from the tables folder and computes simple statistics."""
import csv
import statistics
from pathlib import Path
from typing import Annotated

from mcp.server.fastmcp import FastMCP
from pydantic import Field

TABLES = Path(__file__).parent / "tables"

mcp = FastMCP("table-stats")


def _load(name: str) -> list[dict]:
    known = {path.stem: path for path in TABLES.glob("*.csv")}
    if name not in known:
        raise ValueError(f"table: no table {name!r}; known tables: {', '.join(sorted(known))}")
    with known[name].open(newline="", encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


@mcp.tool()
def list_tables() -> str:
    """List the names of the tables, separated by commas."""
    return ", ".join(sorted(path.stem for path in TABLES.glob("*.csv")))


@mcp.tool()
def table_head(
    table: Annotated[str, Field(description="Name of the table")],
    rows: Annotated[int, Field(description="How many rows to show", ge=1, le=100)] = 5,
) -> str:
    """Show the first rows of a table as CSV."""
    data = _load(table)
    lines = [",".join(data[0])]
    lines += [",".join(row.values()) for row in data[:rows]]
    return "\n".join(lines)


@mcp.tool()
def column_stats(
    table: Annotated[str, Field(description="Name of the table")],
    column: Annotated[str, Field(description="Name of a numeric column")],
) -> str:
    """Count, mean, smallest and largest value of a numeric column."""
    data = _load(table)
    if column not in data[0]:
        raise ValueError(f"column: there is no column {column!r} in {table}")
    try:
        values = [float(row[column]) for row in data]
    except ValueError:
        raise ValueError(f"column: {column!r} is not numeric") from None
    return (
        f"count={len(values)} mean={statistics.fmean(values):.3f} "
        f"min={min(values)} max={max(values)}"
    )


if __name__ == "__main__":
    mcp.run()
