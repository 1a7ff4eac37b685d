"""A limit on the processor time of each step that reads what a tool declared or returned.

A step is one piece of work in this process that a stranger's text can make slow: one rule judges one observation, one
plan is drawn. A timer ticks while the process runs. A step that lasts from one tick to the next is stopped: `OutOfTime`
is raised inside it, also in the middle of a regular expression. Only processor time counts, so that a busy machine stops
no step.

What Python cannot interrupt, the parent ends with the whole process (`app/run/worker.py`). It reads from shared memory which step
that was. The next process leaves that step out.
"""

import signal
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from types import FrameType
from typing import Final

SECONDS: Final = 2.0
"""Seconds of processor time between two ticks: a step is stopped after one to two times as many."""
MOST_STOPPED: Final = 12
"""Stopped steps of one tool; from then on every step of it is left out."""
_LAYOUT: Final = struct.Struct("<QB63s")
"""The number of the step, whether it is running, and its name."""
SIZE: Final = _LAYOUT.size
"""Bytes of the shared memory that shows the current step."""


class OutOfTime(BaseException):
    """A step was stopped; the text says why, as a clause."""


class StepLimit:
    """The steps of one examination. Without `start`, steps are named and not limited."""

    def __init__(
        self,
        shared: memoryview | bytearray | None = None,
        excluded: Mapping[str, str] | None = None,
        seconds: float = SECONDS,
    ) -> None:
        """Prepare the limit.

        Args:
            shared: at least `SIZE` bytes that the parent reads with `running_step`.
            excluded: the steps to leave out, each with the reason.
            seconds: processor time between two ticks.
        """
        self.stopped: dict[str, str] = {}
        """The steps that were stopped or left out, each with the reason."""
        self._shared = shared if shared is not None else bytearray(SIZE)
        self._excluded = dict(excluded or {})
        self._seconds = seconds
        self._name = ""
        self._number = self._last_number = 0

    def start(self) -> None:
        """Start the timer; only the main thread of a process of the suite's own may do so."""
        signal.signal(signal.SIGVTALRM, self._tick)
        signal.setitimer(signal.ITIMER_VIRTUAL, self._seconds, self._seconds)

    def enter(self, name: str) -> str:
        """Begin a step; returns the name of the step around it, for `leave`.

        Raises:
            OutOfTime: the step must be left out.
        """
        if self._excluded and name:
            self._refuse(name)
        outer_step = self._name
        self._show(name)
        return outer_step

    def leave(self, outer_step: str) -> None:
        """End a step, and continue the one around it, whose time starts from 0. An empty name is no step."""
        self._show(outer_step)

    def _show(self, name: str) -> None:
        self._name = name
        self._number += 1
        _LAYOUT.pack_into(self._shared, 0, self._number, bool(name), _encoded(name))

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Limit what happens inside; no name means no limit, for the wait for a tool inside of a step.

        Raises:
            OutOfTime: it was stopped, or must be left out.
        """
        try:
            outer_step = self.enter(name)
            try:
                yield
            finally:
                self.leave(outer_step)
        except OutOfTime as error:
            self.stop(name, str(error))
            raise

    def stop(self, name: str, reason: str) -> None:
        """Leave a step out from now on; after too many, every step."""
        self.stopped[name] = self._excluded[name] = reason

    def _refuse(self, name: str) -> None:
        if name in self._excluded:
            raise OutOfTime(self._excluded[name])
        if len(self.stopped) >= MOST_STOPPED:
            raise OutOfTime(f"{MOST_STOPPED} earlier steps took too long")

    def _tick(self, _signal: int, _frame: FrameType | None) -> None:
        if self._name and self._number == self._last_number:
            raise OutOfTime(f"it took more than {self._seconds:g} s of processor time")
        self._last_number = self._number


@cache
def _encoded(name: str) -> bytes:
    return name.encode("ascii", "replace")


def running_step(shared: memoryview | bytearray) -> tuple[int, str]:
    """The number and the name of the step that runs; an empty name where none does."""
    number, running, name = _LAYOUT.unpack_from(shared)
    return number, name.rstrip(b"\0").decode() if running else ""
