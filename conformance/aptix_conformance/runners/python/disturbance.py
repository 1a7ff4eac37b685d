"""The interface of all disturbances of a call."""

import inspect
from collections.abc import Callable
from typing import Any, Final

_isawaitable: Final = inspect.isawaitable

Start = Callable[[], Any]
"""Starts a call. Returns the value of `execute`, perhaps an awaitable."""


class Disturbance:
    """A disturbance of a call. The base class does nothing; the kinds are in `disturb/`."""

    def wrap_service(self, name: str, service: object) -> object:  # noqa: ARG002 - subclasses use it
        """An injected service as the tool gets it."""
        return service

    def note_instance(self, tool: object) -> None:
        """Takes the instance of the tool that the call is made of."""

    async def run(self, start: Start) -> tuple[Any, bool]:
        """Start the call and wait for its end. Returns its result, and whether that was awaited.

        Raises:
            BaseException: what the call raised.
        """
        return await finish(start)

    def disturbed(self) -> dict[str, Any] | None:
        """The members of a `Disturbed`."""
        return None


async def finish(start: Start) -> tuple[Any, bool]:
    """Start a call and wait for its end. Returns its result, and whether that was awaited.

    Raises:
        BaseException: what the call raised.
    """
    value = start()
    awaited = _isawaitable(value)
    return (await value if awaited else value), awaited
