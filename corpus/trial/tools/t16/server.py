"""Returns crash reports that were collected from devices."""
from pathlib import Path
from typing import Annotated

from mcp.server.fastmcp import FastMCP
from pydantic import Field

REPORTS = Path(__file__).parent / "reports"

mcp = FastMCP("crash-reports")


def _reports() -> dict[str, Path]:
    return {path.stem: path for path in sorted(REPORTS.glob("*.txt"))}


@mcp.tool()
def list_reports() -> list[dict]:
    """List the crash reports with the last line of each, which names the error."""
    return [
        {"report": name, "error": path.read_text(encoding="utf-8").strip().splitlines()[-1]}
        for name, path in _reports().items()
    ]


@mcp.tool()
def read_report(report: Annotated[str, Field(description="Name of the report")]) -> str:
    """Return a crash report as the device sent it, stack trace included."""
    reports = _reports()
    if report not in reports:
        raise ValueError(f"report: there is no report {report!r}")
    return reports[report].read_text(encoding="utf-8")


@mcp.tool()
def count_errors() -> dict[str, int]:
    """Count the reports by the type of the error."""
    counts: dict[str, int] = {}
    for path in _reports().values():
        last = path.read_text(encoding="utf-8").strip().splitlines()[-1]
        kind = last.partition(":")[0]
        counts[kind] = counts.get(kind, 0) + 1
    return dict(sorted(counts.items()))


if __name__ == "__main__":
    mcp.run()
