"""Scratch directories: created for tools, and removed in whatever state the tools leave them.

A run that is killed cannot remove its own, so a `Remover` does, or a later run of the same user. The kernel tells whether the owner lives: it holds
a lock on the directory, and so do the processes that it forked. The names of locked directories have a form of their own, since
one without a lock may be in use by another version of the suite.
"""

import contextlib
import fcntl
import itertools
import os
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cache, partial
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import ShortageError
from aptix_conformance.core.model.canaries import SCRATCH_PREFIX
from aptix_conformance.hosts.remover import Remover

_AS_A_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

_LOCKED_PREFIX: Final = f"{SCRATCH_PREFIX}run-"
_LEAST_BYTES: Final = 4 * 1024 * 1024
_LEAST_FILES: Final = 100


class ScratchPlace:
    """A new directory in the temporary folder, for its owner only, which no other run removes as long as this process lives."""

    def __init__(self) -> None:
        """Make it.

        Raises:
            ShortageError: hardly any space is left there.
        """
        _remove_abandoned_once()
        parent = Path(tempfile.gettempdir())
        check_space(parent)
        token = secrets.token_hex(8)  # a name that cannot be guessed
        draft, self.path = parent / f"{SCRATCH_PREFIX}{token}", parent / f"{_LOCKED_PREFIX}{token}"
        is_inside_another = parent.name.startswith(_LOCKED_PREFIX)
        self._remover = None if is_inside_another else Remover(draft, self.path)
        draft.mkdir(mode=0o700)
        self._fd: int | None = os.open(draft, _AS_A_DIRECTORY)
        # Where the file system knows no locks, the directory stays without one, and nobody can lock it to remove it.
        with contextlib.suppress(OSError):
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Locked before it has the name by which it is found: another run never takes a new one for an abandoned one.
        draft.rename(self.path)

    def remove(self) -> None:
        """Remove it and everything in it. Harmless when repeated."""
        if self._fd is not None:
            remove(self.path)
            os.close(self._fd)
            self._fd = None
            if self._remover is not None:
                self._remover.close()


@cache
def _remove_abandoned_once() -> None:
    remove_abandoned(Path(tempfile.gettempdir()))


def remove_abandoned(parent: Path) -> None:
    """Remove the directories of `ScratchPlace` in `parent` that are this user's and whose owner has ended.

    Args:
        parent: the temporary folder, in which anybody may write. Links are not followed.
    """
    names: list[str] = []
    with contextlib.suppress(OSError):
        names = [each.name for each in parent.iterdir() if each.name.startswith(_LOCKED_PREFIX)]
    for name in names:
        with contextlib.suppress(OSError):
            fd = os.open(parent / name, _AS_A_DIRECTORY)
            try:
                if os.fstat(fd).st_uid == os.geteuid():
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    remove(parent / name)
            finally:
                os.close(fd)


def check_space(place: Path) -> None:
    """Refuse a place that is full: what a tool does there would fail, which is no fault of the tool.

    Raises:
        ShortageError: it has hardly any space.
    """
    space = os.statvfs(place)
    blocks, files = (space.f_bfree, space.f_ffree) if os.geteuid() == 0 else (space.f_bavail, space.f_favail)
    if blocks * space.f_frsize < _LEAST_BYTES or (space.f_files and files < _LEAST_FILES):
        raise ShortageError.full(str(place))


def make_below(parent: Path, name: str) -> Path:
    """A new directory in `parent`, for its owner only.

    Raises:
        ShortageError: hardly any space is left there.
    """
    check_space(parent)
    place = parent / name
    place.mkdir(mode=0o700)
    return place


def remove(place: Path) -> None:
    """Remove a directory and everything in it, also unreadable files. Links are not followed.

    Nested directories are moved to the top before they are emptied, so any depth and any length of path works. What
    cannot be removed stays: that is no reason to fail a run.
    """
    with contextlib.suppress(OSError, NotImplementedError):
        top = _open_directory(place)
        try:
            _empty(top)
        finally:
            os.close(top)
        place.rmdir()


@contextlib.contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    """A new temporary folder, without links in its path, that is removed afterwards, also where this process is killed."""
    folder = Path(tempfile.gettempdir(), f"{prefix}{secrets.token_hex(8)}")
    with contextlib.closing(Remover(folder)):
        folder.mkdir(mode=0o700)
        try:
            yield folder.resolve()
        finally:
            remove(folder)


def _empty(top: int, keep: AbstractSet[str] = frozenset()) -> None:
    token = secrets.token_hex(8)  # a name that cannot be guessed
    free_names = (f".{token}-{number}" for number in itertools.count(1))
    waiting = [name for name in _names(top) if name not in keep]
    while waiting:
        name = waiting.pop()
        with contextlib.suppress(OSError, ValueError):
            if not _is_directory(name, top):
                os.unlink(name, dir_fd=top)
                continue
            inside = _open_directory(name, top)
            try:
                for lifted in _lift_directories(inside, top, free_names):
                    waiting.append(lifted)  # noqa: PERF402 - what was lifted before an error counts
            finally:
                os.close(inside)
            os.rmdir(name, dir_fd=top)


