"""A tool that keeps its data in an SQLite file in the working directory."""

import asyncio
import contextlib
import sqlite3
from typing import Any, Final

from guarded import GuardedTool, RefusedError, function_schema, one_of

ROOMS: Final = ("Fjord", "Glacier")
HOURS: Final = ("morning", "afternoon")


class RoomBookingTool(GuardedTool):
    """Books a meeting room for half of today."""

    TOOL_NAME: Final = "office_book_room"
    TOOL_USAGE_METADATA: Final = """\
# office_book_room

Books a meeting room for the morning or the afternoon of today.

## When to use
Call it when the user wants to book a room. Do not use it to find out which rooms are free.

## Arguments
- `room`: the room, Fjord or Glacier.
- `hours`: morning or afternoon.

## Behaviour
Not idempotent: a room is booked once. Do not repeat a call that succeeded.

## Errors
A message that says what to correct, or that the room is taken.

## Examples
Good: {"room": "Fjord", "hours": "morning"}. Bad: {"room": "any"}.
"""

    @staticmethod
    def get_schema() -> dict[str, Any]:
        return function_schema(
            RoomBookingTool.TOOL_NAME,
            "Books a meeting room for the morning or the afternoon of today.",
            room={"type": "string", "enum": list(ROOMS), "description": "The room."},
            hours={"type": "string", "enum": list(HOURS), "description": "Which half of the day."},
        )

    async def work(self, arguments: dict[str, Any]) -> dict[str, Any]:
        room, hours = one_of(arguments, "room", ROOMS), one_of(arguments, "hours", HOURS)
        return {"room": room, "hours": hours, "booking": await asyncio.to_thread(self._book, room, hours)}

    @staticmethod
    def _book(room: str, hours: str) -> int:
        with contextlib.closing(sqlite3.connect("rooms.db", timeout=2)) as rooms, rooms:
            try:
                row = rooms.execute("INSERT INTO bookings (room, hours) VALUES (?, ?)", (room, hours))
            except sqlite3.IntegrityError:
                raise RefusedError(
                    f"{room} is taken in the {hours}. Ask the user for another time."
                ) from None
            return row.lastrowid or 0
