"""Keeps a task list in memory."""
import itertools
from datetime import date
from typing import Annotated, Literal

from mcp.server.fastmcp import FastMCP
from pydantic import Field

mcp = FastMCP("tasks")
_ids = itertools.count(4)
_tasks: dict[int, dict] = {
    1: {"id": 1, "title": "Order paper", "state": "open", "tag": "office", "due": "2026-05-04"},
    2: {"id": 2, "title": "Check the pump", "state": "done", "tag": "house", "due": None},
    3: {"id": 3, "title": "Write the minutes", "state": "open", "tag": None, "due": None},
}


@mcp.tool()
def add_task(
    title: Annotated[str, Field(description="What is to be done", min_length=1)],
    tag: Annotated[str, Field(description="A tag to group tasks by")] = None,
    due: Annotated[date, Field(description="Day by which it has to be done, YYYY-MM-DD")] = None,
) -> dict:
    """Add a task to the list and return it."""
    task = {
        "id": next(_ids),
        "title": title,
        "state": "open",
        "tag": tag,
        "due": due.isoformat() if due else None,
    }
    _tasks[task["id"]] = task
    return task


@mcp.tool()
def list_tasks(
    state: Annotated[Literal["open", "done"], Field(description="Only tasks in this state")] = None,
    tag: Annotated[str, Field(description="Only tasks with this tag")] = None,
    limit: Annotated[int, Field(description="Largest number of tasks", ge=1, le=100)] = 20,
) -> dict:
    """List tasks in the order in which they were added."""
    found = [
        task
        for task in _tasks.values()
        if (state is None or task["state"] == state) and (tag is None or task["tag"] == tag)
    ]
    return {"total": len(found), "tasks": found[:limit]}


@mcp.tool()
def complete_task(task_id: Annotated[int, Field(description="Id of the task")]) -> dict:
    """Mark a task as done. A task that is done stays done."""
    if task_id not in _tasks:
        raise ValueError(f"task_id: there is no task {task_id}")
    _tasks[task_id]["state"] = "done"
    return _tasks[task_id]


if __name__ == "__main__":
    mcp.run()
