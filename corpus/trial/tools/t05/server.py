"""Runs the jobs of this folder with a time limit."""
import asyncio
import sys
import time
from pathlib import Path
from typing import Annotated

from mcp.server.fastmcp import FastMCP
from pydantic import Field

JOBS = Path(__file__).parent / "jobs"

mcp = FastMCP("job-runner")


def _jobs() -> dict[str, Path]:
    return {path.stem: path for path in sorted(JOBS.glob("*.py"))}


@mcp.tool()
def list_jobs() -> list[str]:
    """List the jobs."""
    return list(_jobs())


@mcp.tool()
async def run_job(
    job: Annotated[str, Field(description="Name of the job, see list_jobs")],
    argument: Annotated[int, Field(description="Number that is handed to the job", ge=0, le=3600)] = 1,
    timeout: Annotated[float, Field(description="Time limit in seconds", gt=0, le=60)] = 10,
) -> dict:
    """Run a job and return what it prints. A job that exceeds its time limit is stopped."""
    path = _jobs().get(job)
    if path is None:
        raise ValueError(f"job: there is no job {job!r}")
    started = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(path),
        str(argument),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), timeout)
    except asyncio.TimeoutError:
        raise RuntimeError(f"job {job} exceeded its time limit of {timeout:g} seconds") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return {
        "job": job,
        "exit_code": process.returncode,
        "seconds": round(time.perf_counter() - started, 3),
        "stdout": out.decode("utf-8", "replace"),
        "stderr": err.decode("utf-8", "replace"),
    }


if __name__ == "__main__":
    mcp.run()
