"""The progress of a run, and the line that shows it. Nothing here knows pytest.

A tool's examination gives ticks. A pace decides which of them are shown: many on a terminal, few in a log.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol

from aptix_conformance.core.text import printable

_LONGEST_NAME: Final = 40
_LEAST_UNITS: Final = 0.25
"""Tools, or parts of one, that must be done before the time left is estimated."""
_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_SAVE, _RESTORE, _ERASE = "\x1b7", "\x1b8", "\x1b[K"
_ROOM_BELOW: Final = "\x1bD\x1bM"
"""Down and up again in the same column: on the last line of a terminal this scrolls."""
_BELOW: Final = "\x1b[B\r"

Write = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds of an examination before its first tick is shown, between two ticks, and before what is broken is shown."""

    first: float
    between: float
    finding: float


LIVE: Final = Pace(1.0, 0.25, 0.0)
"""For a terminal that a person watches."""
PLAIN: Final = Pace(30.0, 60.0, 5.0)
"""For a log: only tools that take long have lines, and the first of a run that is seen to break a MUST."""


@dataclass(frozen=True, slots=True)
class Tick:
    """One moment of a tool's examination.

    `calls` were made in `seconds`; `share`, from 0 to 1, is how many of the tool's steps are done.
    """

    tool: str
    step: str
    calls: int
    seconds: float
    share: float
    broken: str = ""
    """The first MUST that was seen broken; empty where none was."""
    is_finding: bool = False
    """Whether it was made because of `broken`, out of its turn."""


@dataclass(slots=True)
class ToolProgress:
    """Makes the ticks of one tool at a pace, and passes them to `use`. `planned` gives the number of its steps.

    The first rule that is seen broken makes a tick out of turn.
    """

    tool: str
    pace: Pace
    use: Callable[[Tick], None]
    planned: Callable[[], int]
    clock: Callable[[], float] = time.monotonic
    _has_shown: bool = False
    """Whether there was a tick that has a broken rule."""
    _steps: dict[str, None] = field(default_factory=dict)
    _started: float = field(init=False)
    _next: float = field(init=False)

    def __post_init__(self) -> None:
        self._started = self.clock()
        self._next = self._started + self.pace.first

    def __call__(self, step: str, calls: int, broken: str) -> None:
        """Take note of a step or a call, and make a tick where it is time for one."""
        self._steps[step] = None
        now = self.clock()
        is_due = now >= self._next
        is_finding = (
            not is_due and bool(broken) and not self._has_shown and now >= self._started + self.pace.finding
        )
        if not (is_due or is_finding):
            return
        self._has_shown = bool(broken)
        if is_due:
            self._next = now + self.pace.between
        done = len(self._steps) - 1
        share = done / max(self.planned(), done + 1)
        self.use(Tick(self.tool, step, calls, now - self._started, share, broken, is_finding))


@dataclass(slots=True)
class RunProgress:
    """All tools of a run, by the ids of their nodes: how many there are, which are done, and which are being examined.

    `most` gives the seconds that the run's deadline leaves; None where it has none.
    """

    most: Callable[[], float | None] = lambda: None
    clock: Callable[[], float] = time.monotonic
    tools: set[str] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
    current: dict[str, Tick] = field(default_factory=dict)
    has_finding: bool = False
    """Whether a tool was seen to break a rule."""
    _started: float | None = None

    def expect(self, tools: Iterable[str]) -> None:
        """Learn which tools there are; several workers say the same."""
        self.tools.update(tools)

    def begin(self) -> None:
        """Start the clock; harmless when repeated."""
        if self._started is None:
            self._started = self.clock()

    def hear(self, tool: str, tick: Tick) -> None:
        """Keep the newest tick of a tool; one that comes after the tool's end is dropped."""
        if tool not in self.done:
            self.current[tool] = tick
            self.has_finding |= bool(tick.broken)

    def finish(self, tool: str) -> None:
        """Count a tool as done, and drop its last tick."""
        self.done.add(tool)
        self.current.pop(tool, None)

    @property
    def seconds_left(self) -> float | None:
        """About how many seconds the run still takes; None where too little is done to say so."""
        units = len(self.done) + sum(tick.share for tick in self.current.values())
        if self._started is None or units < _LEAST_UNITS:
            return None
        seconds = (self.clock() - self._started) * max(len(self.tools) - units, 0.0) / units
        most = self.most()
        return seconds if most is None else min(seconds, max(most, 0.0))

    def line(self, tick: Tick | None = None) -> str:
        """A tool and the run; empty where no tool is examined. Without a tick, the tool that has been examined for the longest time."""
        if not self.current:
            return ""
        tick = tick or max(self.current.values(), key=lambda other: other.seconds)
        others = len(self.current) - 1
        number = min(len(self.done) + 1, len(self.tools))
        parts = [
            f"{printable(tick.tool, _LONGEST_NAME)}: {printable(tick.step, 40)}, {tick.calls:,} calls, {tick.seconds:.0f} s",
            *([f"{tick.broken} was seen broken"] if tick.broken else []),
            *([f"and {others} more beside it"] if others else []),
            *([f"tool {number} of {len(self.tools)}"] if len(self.tools) > 1 else []),
            *([] if self.seconds_left is None else [f"{about(self.seconds_left)} left"]),
        ]
        return "; ".join(parts)


def about(seconds: float) -> str:
    """A rough duration in words."""
    if seconds < 2 * _MINUTE:
        return f"about {max(round(seconds), 1)} s"
    if seconds < _HOUR:
        return f"about {round(seconds / _MINUTE)} min"
    hours, rest = divmod(round(seconds / _MINUTE), 60)
    return f"about {hours} h {rest} min"


class Display(Protocol):
    """Where the line is shown."""

    def show(self, line: str) -> None:
        """Show a line in place of the one before. The line has no line break."""

    def clear(self) -> None:
        """Remove a line that should not stay, before something else is written."""


@dataclass(slots=True)
class LineBelow:
    """A line below the cursor of a terminal, erased before anything else is written, so that no output of a run differs."""

    write: Write
    columns: Callable[[], int]
    _shown: bool = False

    def show(self, line: str) -> None:
        """Write the line, as far as it fits."""
        text = line[: max(self.columns() - 1, 0)]
        self._shown = True
        self.write(f"{_ROOM_BELOW}{_SAVE}{_BELOW}{text}{_ERASE}{_RESTORE}")

    def clear(self) -> None:
        """Erase the line, if one is shown. The cursor stays where it is."""
        if self._shown:
            self._shown = False
            self.write(f"{_SAVE}{_BELOW}{_ERASE}{_RESTORE}")


@dataclass(slots=True)
class PlainLines:
    """Lines of a log."""

    write: Write

    def show(self, line: str) -> None:
        """Write the line into the log, and end it."""
        self.write(f"examining     {line}")

    def clear(self) -> None:
        """Do nothing: lines of a log are not removed."""
