"""A line that shows that a slow tool is still being examined: on a terminal that a person watches, and nowhere else.

It stands where pytest has just written, and is erased before pytest writes again, so that no output of a run differs.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

from aptix_conformance.examination import Watch
from aptix_conformance.plugin.terminal_width import is_terminal
from aptix_conformance.text import printable

_AFTER: Final = 1.0
"""Seconds of an examination before the line appears."""
_BETWEEN: Final = 0.25
"""Seconds between two updates."""
_LONGEST_NAME: Final = 40
_SAVE, _RESTORE, _ERASE = "\x1b7", "\x1b8", "\x1b[K"

Write = Callable[[str], None]


class Progress:
    """The line of one tool: its name, the step, the calls and the seconds so far; `columns` is the space for it."""

    def __init__(
        self, tool: str, write: Write, columns: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._tool = printable(tool, _LONGEST_NAME)
        self._write = write
        self._columns = columns
        self._clock = clock
        self._started = clock()
        self._next = self._started + _AFTER
        self._shown = False

    def __call__(self, step: str, calls: int) -> None:
        """Update the line, where it is time for that."""
        now = self._clock()
        if now < self._next:
            return
        self._next = now + _BETWEEN
        line = f" {self._tool}: {printable(step, 40)}, {calls:,} calls, {now - self._started:.0f} s"
        self._shown = True
        self._write(f"{_SAVE}{line[: max(self._columns, 0)]}{_ERASE}{_RESTORE}")

    def close(self) -> None:
        """Erase the line."""
        if self._shown:
            self._write(_ERASE)


@contextmanager
def shown_progress(config: pytest.Config, tool: str) -> Iterator[Watch]:
    """A watch that shows progress on the terminal, if the run has one and it is not that of a CI service."""
    if not is_terminal(config) or os.environ.get("CI") or config.option.verbose < 0:
        yield Watch()
        return
    writer = config.get_terminal_writer()
    columns = writer.fullwidth - writer.width_of_current_line - 1
    progress = Progress(tool, _around_capture(config, writer), columns)
    try:
        yield Watch(progress)
    finally:
        progress.close()


def _around_capture(config: pytest.Config, writer: Any) -> Write:
    """Writes to the terminal itself while pytest captures what the items write."""
    capture = config.pluginmanager.getplugin("capturemanager")

    def write(text: str) -> None:
        # `write_raw` does not count columns, so pytest knows nothing of the line.
        if capture is None:
            writer.write_raw(text, flush=True)
            return
        with capture.global_and_fixture_disabled():
            writer.write_raw(text, flush=True)

    return write
