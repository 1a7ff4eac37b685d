"""Finds background work that a call leaves running after its end."""

import asyncio
import gc
import threading
from typing import Any, Final

from ...clock import Clock
from ...foreign import attempt, is_a
from .places import Places
from .process_activity import Surroundings

MOST: Final = 20
"""Limit of leftovers that are named."""

_Server: Final = asyncio.Server


class Leftovers:
    """The tasks of one call, and the threads, processes and sockets that exist after it and did not before.

    They have `grace` seconds to end, by `clock`.
    """

    def __init__(self, clock: Clock, grace: float, places: Places) -> None:
        self._clock = clock
        self._grace = grace
        self._places = places
        self._before = Surroundings()
        self._tasks: list[Any] = []
        self._servers: list[Any] = []

    def add_task(self, task: Any) -> None:
        """Add a task that the call started."""
        self._tasks.append(task)

    def add_server(self, frame: Any) -> None:
        """Add a server that asyncio has opened but not returned: after a cancellation, no code can close it."""
        if frame.f_code.co_name in ("create_server", "create_unix_server"):
            server = frame.f_locals.get("server")
            if type(server) is _Server:
                self._servers.append(server)

    async def settle(self) -> list[str]:
        """Descriptions of what still runs after the grace period."""
        for server in self._servers:
            server.close()
        until = self._clock.now() + self._grace
        wait, collected = 0.001, False
        while leftovers := [*self._unfinished(), *Surroundings().beyond(self._before)]:
            if not collected:
                collected = True
                gc.collect()  # a reference cycle may keep a socket that is not used any more
            elif self._clock.now() >= until:
                break
            await asyncio.sleep(wait)
            wait = min(wait * 2, 0.05)
        return leftovers[:MOST]

    def kept_by(self, instance: object) -> list[str]:
        """Descriptions of the unfinished tasks and of the threads that attributes of an instance hold."""
        values, _ = attempt(lambda: list(vars(instance).values()))
        tasks = [self._describe(task) for task in self._tasks if any(task is value for value in values or ())]
        threads = [f"the thread {value.name}" for value in values or () if is_a(value, threading.Thread)]
        return [*tasks, *threads][:MOST]

    def _unfinished(self) -> list[str]:
        self._tasks = [task for task in self._tasks if not task.done()]
        return [self._describe(task) for task in self._tasks]

    def _describe(self, task: Any) -> str:
        coroutine = task.get_coro()
        name = getattr(coroutine, "__qualname__", "") or task.get_name()
        return f"the task {name} at {self._places.of(coroutine)}"
