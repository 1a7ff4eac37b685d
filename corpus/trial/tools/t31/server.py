"""A calendar that is kept in memory."""
import itertools
from datetime import date, datetime, timedelta
from typing import Annotated

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from pydantic import Field

mcp = FastMCP("calendar")
_ids = itertools.count(1)
_events: dict[int, dict] = {}


def _parse(value: str, name: str) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise ToolError(f"{name}: not a date and time in ISO 8601: {value!r}") from None
    return moment.replace(tzinfo=None)


def _format(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds") + "+00:00"


def _public(event: dict) -> dict:
    return {
        "id": event["id"],
        "title": event["title"],
        "start": _format(event["start"]),
        "end": _format(event["end"]),
    }


@mcp.tool
def create_event(
    title: Annotated[str, Field(description="Title of the event", min_length=1)],
    start: Annotated[str, Field(description="Start in ISO 8601, such as 2026-06-18T09:00:00+02:00; without an offset the time is UTC")],
    minutes: Annotated[int, Field(description="Length in minutes", ge=1, le=1440)] = 60,
) -> dict:
    """Create an event. Times are returned in UTC."""
    begin = _parse(start, "start")
    event = {
        "id": next(_ids),
        "title": title,
        "start": begin,
        "end": begin + timedelta(minutes=minutes),
    }
    _events[event["id"]] = event
    return _public(event)


@mcp.tool
def list_events(
    day: Annotated[date | None, Field(description="Only events that start on this day in UTC")] = None,
) -> list[dict]:
    """List the events in the order of their start. Times are in UTC."""
    events = sorted(_events.values(), key=lambda event: (event["start"], event["id"]))
    return [_public(event) for event in events if day is None or event["start"].date() == day]


@mcp.tool
def delete_event(event_id: Annotated[int, Field(description="Id of the event")]) -> dict:
    """Delete an event and return it."""
    if event_id not in _events:
        raise ToolError(f"event_id: there is no event {event_id}")
    return _public(_events.pop(event_id))


if __name__ == "__main__":
    mcp.run(show_banner=False)
