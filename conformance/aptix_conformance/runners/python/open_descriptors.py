"""Counts what a call leaves open in its process."""

import gc
import os
from typing import Final

from .foreign import attempt

_list: Final = os.listdir
_collect: Final = gc.collect


def open_descriptors() -> int | None:
    """How many file descriptors this process has open; None where the platform does not list them."""
    names, _ = attempt(lambda: _list("/proc/self/fd"))
    return None if names is None else len(names)


def open_after(before: int | None) -> list[int] | None:
    """How many were open before a call, and how many are now, without those of objects that nobody refers to."""
    now = open_descriptors()
    if before is not None and now is not None and now > before:
        # A reference cycle, such as that of an exception, may keep a file that nobody uses any more.
        attempt(_collect)
        now = open_descriptors()
    return None if before is None or now is None else [before, now]
