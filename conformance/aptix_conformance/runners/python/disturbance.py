"""What can be done to a call while it runs: the interface of all disturbances."""

import inspect
from collections.abc import Callable
from typing import Any, Final

_isawaitable: Final = inspect.isawaitable

Start = Callable[[], Any]
"""Starts a call; gives what `execute` returned, perhaps something to await."""


class Disturbance:
    """What is done to a call; this one does nothing. The kinds are in `disturb/`."""

    def wrap_service(self, name: str, service: object) -> object:  # noqa: ARG002 - for those who override it
        """An injected service as the tool is to get it."""
        return service

    async def run(self, start: Start) -> tuple[Any, bool]:
        """Start the call and wait for its end; gives its result, and whether that had to be awaited.

        Raises:
            BaseException: what the call raised.
        """
        return await finish(start)

    def seen(self) -> dict[str, Any] | None:
        """The members of a `Disturbed`."""
        return None


async def finish(start: Start) -> tuple[Any, bool]:
    """Start a call and wait for its end; gives its result, and whether that had to be awaited.

    Raises:
        BaseException: what the call raised.
    """
    given = start()
    awaited = _isawaitable(given)
    return (await given if awaited else given), awaited
