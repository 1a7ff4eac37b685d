"""While calls are made at the same time, a file that a thread opens to write in it opens slowly, as on a busy disk.

A tool that reads a file, changes what it has read and writes it back, in a thread, takes microseconds for that: whether two
calls overlap would be chance. With the pause every call has read before the first one writes, unless a lock keeps it from that. The
thread of the event loop never pauses: it serves one call at a time. Only the first `_MOST` openings of a group are slow, so that
a tool that writes much loses little time.
"""

import os
import sys
import time
from _thread import get_ident
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

_PAUSE: Final = 0.02
"""Seconds; the threads of a group start in a small part of it."""
_MOST: Final = 16
_WRITING: Final = os.O_WRONLY | os.O_RDWR
_sleep: Final = time.sleep

_hooked: list[bool] = []
_remaining = [0]
_loop_threads: list[int] = []


@contextmanager
def slow_writes() -> Iterator[None]:
    """Make writes in other threads slow until the end; the hook that it needs cannot be removed, and does nothing then."""
    if not _hooked:
        _hooked.append(True)
        sys.addaudithook(_hook)
    _loop_threads[:] = [get_ident()]
    _remaining[0] = _MOST
    try:
        yield
    finally:
        _remaining[0] = 0


def _hook(event: str, arguments: Sequence[Any]) -> None:
    if event != "open" or _remaining[0] <= 0 or get_ident() in _loop_threads:
        return
    mode, flags = arguments[1], arguments[2]
    is_writing = (
        any(letter in mode for letter in "wax+")
        if type(mode) is str
        else type(flags) is int and flags & _WRITING
    )
    if is_writing:
        _remaining[0] -= 1
        _sleep(_PAUSE)
