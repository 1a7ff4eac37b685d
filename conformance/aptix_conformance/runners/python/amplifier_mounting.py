"""Mounting an Amplifier module, as Amplifier's loader and session do, and writing down what that did.

Standard library only: `amplifier_host.py` loads it, and gives it what it needs of the host and of amplifier-core.
"""

import asyncio
import copy
import inspect
import logging
import time
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any, Final

LATE: Final = 0.5
"""Seconds that a module has for registering its first tool after mount has returned."""
LATER: Final = 0.1
"""The same for more tools, where there is one and the module still does something."""
EVENTS: Final = "observability.events"
_MOST: Final = 200  # registrations, entry points and events that are told
_NAME: Final = 200  # characters of a key or of an event's name


class Mounting:
    """One module, mounted.

    Attributes:
        returned: how mount ended, and `detail`, as `AmplifierMount` has them.
        value: what mount returned.
    """

    def __init__(self, host: SimpleNamespace, core: SimpleNamespace, where: str, found: Any) -> None:
        self.where = where
        self.found = found
        self.value: Any = None
        self.returned, self.detail = "nothing", ""
        self.events: list[str] = []
        self.events_fault: str | None = None
        self._host = host
        self._before: dict[str, Any] = {}
        self.config = Config({})
        session = {"orchestrator": "conformance", "context": "conformance"}
        self.coordinator = core.Coordinator(
            SimpleNamespace(session_id="conformance", parent_id=None, config={"session": session})
        )

    @property
    def tools(self) -> dict[str, Any]:
        """The tools registered, by their keys, as the orchestrator gets them."""
        mounted = self.coordinator.mount_points.get("tools") or {}
        return {key: tool for key, tool in mounted.items() if type(key) is str}

    async def run(self, config: Mapping[str, Any]) -> None:
        """Mount as Amplifier's loader does, then let come what comes late, and ask for the events."""
        self._before = copy.deepcopy(dict(config))
        self.config = Config(copy.deepcopy(dict(config)))
        others = asyncio.all_tasks()
        mount = self.found.mount
        try:
            self.value = mount(self.coordinator, self.config)
            if inspect.isawaitable(self.value):
                self.value = await self.value
                self.returned = self._kind_of(self.value)
            else:
                self.returned = "not_awaitable"
            self.detail = self._host.type_name(self.value)
        except BaseException as error:  # noqa: BLE001 - a module may raise anything
            self.value, self.returned, self.detail = None, "raised", self._host.told(error)
        ready = getattr(self.found.module, "on_session_ready", None)
        if self.returned != "raised" and inspect.iscoroutinefunction(ready):
            try:
                await ready(self.coordinator)
            except Exception as error:  # noqa: BLE001 - Amplifier logs it and goes on
                logging.getLogger(__name__).warning("on_session_ready raised %s", self._host.told(error))
        await self._let_come(others)
        self._read_events(await self.coordinator.collect_contributions(EVENTS))

    async def close(self) -> None:
        """Clean up as Amplifier does: what mount returned, if it can be called, and what it registered for it."""
        returned = self.value
        if callable(returned):
            self.coordinator.register_cleanup(returned)
        await self.coordinator.cleanup()

    @property
    def in_words(self) -> str:
        """How mount ended, where that is why there is no tool."""
        said = {
            "raised": f"mount raised {self.detail}",
            "nothing": "mount returned None",
            "not_awaitable": f"mount gave a {self.detail} and nothing to await",
        }
        if self.found.mount is None:
            return f"{self.found.module.__name__} has no {self.found.attribute}"
        return said.get(self.returned, f"mount returned a {self.detail}")

    def facts(self, key: str | None) -> dict[str, Any]:
        """The members of `AmplifierMount` that are about the module."""
        mount = self.found.mount
        parameters = [] if mount is None else list(self._host.signature_of(mount))
        return {
            "where": self.where,
            "function": _function_kind(mount),
            "parameters": [self._host.parameter(p) for p in parameters],
            "returned": self.returned,
            "detail": self.detail,
            "key": key,
            "registrations": self.coordinator.registrations[:_MOST],
            "entry_points": list(self.found.entry_points)[:_MOST],
            "events": self.events,
            "events_fault": self.events_fault,
            "config_unread": sorted(self._before.keys() - self.config.seen),
            "config_changed": self.config.changed_from(self._before),
        }

    def _kind_of(self, value: Any) -> str:
        if value is None:
            return "nothing"
        host = self._host
        if callable(host.attempt(lambda: value.execute)[0]):
            return "tool"
        if isinstance(value, Mapping):
            return "mapping"
        return "cleanup" if callable(value) else "other"

    async def _let_come(self, others: set[Any]) -> None:
        until = time.monotonic() + LATE
        more = time.monotonic() + LATER
        while time.monotonic() < until:
            started = [task for task in asyncio.all_tasks() - others if not task.done()]
            if self.tools and (not started or time.monotonic() >= more):
                return
            if not self.tools and self.returned == "raised" and not started:
                return
            await asyncio.sleep(0.01)

    def _read_events(self, contributed: list[Any]) -> None:
        for part in contributed:
            if isinstance(part, str) or not isinstance(part, (list, tuple)):
                self.events_fault = f"a contribution is a {self._host.type_name(part)}"
                continue
            for name in part[:_MOST]:
                if type(name) is str and name.strip():
                    self.events.append(name[:_NAME])
                else:
                    self.events_fault = f"a contribution holds a {self._host.type_name(name)}"


