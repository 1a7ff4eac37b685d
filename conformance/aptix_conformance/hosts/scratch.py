"""Scratch directories: created for tools, and removed in whatever state the tools leave them."""

import contextlib
import itertools
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_AS_A_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def make_below(parent: Path, name: str) -> Path:
    """A new directory in `parent`, for its owner only."""
    place = parent / name
    place.mkdir(mode=0o700)
    return place


def remove(place: Path) -> None:
    """Remove a directory and everything in it, also unreadable files. Links are not followed.

    Nested directories are moved to the top before they are emptied, so any depth and any length of path works. What
    cannot be removed stays: that is no reason to fail a run.
    """
    with contextlib.suppress(OSError):
        top = os.open(place, _AS_A_DIRECTORY)
        try:
            os.fchmod(top, 0o700)
            _empty(top)
        finally:
            os.close(top)
        place.rmdir()


def _empty(top: int) -> None:
    token = secrets.token_hex(8)  # a name that cannot be guessed
    free_names = (f".{token}-{number}" for number in itertools.count(1))
    waiting = os.listdir(top)
    while waiting:
        name = waiting.pop()
        with contextlib.suppress(OSError):
            if not _is_directory(name, top):
                os.unlink(name, dir_fd=top)
                continue
            os.chmod(
                name, 0o700, dir_fd=top
            )  # not a link: it was just checked, and no process is left to change it
            inside = os.open(name, _AS_A_DIRECTORY, dir_fd=top)
            try:
                for lifted in _lift_directories(inside, top, free_names):
                    waiting.append(lifted)
            finally:
                os.close(inside)
            os.rmdir(name, dir_fd=top)


def _lift_directories(inside: int, top: int, free_names: Iterator[str]) -> Iterator[str]:
    """Remove the files of a directory, and move its directories to `top`. Yields their new names."""
    for entry in os.listdir(inside):
        with contextlib.suppress(OSError):
            if not _is_directory(entry, inside):
                os.unlink(entry, dir_fd=inside)
                continue
            os.chmod(entry, 0o700, dir_fd=inside)
            name = next(free_names)
            os.rename(entry, name, src_dir_fd=inside, dst_dir_fd=top)
            yield name


def _is_directory(name: str, parent: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)


class ToolDirectories:
    """The directory of one zygote, with one directory for each of its tools.

    Where the zygote mounts a file system there, the parent reaches it through a descriptor. The descriptor keeps the file
    system until `close`, even after the end of the zygote.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        self._inside: Path | None = place
        self._fd: int | None = None

    def enter(self, pid: int) -> None:
        """Open the directory as the process `pid` sees it.

        Where that is refused, the zygote creates the directories, and they end with it.
        """
        self._inside = None
        with contextlib.suppress(OSError):
            self._fd = os.open(f"/proc/{pid}/root{self.place}", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            self._inside = Path(f"/proc/self/fd/{self._fd}")

    def make(self, name: str) -> Path:
        """A new directory, for its owner only. The path is the one that the tools see."""
        if self._inside is not None:
            make_below(self._inside, name)
        return self.place / name

    def remove(self, name: str) -> None:
        """Remove a directory and its contents. Harmless when repeated."""
        if self._inside is not None:
            remove(self._inside / name)

    def path(self, name: str) -> Path | None:
        """The path by which the parent reaches a directory; None where it cannot."""
        return None if self._inside is None else self._inside / name

    def close(self) -> None:
        """Remove everything. Harmless when repeated."""
        self._inside = None
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
        remove(self.place)
