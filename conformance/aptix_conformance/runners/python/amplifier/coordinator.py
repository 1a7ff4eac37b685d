"""A coordinator of Amplifier's own that records which tools a module registers, and how."""

import inspect
from collections.abc import Callable
from typing import Any, Final, Self

from ..foreign import format_error
from .config import LONGEST_NAME
from .hooks import RecordingHooks

TOOLS: Final = "tools"

Register = Callable[[str, Any], None]
"""Takes the key and the tool of a registration."""


class ToolMapping(dict[str, Any]):
    """The mapping behind `mount_points["tools"]`: a module may write to it instead of calling `mount`."""

    def __init__(self, added: Register, removed: Callable[[str], None]) -> None:
        super().__init__()
        self._added = added
        self._removed = removed

    def __setitem__(self, key: str, tool: Any) -> None:
        super().__setitem__(key, tool)
        self._added(key, tool)

    def __delitem__(self, key: str) -> None:
        super().__delitem__(key)
        self._removed(key)

    def update(self, *more: Any, **named: Any) -> None:
        """As `dict` does."""
        for key, tool in dict(*more, **named).items():
            self[key] = tool

    def __ior__(self, more: Any) -> Self:  # type: ignore[override,misc]
        self.update(more)
        return self

    def setdefault(self, key: str, default: Any = None) -> Any:
        """As `dict` does."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: str, *default: Any) -> Any:
        """As `dict` does."""
        if key in self:
            self._removed(key)
        return super().pop(key, *default)

    def popitem(self) -> tuple[str, Any]:
        """As `dict` does."""
        key, tool = super().popitem()
        self._removed(key)
        return key, tool

    def clear(self) -> None:
        """As `dict` does."""
        for key in list(self):
            del self[key]


class Registrations:
    """The registrations of one module so far.

    Attributes:
        records: the members of a `Registration` each, without those that were unregistered.
    """

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self._known: list[tuple[Any, Any, Any]] = []

    def add(self, point: Any, key: Any, module: Any, error: str | None = None) -> None:
        """Record a registration, with the reason where it failed."""
        again = any(p == point and k == key and m is module for p, k, m in self._known)
        self._known.append((point, key, module))
        self.records.append(
            {
                "point": str(point)[:LONGEST_NAME],
                "key": key[:LONGEST_NAME] if type(key) is str else None,
                "type_name": type(module).__name__,
                "again": again,
                "error": error,
            }
        )

    def forget(self, point: Any, key: Any) -> None:
        """Remove what was registered under a key."""
        self._known = [known for known in self._known if known[:2] != (point, key)]
        self.records[:] = [entry for entry in self.records if (entry["point"], entry["key"]) != (point, key)]

    def adopt(self, mapping: Any) -> None:
        """Record the tools in a mapping that a module has put in the place of ours."""
        if isinstance(mapping, ToolMapping) or not isinstance(mapping, dict):
            return
        for key, tool in mapping.items():
            if not any(known[:2] == (TOOLS, key) and known[2] is tool for known in self._known):
                self.add(TOOLS, key, tool)


def watched(cleanup_fn: Any, faults: list[str]) -> Any:
    """A cleanup function that does the same, and adds to `faults` what it raises."""

    async def clean_up() -> None:
        try:
            outcome = cleanup_fn()
            if inspect.isawaitable(outcome):
                await outcome
        except BaseException as error:
            faults.append(format_error(error))
            raise

    return clean_up


def recording_coordinator(base: Any, standard: frozenset[str]) -> Any:
    """A subclass of Amplifier's coordinator; `standard` are the events that are not a module's own.

    Its attribute `registrations` is a `Registrations`, and `cleanup_faults` says what cleanup functions raised.
    """

    class Coordinator(base):  # type: ignore[misc]
        def __new__(cls, session: Any) -> Any:
            return super().__new__(cls, session, None, None)

        def __init__(self, session: Any) -> None:  # noqa: ARG002 - as __new__
            self.registrations = record = Registrations()
            self.cleanup_faults: list[str] = []
            self._hooks = RecordingHooks(super().hooks, standard)
            self.mount_points["hooks"] = self._hooks
            self.mount_points[TOOLS] = ToolMapping(
                lambda key, tool: record.add(TOOLS, key, tool), lambda key: record.forget(TOOLS, key)
            )

        @property
        def hooks(self) -> Any:
            return self._hooks

        def register_cleanup(self, cleanup_fn: Any) -> None:
            # Amplifier only logs what a cleanup function raises, and calls nothing that is not callable.
            super().register_cleanup(
                watched(cleanup_fn, self.cleanup_faults) if callable(cleanup_fn) else cleanup_fn
            )

        async def mount(self, mount_point: str, module: Any, name: str | None = None) -> None:
            error = None
            try:
                await super().mount(mount_point, module, name)
            except Exception as raised:
                error = f"{type(raised).__name__}: {raised}"[:LONGEST_NAME]
                raise
            finally:
                # The mapping has recorded a tool that was registered.
                if error is not None or mount_point != TOOLS:
                    self.registrations.add(mount_point, name or getattr(module, "name", None), module, error)

        async def unmount(self, mount_point: str, name: str | None = None) -> None:
            await super().unmount(mount_point, name)
            # An unmounted tool counts as never registered.
            self.registrations.forget(mount_point, name)

    return Coordinator
