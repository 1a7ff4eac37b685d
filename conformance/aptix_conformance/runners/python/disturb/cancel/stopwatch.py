"""Measures the steps of a call, independent of the load of the machine."""

import contextlib
import sys
import threading
from collections.abc import Callable
from typing import Any

from ...clock import Clock


class Watchdog:
    """Measures each step of the call's tasks, and records the stack of a step that blocks the event loop.

    Its thread sleeps while the tasks do. The time of a call excludes what any thread of the process waited for a processor, so
    a thread that woke up again and again on a busy machine would make a call that only sleeps look short.

    Attributes:
        longest: seconds of the longest step.
        stack: the stack of the longest step as text; empty where the step was short.
    """

    def __init__(self, clock: Clock, limit: float, describe: Callable[[Any], str]) -> None:
        self.longest = 0.0
        self.stack = ""
        self._clock = clock
        self._limit = limit
        self._describe = describe
        self._began: float | None = None
        self._sample: tuple[float, str] = (0.0, "")
        self._stop = threading.Event()
        self._is_idle = False
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._watched = threading.get_ident()

    def start(self) -> None:
        """Start the thread that watches the steps."""
        thread = threading.Thread(target=self._look, name="aptix-watchdog", daemon=True)
        with contextlib.suppress(RuntimeError):  # no more threads: steps are measured without a stack
            thread.start()
            self._thread = thread

    def stop(self) -> None:
        """Stop the thread."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join()

    def enter(self) -> float | None:
        """Record the start of a step. Returns the start of the step around it, or None."""
        outer, self._began = self._began, self._clock.now()
        if self._is_idle:
            self._wake.set()
        return outer

    def leave(self, outer: float | None) -> None:
        """Record the end of the step."""
        began, self._began = self._began, outer
        if began is None:
            return
        took = self._clock.now() - began
        if took > self.longest:
            self.longest = took
            self.stack = self._sample[1] if self._sample[0] == began else ""

    def _look(self) -> None:
        while not self._stop.wait(self._limit / 8):
            began = self._began
            if began is None:
                self._sleep_until_step()
                continue
            if began == self._sample[0] or self._clock.now() - began < self._limit / 2:
                continue
            frame = sys._current_frames().get(self._watched)  # noqa: SLF001 - the only way to read another thread's stack
            self._sample = (began, self._describe(frame))

    def _sleep_until_step(self) -> None:
        self._is_idle = True
        self._wake.clear()
        if self._began is None and not self._stop.is_set():  # neither came before the event was cleared
            self._wake.wait()
        self._is_idle = False
