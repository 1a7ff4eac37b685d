"""Hides from other processes with which arguments this one was started. Standard library only."""

import contextlib
import ctypes
from typing import Final

_START, _END = 45, 46
"""Places in /proc/self/stat after the name of the program: where the arguments lie in memory."""
_LONGEST: Final = 1 << 20
SHOWN: Final = "main.py"
"""The argument that stays: a program in Python has the name of its file there."""


def hide_arguments() -> None:
    """Leave the interpreter and an ordinary argument in this process's command line: the others tell of the suite.

    They are overwritten where the kernel reads them. Does nothing where it does not say where that is.
    """
    with contextlib.suppress(OSError, ValueError, IndexError):
        with open("/proc/self/stat", encoding="ascii", errors="replace") as stream:
            numbers = stream.read().rpartition(")")[2].split()
        start, end = int(numbers[_START]), int(numbers[_END])
        with open("/proc/self/cmdline", "rb") as stream:
            program, _, _ = stream.read(_LONGEST).partition(b"\0")
        shown = program + b"\0" + SHOWN.encode()
        if start > 0 and len(shown) < end - start:
            ctypes.memset(start, 0, end - start)
            ctypes.memmove(start, shown, len(shown))
