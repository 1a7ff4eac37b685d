"""Follow an examination while it runs: which step it is in, how many calls it has made, and how long each step took."""

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Notify = Callable[[str, int, str], None]
"""Takes the name of the step, the number of calls made so far, and the first rule that was seen broken; empty where none was."""


def _ignore(_step: str, _calls: int, _broken: str) -> None:
    pass


@dataclass(slots=True)
class Watch:
    """The steps of one examination: the probes by name, and `declaration`, `restart`, `cleanup` and `proof`.

    `notify` is called at the beginning of each step, after each recorded call, and when the first MUST is seen broken.
    """

    notify: Notify = _ignore
    clock: Callable[[], float] = time.monotonic
    seconds: dict[str, float] = field(default_factory=dict)
    """The duration of each step, by its name, in the order in which the steps began."""
    calls: dict[str, int] = field(default_factory=dict)
    """The number of recorded calls of each step, by its name."""
    drawn: dict[str, int] = field(default_factory=dict)
    """The number of drawn calls of each step that draws, by its name."""
    gate: Collection[str] = ()
    """The codes of the rules whose breach a person waits for: each MUST that binds the tool and is not waived."""
    broken: str = ""
    """The first MUST that was seen broken, by its code; empty where none was. It is not proved yet."""
    _step: str = ""

    @contextmanager
    def during(self, step: str) -> Iterator[None]:
        """Count what happens inside as part of a step."""
        started = self.clock()
        self._step = step
        self.calls.setdefault(step, 0)
        self._notify()
        try:
            yield
        finally:
            self.seconds[step] = self.seconds.get(step, 0.0) + self.clock() - started

    def made_call(self) -> None:
        """Count one recorded call."""
        self.calls[self._step] = self.calls.get(self._step, 0) + 1
        self._notify()

    def saw_broken(self, code: str) -> None:
        """Keep the first rule of `gate` that was seen broken."""
        if not self.broken and code in self.gate:
            self.broken = code
            self._notify()

    def drew(self, calls: int) -> None:
        """Count calls of this step that were drawn."""
        self.drawn[self._step] = self.drawn.get(self._step, 0) + calls

    def _notify(self) -> None:
        self.notify(self._step, self.total, self.broken)

    @property
    def total(self) -> int:
        """The number of calls so far."""
        return sum(self.calls.values())
