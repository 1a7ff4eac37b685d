"""Runs the maintenance scripts of this folder and returns what they print."""
import asyncio
import sys
from pathlib import Path
from typing import Annotated

from mcp.server.fastmcp import FastMCP
from pydantic import Field

SCRIPTS = Path(__file__).parent / "scripts"
TIME_LIMIT = 20

Argument = Annotated[str, Field(pattern=r"^[^/\\\x00]*$", max_length=200)]

mcp = FastMCP("script-runner")


def _scripts() -> dict[str, Path]:
    return {path.name: path for path in sorted(SCRIPTS.glob("*.py"))}


def _summary(path: Path) -> str:
    first = path.read_text(encoding="utf-8").splitlines()[0]
    return first.strip('"# ')


@mcp.tool()
def list_scripts() -> list[dict]:
    """List the scripts that run_script can start, with one line on what each does."""
    return [{"name": name, "summary": _summary(path)} for name, path in _scripts().items()]


@mcp.tool()
async def run_script(
    name: Annotated[str, Field(description="Script name as list_scripts returns it")],
    args: Annotated[
        list[Argument],
        Field(description="Arguments for the script; a file name refers to the scripts folder", max_length=20),
    ] = [],
) -> dict:
    """Run one script and return its exit code and output. A run is stopped after 20 seconds."""
    path = _scripts().get(name)
    if path is None:
        raise ValueError(f"name: there is no script {name!r}; see list_scripts")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(path),
        *args,
        cwd=SCRIPTS,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), TIME_LIMIT)
    except asyncio.TimeoutError:
        raise RuntimeError(f"{name} was stopped after {TIME_LIMIT} seconds") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return {
        "exit_code": process.returncode,
        "stdout": out.decode("utf-8", "replace"),
        "stderr": err.decode("utf-8", "replace"),
    }


if __name__ == "__main__":
    mcp.run()
