"""The progress of a run, and the line that shows it. Nothing here knows pytest.

A tool's examination gives ticks. A pace decides which of them are shown: many on a terminal, few in a log.
"""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, Protocol

from aptix_conformance.core.text import printable

_LONGEST_NAME: Final = 40
_PARTS: Final = 3
"""Parts of equal size into which the finished tools are divided, to see how much the time of a tool varies.

Fewer tools than that, finished or left, tell nothing: one of them may take long, or be examined already beside another.
"""
_WIDEST: Final = 4.0
"""The largest ratio of the longest to the shortest time that may be left: their geometric mean is within a factor of two of both."""
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

    `calls` were made in `seconds`.
    """

    tool: str
    step: str
    calls: int
    seconds: float
    broken: str = ""
    """The first MUST that was seen broken; empty where none was."""
    is_finding: bool = False
    """Whether it was made because of `broken`, out of its turn."""


@dataclass(slots=True)
class ToolProgress:
    """Makes the ticks of one tool at a pace, and passes them to `use`.

    The first rule that is seen broken makes a tick out of turn.
    """

    tool: str
    pace: Pace
    use: Callable[[Tick], None]
    clock: Callable[[], float] = time.monotonic
    _has_shown: bool = False
    """Whether there was a tick that has a broken rule."""
    _started: float = field(init=False)
    _next: float = field(init=False)

    def __post_init__(self) -> None:
        self._started = self.clock()
        self._next = self._started + self.pace.first

    def __call__(self, step: str, calls: int, broken: str) -> None:
        """Take note of a step or a call, and make a tick where it is time for one."""
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
        self.use(Tick(self.tool, step, calls, now - self._started, broken, is_finding))


@dataclass(slots=True)
class RunProgress:
    """All tools and servers of a run by their names: how many there are, which are done, and which are being examined.

    `most` gives the seconds that the run's deadline leaves; None where it has none.
    """

    most: Callable[[], float | None] = lambda: None
    clock: Callable[[], float] = time.monotonic
    tools: set[str] = field(default_factory=set)
    servers: set[str] = field(default_factory=set)
    """Those of `tools` that are entries of servers: they are counted apart."""
    done: dict[str, float] = field(default_factory=dict)
    """When each was finished, in that order."""
    current: dict[str, Tick] = field(default_factory=dict)
    has_finding: bool = False
    """Whether a tool was seen to break a rule."""
    _started: float | None = None

    def expect(self, tools: Iterable[str], servers: Iterable[str] = ()) -> None:
        """Learn which tools there are, and which of them are servers; several workers say the same."""
        self.tools.update(tools)
        self.servers.update(servers)

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
        self.done.setdefault(tool, self.clock())
        self.current.pop(tool, None)

    @property
    def seconds_left(self) -> float | None:
        """About how many seconds the run still takes: within a factor of two, if the other tools are like the finished ones.

        None where too few are finished or left, or where the finished ones differ so much that they do not tell.
        """
        others = len(self.tools - self.done.keys())
        if self._started is None or min(len(self.done), others) < _PARTS:
            return None
        ends = [self._started, *self.done.values()]
        cuts = [part * len(self.done) // _PARTS for part in range(_PARTS + 1)]
        paces = [(ends[end] - ends[start]) / (end - start) for start, end in pairwise(cuts)]
        waited = self.clock() - ends[-1]
        least, longest = (others * pace - waited for pace in (min(paces), max(paces)))
        if least <= 0 or longest > _WIDEST * least:
            return None
        most = self.most()
        seconds = math.sqrt(least * longest)
        return seconds if most is None else min(seconds, max(most, 0.0))

    def place(self, name: str) -> str:
        """How many of its kind were done before a tool or a server, itself counted, such as `tool 2 of 4`; empty for one alone."""
        kind, alike = (
            ("server", self.servers) if name in self.servers else ("tool", self.tools - self.servers)
        )
        number = len(self.done.keys() & (alike - {name})) + 1
        return f"{kind} {min(number, len(alike))} of {len(alike)}" if len(alike) > 1 else ""

    def line(self, tick: Tick | None = None) -> str:
        """A tool and the run; empty where no tool is examined. Without a tick, the tool that has been examined for the longest time."""
        if not self.current:
            return ""
        tick = tick or max(self.current.values(), key=lambda other: other.seconds)
        others = len(self.current) - 1
        place = next((self.place(name) for name, known in self.current.items() if known is tick), "")
        parts = [
            f"{printable(tick.tool, _LONGEST_NAME)}: {printable(tick.step, 40)}, {tick.calls:,} calls, {tick.seconds:.0f} s",
            *([f"{tick.broken} was seen broken"] if tick.broken else []),
            *([f"and {others} more beside it"] if others else []),
            *filter(None, [place]),
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