def _lift_directories(inside: int, top: int, free_names: Iterator[str]) -> Iterator[str]:
    """Remove the files of a directory, and move its directories to `top`. Yields their new names."""
    for entry in _names(inside):
        with contextlib.suppress(OSError, ValueError):
            if not _is_directory(entry, inside):
                os.unlink(entry, dir_fd=inside)
                continue
            os.close(_open_directory(entry, inside))
            name = next(free_names)
            os.rename(entry, name, src_dir_fd=inside, dst_dir_fd=top)
            yield name


def _open_directory(name: str | Path, parent: int | None = None) -> int:
    """Open a directory, which its owner may read and write then. A link that takes its place meanwhile is not followed.

    Raises:
        OSError: it is none any more, or another user's.
        ValueError: it is a link, or this machine cannot change a mode without following links; NotImplementedError without `parent`.
    """
    try:
        fd = os.open(name, _AS_A_DIRECTORY, dir_fd=parent)
    except PermissionError:
        os.chmod(name, 0o700, dir_fd=parent, follow_symlinks=False)
        fd = os.open(name, _AS_A_DIRECTORY, dir_fd=parent)
    try:
        os.fchmod(fd, 0o700)
    except OSError:  # it belongs to another user
        os.close(fd)
        raise
    return fd


def _names(directory: int) -> list[str]:
    return os.listdir(directory)


def _is_directory(name: str, parent: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)


HOME: Final = "tool-0"
"""The name of the directory in which a zygote imports modules, and of the one of the tool that runs alone."""


class ToolDirectory:
    """The working directory of one process. `place` is its path as the tool sees it."""

    def __init__(self, place: Path, reach: Callable[[], Path | None], remove: Callable[[], None]) -> None:
        self.place = place
        self._reach = reach
        self._remove = remove
        self._is_removed = False

    @property
    def path(self) -> Path | None:
        """The path by which the parent reaches it; None where it cannot."""
        return None if self._is_removed else self._reach()

    def remove(self) -> None:
        """Remove it and its contents. Harmless when repeated: another process may have its name by then."""
        if not self._is_removed:
            self._is_removed = True
            self._remove()


class ToolDirectories:
    """The directory of one zygote, with one directory for each process of its tools.

    Where the zygote mounts a file system there, the parent reaches it through a descriptor. The descriptor keeps the file
    system until `close`, even after the end of the zygote.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        self._inside: Path | None = place
        self._fd: int | None = None
        self._home_is_free = True
        self._in_use: set[str] = set()
        self._shared: dict[int, frozenset[str]] = {}
        self._numbers = itertools.count(1)

    @property
    def home(self) -> Path:
        """Where the zygote imports modules."""
        return self.place / HOME

    def enter(self, pid: int, shared: Iterable[str] = ()) -> None:
        """Open the directory as the process `pid` sees it; where that is refused, the parent reaches none of it.

        `shared` are other directories in which its tools may write, such as its own /tmp.
        """
        self._inside = None
        with contextlib.suppress(OSError):
            self._fd = os.open(f"/proc/{pid}/root{self.place}", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            self._inside = Path(f"/proc/self/fd/{self._fd}")
            for place in shared:
                fd = os.open(f"/proc/{pid}/root{place}", _AS_A_DIRECTORY)
                self._shared[fd] = frozenset(_names(fd))

    @property
    def has_leftovers(self) -> bool:
        """Whether something is in the shared directories although no tool has a process: an import left it there.

        Processes that are forked would change it for one another.
        """
        return not self._in_use and any(set(_names(fd)) - known for fd, known in self._shared.items())

    def claim(self) -> ToolDirectory:
        """The directory for a new process, which the zygote creates. Its path is the one that the tools see.

        Modules compute paths when they are imported (`CACHE = Path.home() / ".cache"`). So a process gets the directory in
        which its modules were imported, as long as no other process has it.
        """
        name = f"tool-{next(self._numbers)}"
        if self._home_is_free and self._inside is not None:
            self._home_is_free, name = False, HOME
        self._in_use.add(name)
        return ToolDirectory(self.place / name, partial(self.path, name), partial(self.remove, name))

    def remove(self, name: str) -> None:
        """Remove a directory and its contents, and what was written to the shared directories if nobody uses them."""
        self._in_use.discard(name)
        if self._inside is not None:
            remove(self._inside / name)
            if name == HOME:
                self._home_is_free = not os.path.lexists(self._inside / name)
            if not self._in_use:
                for fd, known in self._shared.items():
                    _empty(fd, known)

    def path(self, name: str) -> Path | None:
        """The path by which the parent reaches a directory; None where it cannot."""
        return None if self._inside is None else self._inside / name

    def close(self) -> None:
        """Remove everything. Harmless when repeated."""
        self._inside = None
        if self._fd is not None:
            for fd in (self._fd, *self._shared):
                os.close(fd)
            self._fd = None
            self._shared.clear()
        remove(self.place)
