"""What a process holds besides descriptors: memory, and files in its folder for temporary ones."""

import gc
import os
import resource
from typing import Final

from .foreign import attempt

_collect: Final = gc.collect
_list: Final = os.listdir
_open: Final = os.open
_read: Final = os.read
_close: Final = os.close
_PAGE: Final = resource.getpagesize() // 1024
_SUSPECT: Final = 512
"""KiB by which memory grows before objects are collected that nobody refers to: that takes milliseconds."""

Held = dict[str, int]
"""By its name in the answer: `memory` in KiB, `temporary files` as their number."""


def held_now() -> Held:
    """What this process holds; what cannot be read is missing."""
    memory, _ = attempt(_resident)
    files, _ = attempt(_temporary_files)
    found = {"memory": memory, "temporary files": files}
    return {name: count for name, count in found.items() if count is not None}


def held_since(before: Held) -> dict[str, list[int]]:
    """By name, how much there was before a call, and how much there is now."""
    now = held_now()
    if now.get("memory", 0) - before.get("memory", 0) >= _SUSPECT:
        attempt(_collect)
        now = held_now()
    return {name: [before[name], now[name]] for name in before.keys() & now.keys()}


def _resident() -> int:
    file = _open("/proc/self/statm", os.O_RDONLY)
    try:
        return int(_read(file, 100).split()[1]) * _PAGE
    finally:
        _close(file)


def _temporary_files() -> int:
    return len(_list(os.environ["TMPDIR"]))
