"""Fingerprints of files, with a cache so that large files are read once."""
import hashlib
import json
import os
import time
from pathlib import Path
from typing import Annotated

from mcp.server.fastmcp import FastMCP
from mcp.types import ToolAnnotations
from pydantic import Field

HERE = Path(__file__).parent
FILES = HERE / "files"
CACHE = HERE / ".cache" / "fingerprints.json"
LOG = HERE / ".cache" / "access.log"
CACHE.parent.mkdir(exist_ok=True)

mcp = FastMCP("fingerprints")
READ_ONLY = ToolAnnotations(readOnlyHint=True, openWorldHint=False)


def _cache() -> dict:
    try:
        return json.loads(CACHE.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return {}


def _note(action: str, name: str) -> None:
    with LOG.open("a", encoding="utf-8") as handle:
        handle.write(f"{time.time():.3f} {action} {name}\n")


def _fingerprint(path: Path) -> str:
    stat = path.stat()
    key = f"{path.name}:{stat.st_size}:{stat.st_mtime_ns}"
    cache = _cache()
    if key not in cache:
        cache[key] = hashlib.sha256(path.read_bytes()).hexdigest()
        temporary = CACHE.with_suffix(".tmp")
        temporary.write_text(json.dumps(cache), encoding="utf-8")
        os.replace(temporary, CACHE)
    return cache[key]


@mcp.tool(annotations=READ_ONLY)
def list_files() -> list[str]:
    """List the files that can be fingerprinted."""
    _note("list", "-")
    return sorted(path.name for path in FILES.iterdir() if path.is_file())


@mcp.tool(annotations=READ_ONLY)
def fingerprint(file: Annotated[str, Field(description="Name of the file")]) -> dict:
    """SHA-256 of a file. The file itself is not changed; results are kept in a cache."""
    known = {path.name: path for path in FILES.iterdir() if path.is_file()}
    if file not in known:
        raise ValueError(f"file: there is no file {file!r}")
    _note("fingerprint", file)
    return {"file": file, "sha256": _fingerprint(known[file])}


@mcp.tool(annotations=READ_ONLY)
def find_duplicates() -> list[list[str]]:
    """Return the groups of files that have the same content."""
    _note("duplicates", "-")
    groups: dict[str, list[str]] = {}
    for path in sorted(FILES.iterdir()):
        if path.is_file():
            groups.setdefault(_fingerprint(path), []).append(path.name)
    return [names for names in groups.values() if len(names) > 1]


if __name__ == "__main__":
    mcp.run()
