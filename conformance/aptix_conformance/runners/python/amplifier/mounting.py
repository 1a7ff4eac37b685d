"""Mounts an Amplifier module as Amplifier's loader and session do, and records what happens."""

import asyncio
import contextlib
import copy
import inspect
import logging
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Final

from ..clock import Clock
from ..disturb.cancel.process_activity import Surroundings
from ..foreign import attempt, format_error, type_name
from ..signatures import parameters_of, record_parameter
from .config import LONGEST_NAME, Config
from .core import Core
from .finder import ImportedModule
from .output import KEPT, RecordedOutput

LATE: Final = 0.5
"""Seconds after the end of mount in which a module may register its first tool."""
LATER: Final = 0.1
"""The same for further tools, while the module still runs tasks."""
EVENTS: Final = "observability.events"
GRACE: Final = 0.5
"""Seconds that background work of the module may take to end after the cleanup."""
_MOST: Final = 200  # registrations, entry points and events that are recorded


class Mounting:
    """One module, mounted.

    Attributes:
        returned: how mount ended; this, `detail`, `printed` and `cleanup` are members of `AmplifierMount`.
        value: what mount returned.
    """

    def __init__(self, core: Core, where: str, imported: ImportedModule) -> None:
        self.where = where
        self.imported = imported
        self.value: Any = None
        self.returned, self.detail = "nothing", ""
        self.events: list[str] = []
        self.events_fault: str | None = None
        self.printed = ""
        self.cleanup: dict[str, Any] | None = None
        self._before: dict[str, Any] = {}
        self._tasks: set[Any] = set()
        self._surroundings = Surroundings()
        self.config = Config({})
        session = {"orchestrator": "conformance", "context": "conformance"}
        self.coordinator = core.coordinator(
            SimpleNamespace(session_id="conformance", parent_id=None, config={"session": session})
        )

    @property
    def tools(self) -> dict[str, Any]:
        """The tools registered, by their keys, as the orchestrator gets them."""
        mounted = self.coordinator.mount_points.get("tools") or {}
        return {key: tool for key, tool in mounted.items() if type(key) is str}

    async def run(self, config: Mapping[str, Any]) -> None:
        """Mount as Amplifier's loader does, wait for late registrations, and read the events."""
        self._before = copy.deepcopy(dict(config))
        self.config = Config(copy.deepcopy(dict(config)))
        others = self._tasks = asyncio.all_tasks()
        with RecordedOutput() as output:
            await self._mount()
        self.printed = (self.printed + output.text)[:KEPT]
        ready = getattr(self.imported.module, "on_session_ready", None)
        if self.returned != "raised" and inspect.iscoroutinefunction(ready):
            try:
                await ready(self.coordinator)
            except Exception as error:  # noqa: BLE001 - Amplifier logs it and continues
                logging.getLogger(__name__).warning("on_session_ready raised %s", format_error(error))
        await self._await_registrations(others)
        self.coordinator.registrations.adopt(self.coordinator.mount_points.get("tools"))
        self._read_events(await self.coordinator.collect_contributions(EVENTS))
        # Modules also declare events by the older way, as a capability; a list there is shared by all modules.
        by_capability = self.coordinator.get_capability(EVENTS)
        if by_capability is not None:
            self._read_events([by_capability])

    async def _mount(self) -> None:
        try:
            self.value = self.imported.mount(self.coordinator, self.config)
            if inspect.isawaitable(self.value):
                self.value = await self.value
                self.returned = self._kind_of(self.value)
            else:
                self.returned = "not_awaitable"
            self.detail = type_name(self.value)
        except BaseException as error:  # noqa: BLE001 - a module may raise anything
            self.value, self.returned, self.detail = None, "raised", format_error(error)

    async def close(self) -> None:
        """Clean up as Amplifier does: call what mount returned, if callable, and the registered cleanup functions."""
        returned = self.value
        if callable(returned):
            self.coordinator.register_cleanup(returned)
        await self.coordinator.cleanup()

    async def close_and_look(self) -> None:
        """As `close`, and record in `cleanup` the exceptions and the background work that still runs."""
        with contextlib.suppress(BaseException):  # recorded by the coordinator
            await self.close()
        clock = Clock()
        until = clock.now() + GRACE
        while (running := self._still_running()) and clock.now() < until:  # noqa: ASYNC110 - nothing says when a process ends
            await asyncio.sleep(0.02)
        clock.close()
        self.cleanup = {"faults": self.coordinator.cleanup_faults[:_MOST], "left": running[:_MOST]}

    def _still_running(self) -> list[str]:
        current = asyncio.current_task()
        tasks = [task for task in asyncio.all_tasks() - self._tasks if task is not current]
        names = sorted(getattr(task.get_coro(), "__qualname__", task.get_name()) for task in tasks)
        return [*(f"the task {name}" for name in names), *Surroundings().beyond(self._surroundings)]

    @property
    def label(self) -> str:
        """The name of the module where no tool has a name; never a path."""
        is_place = self.where.startswith(".") or "/" in self.where
        return self.imported.distribution or (self.imported.module.__name__ if is_place else self.where)

    @property
    def in_words(self) -> str:
        """How mount ended, as the reason why there is no tool."""
        missing_keys = ", ".join(
            sorted(str(key)[:LONGEST_NAME] for key in self.config.read_keys - self.config.keys())
        )
        reasons = {
            "raised": f"mount raised {self.detail}",
            "nothing": "mount returned None"
            + (f"; config does not have what it looked for: {missing_keys}" if missing_keys else ""),
            "not_awaitable": f"mount gave a {self.detail} and nothing to await",
        }
        if self.imported.mount is None:
            return f"{self.imported.module.__name__} has no {self.imported.attribute}"
        return reasons.get(self.returned, f"mount returned a {self.detail}")

    def facts(self, key: str | None) -> dict[str, Any]:
        """The members of `AmplifierMount` that are about the module."""
        mount = self.imported.mount
        parameters = [] if mount is None else list(parameters_of(mount))
        return {
            "where": self.where,
            "function": _function_kind(mount),
            "parameters": [record_parameter(p) for p in parameters],
            "returned": self.returned,
            "detail": self.detail,
            "key": key,
            "registrations": self.coordinator.registrations.records[:_MOST],
            "entry_points": list(self.imported.entry_points)[:_MOST],
            "events": self.events,
            "events_fault": self.events_fault,
            "printed": self.printed,
            "cleanup": self.cleanup,
            "config_unread": sorted(self._before.keys() - self.config.read_keys),
            "config_changed": self.config.changed_from(self._before),
        }

    def _kind_of(self, value: Any) -> str:
        if value is None:
            return "nothing"
        if callable(attempt(lambda: value.execute)[0]):
            return "tool"
        if isinstance(value, Mapping):
            return "mapping"
        return "cleanup" if callable(value) else "other"

    async def _await_registrations(self, others: set[Any]) -> None:
        with contextlib.closing(Clock()) as clock:
            await self._await_registrations_by(clock, others)

    async def _await_registrations_by(self, clock: Clock, others: set[Any]) -> None:
        began = clock.now()
        while clock.now() < began + LATE:
            started = [task for task in asyncio.all_tasks() - others if not task.done()]
            if self.tools and (not started or clock.now() >= began + LATER):
                return
            if not self.tools and self.returned == "raised" and not started:
                return
            await asyncio.sleep(0.01)

    def _read_events(self, contributed: list[Any]) -> None:
        for part in contributed:
            if isinstance(part, str) or not isinstance(part, (list, tuple)):
                self.events_fault = f"it is a {type_name(part)}"
                continue
            for name in part[:_MOST]:
                if type(name) is str and name.strip():
                    self.events.append(name[:LONGEST_NAME])
                else:
                    self.events_fault = f"it holds a {type_name(name)}"


def _function_kind(mount: Any) -> str:
    if mount is None:
        return "missing"
    if isinstance(mount, type):
        return "class"
    if inspect.iscoroutinefunction(mount) or inspect.iscoroutinefunction(getattr(mount, "__call__", None)):  # noqa: B004
        return "async"
    return "plain" if callable(mount) else "other"
