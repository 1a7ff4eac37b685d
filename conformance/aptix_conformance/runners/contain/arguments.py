"""Hides the arguments of this process from other processes. Standard library only."""

import contextlib
import ctypes
from typing import Final

_START, _END = 45, 46
"""Places in /proc/self/stat after the name of the program: where the arguments lie in memory."""
_LONGEST: Final = 1 << 20


def hide_arguments() -> None:
    """Leave only the program in this process's command line: the other arguments tell of the suite.

    They are overwritten where the kernel reads them. Does nothing where it does not say where that is.
    """
    with contextlib.suppress(OSError, ValueError, IndexError):
        with open("/proc/self/stat", encoding="ascii", errors="replace") as stream:
            numbers = stream.read().rpartition(")")[2].split()
        start, end = int(numbers[_START]), int(numbers[_END])
        with open("/proc/self/cmdline", "rb") as stream:
            program, _, _ = stream.read(_LONGEST).partition(b"\0")
        if start > 0 and len(program) < end - start:
            rest = start + len(program)
            ctypes.memset(rest, 0, end - rest)
