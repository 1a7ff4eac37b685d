"""Reads a tool's schema in two threads, interleaved at exact lines of the tool's code.

This is deterministic, not a race. One thread stops before one line. The other runs to one line and stops there until the
first has finished. A thread that waits for a lock of the other one continues after `PATIENCE`.
"""

import itertools
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from .schema_reading import read_schema

LINES: Final = 20
"""Lines of a reading at which the other reading begins or stops."""
SECONDS: Final = 0.2
"""Seconds for all pairs of lines together."""
PATIENCE: Final = 0.05
"""Seconds that a thread waits for the other one, which may itself wait for a lock of the first."""

Readings = tuple[dict[str, Any], dict[str, Any]]


def read_concurrently(cls: type) -> Readings:
    """The first pair of readings that differ from a single reading, else the last pair."""
    first = Interleaving(cls, -1, -1)
    pair = first.run()
    alone, lines = pair[0], first.lines[0]
    until = time.monotonic() + SECONDS
    step = 1 + lines // LINES
    ends = [lines, *range(1, lines, step)]
    for end, begin in itertools.product(ends, range(1, lines + 1, step)):
        pair = Interleaving(cls, begin, end).run()
        if pair != (alone, alone) or time.monotonic() > until:
            break
    return pair


class Interleaving:
    """Two readings. The second begins before line `begin` of the first, and stops before its own line `end`.

    Lines are counted from 0 as they run. A line that is not reached means the end of the reading.

    Attributes:
        lines: how many lines each thread has run.
    """

    def __init__(self, cls: type, begin: int, end: int) -> None:
        self.lines = [0, 0]
        self._cls = cls
        self._stops = (begin, end)
        self._readings: list[dict[str, Any]] = [{}, {}]
        self._held, self._finished = threading.Event(), threading.Event()
        self._threads = [threading.Thread(target=self._read, args=(n,), daemon=True) for n in (0, 1)]

    def run(self) -> Readings:
        """Both readings."""
        first, second = self._threads
        first.start()
        first.join()
        self._stop(0)
        second.join()
        return self._readings[0], self._readings[1]

    def _stop(self, thread: int) -> None:
        second = self._threads[1]
        if thread == 0 and second.ident is None:
            second.start()
            self._held.wait(PATIENCE)
        elif thread == 1 and not self._held.is_set():
            self._held.set()
            self._finished.wait(PATIENCE)

    def _read(self, thread: int) -> None:
        def trace(_frame: object, event: str, _value: object) -> Any:
            if event == "line":
                if self.lines[thread] == self._stops[thread]:
                    self._stop(thread)
                self.lines[thread] += 1
            return trace

        def call(get_schema: Callable[[], Any]) -> Any:
            sys.settrace(trace)
            try:
                return get_schema()
            finally:
                sys.settrace(None)

        try:
            self._readings[thread] = read_schema(self._cls, call)
        finally:
            (self._finished, self._held)[thread].set()
