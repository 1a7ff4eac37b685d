"""A call while something is scarce: the disturbances `resource:NAME`.

The server has started and was read before anything is taken away, and gets it back before it is called again. Only what the
suite gave the server is touched: its scratch directory, where that is a file system of its own, and the limits of its
processes. Such a process can write nowhere else but to two small file systems of its own, which stay as they are.
"""

import contextlib
import errno
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

from .family import Family

KIND: Final = "resource:"
TRIES: Final = 3
"""Calls afterwards, until one succeeds: a server may need one to see that what it holds is broken."""
_PIECE: Final = 4 << 20
_PAGE: Final = 4096
_LARGEST: Final = 256 << 20
"""Bytes that are filled at most: they are memory."""
_MOST_ENTRIES: Final = 20_000
"""Files and directories that are made read-only at most."""
_WARM: Final = ("no-descriptors",)
"""Before these the call is made once: its first time loads code, which needs a descriptor, and that belongs to the start."""
_WRITING: Final = 0o222

Returned = dict[str, Any]
"""The result of a call, in the form of the host protocol."""


def own_disk() -> str:
    """The working directory of this process where it is a file system of its own, which may be filled; else empty."""
    place = os.getcwd()
    return place if os.path.ismount(place) else ""


def call_with(name: str, place: str, pid: int | None, make: Callable[[], Returned]) -> tuple[Returned, bool]:
    """A call while something is scarce for a server; if it fails, the same call afterwards, until one succeeds.

    Args:
        name: the scarce resource, one of `NAMES`.
        place: the disk, as `own_disk` gives it.
        pid: of the server; None where it was not started here.
        make: makes the call, each time anew.

    Returns: the result of the first call, with the responses to the others, and whether all of them failed.
    """
    if name in _WARM:
        make()
    with _SCARCITIES[name](place, pid) as is_scarce:
        first = make()
    later: list[Returned] = []
    is_failing = first["result"]["successful"] is False
    while is_failing and is_scarce and len(later) < TRIES:
        later.append(make()["result"])
        is_failing = later[-1]["successful"] is False
    messages = [result["mcp"]["message"] for result in later]
    first["result"]["mcp"]["afterwards"] = [message for message in messages if message]
    first["disturbed"] = {"reached": is_scarce, "place": f"{KIND}{name}"}
    return first, bool(later) and is_failing


@contextmanager
def _full_disk(place: str, _pid: int | None) -> Iterator[bool]:
    """A file without a name takes all that is free; it is gone when it is closed, whoever ends first."""
    filler = None
    with contextlib.suppress(OSError):  # the server may have closed its own directory, or made too many files
        filler = os.open(place, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600) if place else None
    try:
        yield filler is not None and _fill(filler)
    finally:
        if filler is not None:
            os.close(filler)


def _fill(filler: int) -> bool:
    """Take all that is free on a disk; whether nothing is left."""
    size, piece = 0, _PIECE
    while piece >= _PAGE and size < _LARGEST:
        try:
            os.posix_fallocate(filler, size, piece)
            size += piece
        except OSError as error:
            if error.errno != errno.ENOSPC:
                return False
            piece //= 2
    return piece < _PAGE


@contextmanager
def _read_only_folder(place: str, _pid: int | None) -> Iterator[bool]:
    """Nobody may write to the files and directories, as far as this process's user owns them; what is open stays open."""
    changed: list[tuple[str, int]] = []
    try:
        for path in _entries(place) if place else ():
            with contextlib.suppress(OSError):
                mode = os.stat(path, follow_symlinks=False).st_mode & 0o7777
                os.chmod(path, mode & ~_WRITING)
                changed.append((path, mode))
        yield bool(place) and not os.access(place, os.W_OK)
    finally:
        for path, mode in changed:
            with contextlib.suppress(OSError):
                os.chmod(path, mode)


def _entries(place: str) -> Iterator[str]:
    """A directory, and the directories and files in it, no links."""
    waiting, count = [place], 0
    while waiting and count < _MOST_ENTRIES:
        directory = waiting.pop()
        yield directory
        with contextlib.suppress(OSError), os.scandir(directory) as entries:
            for entry in entries:
                count += 1
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.is_file(follow_symlinks=False):
                    yield entry.path


@contextmanager
def _no_descriptors(_place: str, pid: int | None) -> Iterator[bool]:
    """The lowest free number of each process becomes its limit: what is open stays open, and nothing can be opened."""
    before: dict[int, tuple[int, int]] = {}
    for member, _ in Family(pid).members():
        with contextlib.suppress(OSError):
            soft, hard = resource.prlimit(member, resource.RLIMIT_NOFILE)
            resource.prlimit(member, resource.RLIMIT_NOFILE, (min(_lowest_free(member), soft), hard))
            before[member] = soft, hard
    try:
        yield pid in before
    finally:
        for member, limits in before.items():
            with contextlib.suppress(OSError):
                resource.prlimit(member, resource.RLIMIT_NOFILE, limits)


def _lowest_free(pid: int) -> int:
    """The number that the next descriptor of a process would get."""
    used = {int(name) for name in os.listdir(f"/proc/{pid}/fd")}
    return next(number for number in range(len(used) + 1) if number not in used)


_SCARCITIES: Final[dict[str, Callable[[str, int | None], AbstractContextManager[bool]]]] = {
    "full-disk": _full_disk,
    "read-only-folder": _read_only_folder,
    "no-descriptors": _no_descriptors,
}
NAMES: Final = frozenset(_SCARCITIES)
"""The resources that can be scarce."""
