"""Lets each file look older to Python code: a checkout or an installation gives the files of a project other times.

Directories that are listed (`os.scandir`) and the machinery of imports see the real times.
"""

import functools
import os
from collections.abc import Callable
from typing import Any

_Stat = Callable[..., os.stat_result]
_TIMES = slice(7, 10)
"""The whole seconds of access, change of content and change of status in a `stat_result`."""


def shift(seconds: int) -> None:
    """Move the times that `os.stat`, `os.lstat` and `os.fstat` return into the past."""
    for name in ("stat", "lstat", "fstat"):
        real = getattr(os, name)
        older = _older(real, seconds)
        setattr(os, name, older)
        for functions in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
            if real in functions:
                functions.add(older)


def _older(real: _Stat, seconds: int) -> _Stat:
    @functools.wraps(real)
    def read(*arguments: Any, **named: Any) -> os.stat_result:
        status: Any = real(*arguments, **named)
        values, more = status.__reduce__()[1]
        earlier = [value - seconds for value in values[_TIMES]]
        for name in more:
            if name.startswith("st_") and "time" in name:
                more[name] -= seconds * 10**9 if name.endswith("_ns") else seconds
        return os.stat_result((*values[: _TIMES.start], *earlier, *values[_TIMES.stop :]), more)

    return read
