"""Records what a module writes to standard output when it is imported and mounted."""

import sys
from typing import Any, Final, Self

from ..foreign import attempt

KEPT: Final = 500
"""Limit of recorded characters."""


class Tee:
    """Forwards to a stream, and keeps the beginning of what is written while it is recording."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.text = ""
        self.recording = True

    def write(self, text: str) -> Any:
        """As a text stream does."""
        if self.recording and type(text) is str:
            self.text = (self.text + text[:KEPT])[:KEPT]
        return self._stream.write(text)

    def writelines(self, lines: Any) -> None:
        """As a text stream does."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class RecordedOutput:
    """A context manager; `text` is what was written to `sys.stdout` in it."""

    def __init__(self) -> None:
        self.text = ""

    def __enter__(self) -> Self:
        self._stream = sys.stdout
        self._tee = Tee(self._stream)
        sys.stdout = self._tee
        return self

    def __exit__(self, *_: object) -> None:
        # A module that has kept the stream goes on writing to it.
        self._tee.recording = False
        self.text = self._tee.text
        if sys.stdout is self._tee:
            sys.stdout = self._stream
        attempt(self._stream.flush)
