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

from .clock import Clock
from .schema_reading import read_schema

LINES: Final = 20
"""Lines of a reading at which the other reading begins or stops."""
SECONDS: Final = 0.2
"""Seconds for all pairs of lines together, of computing and of waiting for what never comes."""
PATIENCE: Final = 0.05
"""Seconds that a thread waits for the other one, which may itself wait for a lock of the first.

They are the other thread's own time: on a busy machine it may not have run at all meanwhile.
"""

Readings = tuple[dict[str, Any], dict[str, Any]]


def read_concurrently(cls: type) -> Readings:
    """The first pair of readings that differ from a single reading, else the last pair."""
    first = Interleaving(cls, -1, -1)
    pair = first.run()
    alone, lines = pair[0], first.lines[0]
    began, waits = time.process_time(), 0
    step = 1 + lines // LINES
    ends = [lines, *range(1, lines, step)]
    for end, begin in itertools.product(ends, range(1, lines + 1, step)):
        interleaving = Interleaving(cls, begin, end)
        pair = interleaving.run()
        waits += interleaving.vain_waits
        spent = time.process_time() - began + waits * PATIENCE
        if pair != (alone, alone) or spent > SECONDS:
            break
    return pair


class Interleaving:
    """Two readings. The second begins before line `begin` of the first, and stops before its own line `end`.

    Lines are counted from 0 as they run. A line that is not reached means the end of the reading.

    Attributes:
        lines: how many lines each thread has run.
        vain_waits: how often a thread waited for the other one, which did not come.
    """

    def __init__(self, cls: type, begin: int, end: int) -> None:
        self.lines = [0, 0]
        self.vain_waits = 0
        self._cls = cls
        self._clocks: list[Clock | None] = [None, None]
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
            self._wait(self._held, 1)
        elif thread == 1 and not self._held.is_set():
            self._held.set()
            self._wait(self._finished, 0)

    def _wait(self, event: threading.Event, other: int) -> None:
        """Wait for an event that the other thread sets, unless that thread makes no progress though it could."""
        since: float | None = None
        while not event.wait(PATIENCE):
            clock = self._clocks[other]
            if clock is None:
                continue  # it has not begun yet
            now = clock.now()
            since = now if since is None else since
            if now - since >= PATIENCE:
                self.vain_waits += 1
                return

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

        self._clocks[thread] = clock = Clock()
        try:
            self._readings[thread] = read_schema(self._cls, call)
        finally:
            clock.close()
            (self._finished, self._held)[thread].set()
