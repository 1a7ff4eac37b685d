"""A tool whose result depends on the time."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

from guarded import GuardedTool, function_schema, one_of

from aptix_harness import AdminLogger

HOURS: Final = {"library": (9, 20), "museum": (11, 17)}


def utc_now() -> datetime:
    """The time now."""
    return datetime.now(UTC)


class OpeningHoursTool(GuardedTool):
    """Says whether a place is open now."""

    TOOL_NAME: Final = "city_open_now"
    TOOL_USAGE_METADATA: Final = """\
# city_open_now

Says whether a public place is open now.

## When to use
Call it when the user asks whether a place is open. Do not use it for other days.

## Arguments
- `place`: library or museum.

## Behaviour
Cheap, and safe to call often. The result changes with the time.

## Errors
A message that says what to correct.

## Examples
Good: {"place": "library"}. Bad: {"place": "the zoo"}.
"""

    def __init__(self, logger: AdminLogger, clock: Callable[[], datetime] = utc_now) -> None:
        super().__init__(logger)
        self._clock = clock

    @staticmethod
    def get_schema() -> dict[str, Any]:
        place = {"type": "string", "enum": list(HOURS), "description": "The place."}
        return function_schema(
            OpeningHoursTool.TOOL_NAME, "Says whether a public place is open now.", place=place
        )

    async def work(self, arguments: dict[str, Any]) -> dict[str, Any]:
        place = one_of(arguments, "place", tuple(HOURS))
        opens, closes = HOURS[place]
        return {"place": place, "open": opens <= self._clock().hour < closes}
