"""A standard stream of a process, as its parent reads it."""

import os
from typing import Final

from aptix_conformance.core.model import Output

_PIPE: Final = 1 << 16
"""Bytes that a pipe holds: one read of this size takes all that was written before an answer."""
_NOTHING: Final = Output()


class OutputStream:
    """A standard stream of the process. Keeps the beginning of the output, and counts all bytes."""

    def __init__(self, fd: int, keep: int) -> None:
        os.set_blocking(fd, False)
        self.fd = fd
        self.total = 0
        self._keep = keep
        self._beginning = b""

    def read(self) -> bool:
        """Read once; False at the end of the stream."""
        try:
            data = os.read(self.fd, _PIPE)
        except BlockingIOError:
            return True
        self.total += len(data)
        if len(self._beginning) < self._keep:
            self._beginning += data[: self._keep - len(self._beginning)]
        return bool(data)

    def take(self) -> Output:
        """The output since the last call."""
        if not self.total:
            return _NOTHING
        output = Output(self._beginning.decode("utf-8", "backslashreplace"), self.total)
        self.total, self._beginning = 0, b""
        return output
