"""Searches the log files of this folder with regular expressions."""
import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Annotated

from mcp.server.fastmcp import FastMCP
from pydantic import Field

LOGS = Path(__file__).parent / "logs"
TIME_LIMIT = 3
WORKER = """
import json, re, sys
job = json.load(sys.stdin)
regex = re.compile(job["pattern"], re.IGNORECASE if job["ignore_case"] else 0)
found, truncated = [], False
for name, path in job["files"]:
    for number, line in enumerate(open(path, encoding="utf-8").read().splitlines(), 1):
        if regex.search(line):
            if len(found) >= job["max_matches"]:
                truncated = True
                break
            found.append({"file": name, "line": number, "text": line})
print(json.dumps({"matches": found, "truncated": truncated}))
"""

mcp = FastMCP("log-grep")


def _logs() -> dict[str, Path]:
    return {path.name: path for path in sorted(LOGS.glob("*.log"))}


@mcp.tool()
def list_logs() -> list[dict]:
    """List the log files with their size in bytes."""
    return [{"name": name, "bytes": path.stat().st_size} for name, path in _logs().items()]


@mcp.tool()
async def grep_logs(
    pattern: Annotated[str, Field(description="Python regular expression", min_length=1, max_length=500)],
    file: Annotated[str | None, Field(description="One log file; all of them if left out")] = None,
    ignore_case: Annotated[bool, Field(description="Ignore case")] = False,
    max_matches: Annotated[int, Field(description="Stop after this many matches", ge=1, le=1000)] = 100,
) -> dict:
    """Search the logs line by line and return the matching lines with file and line number.
    A search that takes longer than three seconds is given up."""
    files = _logs()
    if file is not None:
        if file not in files:
            raise ValueError(f"file: there is no log {file!r}")
        files = {file: files[file]}
    try:
        re.compile(pattern)
    except re.error as exc:
        raise ValueError(f"pattern: {exc}") from None
    job = {
        "pattern": pattern,
        "ignore_case": ignore_case,
        "max_matches": max_matches,
        "files": [(name, str(path)) for name, path in files.items()],
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", WORKER,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        out, _ = await asyncio.wait_for(process.communicate(json.dumps(job).encode()), TIME_LIMIT)
    except asyncio.TimeoutError:
        raise ValueError(f"pattern: the search took longer than {TIME_LIMIT} seconds") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        raise RuntimeError("the search failed")
    return json.loads(out)


if __name__ == "__main__":
    mcp.run()
