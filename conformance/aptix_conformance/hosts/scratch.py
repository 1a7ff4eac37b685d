"""Scratch directories: made for a tool to spoil, and removed whatever it did to them."""

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
    """Remove a directory and everything in it, also what was made unreadable; links are not followed.

    Directories are lifted out of one another before they are emptied, so that no depth of nesting and no length of
    path is too much. What resists is left: a scratch directory that stays is a nuisance and no reason to fail a run.
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
    token = secrets.token_hex(8)  # a name that nobody can have taken
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
            )  # no link: it was just looked at, and no process is left to change it
            inside = os.open(name, _AS_A_DIRECTORY, dir_fd=top)
            try:
                for lifted in _lift_directories(inside, top, free_names):
                    waiting.append(lifted)
            finally:
                os.close(inside)
            os.rmdir(name, dir_fd=top)


def _lift_directories(inside: int, top: int, free_names: Iterator[str]) -> Iterator[str]:
    """Remove the files of a directory, and move its directories to `top`; gives their new names."""
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


class Room:
    """The directory of one zygote, in which each of its tools has a directory of its own.

    Where the zygote has mounted a file system of its own there, the parent comes in by a descriptor of it, which
    keeps it there until `close`, whatever becomes of the zygote.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        self._inside: Path | None = place
        self._fd: int | None = None

    def enter(self, pid: int) -> None:
        """Go where the process with that number sees this directory; where that is refused, stay out.

        Then the zygote makes the directories, and they last as long as it does.
        """
        self._inside = None
        with contextlib.suppress(OSError):
            self._fd = os.open(f"/proc/{pid}/root{self.place}", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            self._inside = Path(f"/proc/self/fd/{self._fd}")

    def make(self, name: str) -> Path:
        """A new directory, for its owner only; the path is the tools'."""
        if self._inside is not None:
            make_below(self._inside, name)
        return self.place / name

    def remove(self, name: str) -> None:
        """Remove a directory and all that is in it. Harmless when repeated."""
        if self._inside is not None:
            remove(self._inside / name)

    def path(self, name: str) -> Path | None:
        """A directory as the parent reaches it; None where it does not."""
        return None if self._inside is None else self._inside / name

    def close(self) -> None:
        """Remove everything. Harmless when repeated."""
        self._inside = None
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
        remove(self.place)
