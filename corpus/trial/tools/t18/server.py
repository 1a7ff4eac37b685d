"""Searches the log files of this folder with regular expressions."""
import re
from pathlib import Path
from typing import Annotated

from mcp.server.fastmcp import FastMCP
from pydantic import Field

LOGS = Path(__file__).parent / "logs"

mcp = FastMCP("log-grep")


def _logs() -> dict[str, Path]:
    return {path.name: path for path in sorted(LOGS.glob("*.log"))}


@mcp.tool()
def list_logs() -> list[dict]:
    """List the log files with their size in bytes."""
    return [{"name": name, "bytes": path.stat().st_size} for name, path in _logs().items()]


@mcp.tool()
def grep_logs(
    pattern: Annotated[str, Field(description="Python regular expression", min_length=1, max_length=500)],
    file: Annotated[str | None, Field(description="One log file; all of them if left out")] = None,
    ignore_case: Annotated[bool, Field(description="Ignore case")] = False,
    max_matches: Annotated[int, Field(description="Stop after this many matches", ge=1, le=1000)] = 100,
) -> dict:
    """Search the logs line by line and return the matching lines with file and line number."""
    files = _logs()
    if file is not None:
        if file not in files:
            raise ValueError(f"file: there is no log {file!r}")
        files = {file: files[file]}
    try:
        regex = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except re.error as exc:
        raise ValueError(f"pattern: {exc}") from None
    matches: list[dict] = []
    for name, path in files.items():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if regex.search(line):
                matches.append({"file": name, "line": number, "text": line})
                if len(matches) >= max_matches:
                    return {"matches": matches, "truncated": True}
    return {"matches": matches, "truncated": False}


if __name__ == "__main__":
    mcp.run()