def _function_kind(mount: Any) -> str:
    if mount is None:
        return "missing"
    if isinstance(mount, type):
        return "class"
    if inspect.iscoroutinefunction(mount) or inspect.iscoroutinefunction(getattr(mount, "__call__", None)):  # noqa: B004
        return "async"
    return "plain" if callable(mount) else "other"


def recording(base: Any) -> Any:
    """Amplifier's coordinator, which besides writes down what is registered with it."""

    class Coordinator(base):  # type: ignore[misc]
        def __new__(cls, session: Any) -> Any:
            return super().__new__(cls, session, None, None)

        def __init__(self, session: Any) -> None:  # noqa: ARG002 - what __new__ is given
            self.registrations: list[dict[str, Any]] = []
            self._known: list[tuple[str, Any, Any]] = []

        async def mount(self, mount_point: str, module: Any, name: str | None = None) -> None:
            key = name or getattr(module, "name", None)
            error = None
            try:
                await super().mount(mount_point, module, name)
            except Exception as raised:
                error = f"{type(raised).__name__}: {raised}"[:_NAME]
                raise
            finally:
                again = any(p == mount_point and k == key and m is module for p, k, m in self._known)
                self._known.append((mount_point, key, module))
                self.registrations.append(
                    {
                        "point": str(mount_point)[:_NAME],
                        "key": key[:_NAME] if type(key) is str else None,
                        "type_name": type(module).__name__,
                        "again": again,
                        "error": error,
                    }
                )

        async def unmount(self, mount_point: str, name: str | None = None) -> None:
            await super().unmount(mount_point, name)
            # What is taken away again is as if it had never been registered.
            self._known = [known for known in self._known if known[:2] != (mount_point, name)]
            self.registrations[:] = [
                made for made in self.registrations if (made["point"], made["key"]) != (mount_point, name)
            ]

    return Coordinator


class Config(dict[str, Any]):
    """A mapping that knows at which of its keys somebody has looked; who goes through all has looked at all."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.seen: set[Any] = set()

    def changed_from(self, before: Mapping[str, Any]) -> list[str]:
        """The keys whose values are others than before, or that are gone or new."""
        now = dict(dict.items(self))
        return sorted(str(key)[:_NAME] for key in now.keys() | before if _differs(now, before, key))

    def __getitem__(self, key: str) -> Any:
        self.seen.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """As `dict` does."""
        self.seen.add(key)
        return super().get(key, default)

    def pop(self, key: str, *default: Any) -> Any:
        """As `dict` does."""
        self.seen.add(key)
        return super().pop(key, *default)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """As `dict` does."""
        self.seen.add(key)
        return super().setdefault(key, default)

    def __contains__(self, key: object) -> bool:
        self.seen.add(key)
        return super().__contains__(key)

    def __iter__(self) -> Iterator[str]:
        self.seen.update(super().keys())
        return super().__iter__()

    def keys(self) -> Any:
        """As `dict` does."""
        self.seen.update(super().keys())
        return super().keys()

    def values(self) -> Any:
        """As `dict` does."""
        self.seen.update(super().keys())
        return super().values()

    def items(self) -> Any:
        """As `dict` does."""
        self.seen.update(super().keys())
        return super().items()

    def copy(self) -> dict[str, Any]:
        """As `dict` does."""
        self.seen.update(super().keys())
        return dict(super().items())


def _differs(now: Mapping[str, Any], before: Mapping[str, Any], key: str) -> bool:
    try:
        return key not in now or key not in before or bool(now[key] != before[key])
    except Exception:  # noqa: BLE001 - values that cannot be compared are not those of a mount plan
        return True
