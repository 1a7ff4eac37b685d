"""Starts exports of reports and waits for them."""
import asyncio
import itertools
import time
from dataclasses import dataclass, field
from typing import Annotated

from mcp.server.fastmcp import FastMCP
from pydantic import Field

SECONDS_PER_PAGE = 0.5
POLL = 0.25

mcp = FastMCP("report-export")
_numbers = itertools.count(1)
_jobs: dict[str, "Job"] = {}


@dataclass
class Job:
    id: str
    title: str
    pages: int
    started: float = field(default_factory=time.monotonic)

    @property
    def done_pages(self) -> int:
        return min(self.pages, int((time.monotonic() - self.started) / SECONDS_PER_PAGE))

    @property
    def finished(self) -> bool:
        return self.done_pages >= self.pages

    def as_dict(self) -> dict:
        return {
            "id": self.id,
            "title": self.title,
            "pages": self.pages,
            "done_pages": self.done_pages,
            "state": "finished" if self.finished else "running",
        }


def _job(job_id: str) -> Job:
    if job_id not in _jobs:
        raise ValueError(f"job_id: there is no job {job_id!r}")
    return _jobs[job_id]


@mcp.tool()
async def start_export(
    title: Annotated[str, Field(description="Title of the report", min_length=1)],
    pages: Annotated[int, Field(description="Number of pages", ge=1, le=60)] = 8,
) -> dict:
    """Start the export of a report and return the job. A page takes half a second."""
    job = Job(f"job-{next(_numbers)}", title, pages)
    _jobs[job.id] = job
    return job.as_dict()


@mcp.tool()
async def export_status(
    job_id: Annotated[str, Field(description="Id of a job that start_export returned")],
) -> dict:
    """Tell how far an export is, without waiting."""
    return _job(job_id).as_dict()


@mcp.tool()
async def export_report(
    title: Annotated[str, Field(description="Title of the report", min_length=1)],
    pages: Annotated[int, Field(description="Number of pages", ge=1, le=60)] = 8,
) -> dict:
    """Export a report and wait until it is finished. A page takes half a second."""
    job = Job(f"job-{next(_numbers)}", title, pages)
    _jobs[job.id] = job
    while not job.finished:
        await asyncio.sleep(POLL)
    return job.as_dict()


if __name__ == "__main__":
    mcp.run()
