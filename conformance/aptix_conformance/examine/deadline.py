"""The deadline of an exploration: its one role is to end it, which is a cut (`scan.py`)."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

MOST_LOST = 30.0
"""Seconds that the calls of one tool may hang, each counted as the time that a call may take."""
MOST_LOST_QUICKLY = 10.0
"""The same in a quick plan."""


@dataclass(slots=True)
class Deadline:
    """When the exploration of a tool ends: `seconds` after it began, and after `most_lost` seconds of calls that hang.

    `clock` does not count the time that the suite and the tool waited for a processor. `timeout` is how long one call may
    take, in seconds. `hung` is how many calls did not come back within it.
    """

    seconds: float
    clock: Callable[[], float] = time.monotonic
    timeout: float = 5.0
    most_lost: float = MOST_LOST
    started: float = field(init=False)
    hung: int = 0

    def __post_init__(self) -> None:
        self.started = self.clock()

    @property
    def spent(self) -> float:
        """Seconds since the exploration began."""
        return self.clock() - self.started

    @property
    def breach(self) -> str | None:
        """Why no further call may be made; None where calls may be made."""
        if self.hung * self.timeout >= self.most_lost:
            return f"{self.hung} of its calls did not come back within {self.timeout:g} s"
        if self.spent >= self.seconds:
            return f"its calls took {self.seconds:g} s, and may take no longer (`--aptix-budget`)"
        return None
