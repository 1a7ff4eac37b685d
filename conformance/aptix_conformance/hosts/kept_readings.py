"""The declarations of several tools of a server by one process, kept until each of them asks for its own.

A server that starts once for all of its tools takes a fraction of the time. Each tool gets the reading of a process once. A second
reading under the same conditions comes from another process: it shows whether a difference is due to chance.
"""

import bisect
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from aptix_conformance.core.errors import UnlistedError
from aptix_conformance.core.model import Declaration
from aptix_conformance.hosts.launch import Held
from aptix_conformance.targets.settings import ToolSettings

Key = tuple[str, ToolSettings, Mapping[str, str]]
"""The module, the settings and the conditions of a process. Tools with other settings have processes of their own."""
Others = dict[str, Declaration | UnlistedError]
_MOST_READINGS: Final = 24
"""Processes of which something is kept: more than a tool asks for before the next one does."""


@dataclass(frozen=True, slots=True)
class KeptReadings:
    """The readings of a pool's processes that no tool has taken yet; the oldest are dropped."""

    _readings: deque[tuple[Key, Others, Held]] = field(default_factory=lambda: deque(maxlen=_MOST_READINGS))

    def keep(self, key: Key, others: Others, held: Held) -> None:
        """Keep what a process said of other tools than its own, and what held it."""
        if others:
            self._readings.append((key, others, held))

    def take(self, key: Key, tool: str) -> tuple[Declaration, Held] | None:
        """The oldest reading of a tool that is kept for it; None where there is none.

        Raises:
            UnlistedError: the process did not list the tool.
        """
        for place, (known, others, held) in enumerate(self._readings):
            if tool in others and known == key:
                reading = others.pop(tool)
                if not others:
                    del self._readings[place]
                if isinstance(reading, UnlistedError):
                    raise reading
                return reading, held
        return None


def following(tool: str, names: Iterable[str]) -> list[str]:
    """The other names, from the one after the tool's on: tools are examined in that order."""
    others = sorted({*names} - {tool})
    place = bisect.bisect(others, tool)
    return [*others[place:], *others[:place]]
