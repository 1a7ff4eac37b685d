"""Amplifier's hook registry, with a record of the events that a tool emits."""

from typing import Any

from . import logs
from .config import LONGEST_NAME


class RecordingHooks:
    """Stands in for the coordinator's hooks; each event of a module's own is a record of the current call."""

    def __init__(self, hooks: Any, standard: frozenset[str]) -> None:
        self._hooks = hooks
        self._standard = standard

    async def emit(self, event: str, *more: Any, **named: Any) -> Any:
        """As the registry does."""
        self._record(event)
        return await self._hooks.emit(event, *more, **named)

    async def emit_and_collect(self, event: str, *more: Any, **named: Any) -> Any:
        """As the registry does."""
        self._record(event)
        return await self._hooks.emit_and_collect(event, *more, **named)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._hooks, name)

    def _record(self, event: Any) -> None:
        write = logs.current.get()
        if write is not None and type(event) is str and event not in self._standard:
            write({"method": "event", "tag": event[:LONGEST_NAME], "pairs": [], "pairs_fault": None})
