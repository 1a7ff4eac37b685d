"""The files of a tool's author: a checked copy for the run, and what calls changed in the copy of one process.

The author's folder is only read, once a run, and every process gets a copy of that copy. A call that changed its copy must
not decide how the next call ends. A folder that was restored beneath a running tool would make an innocent tool fail, as
SQLite notices it. So the next call gets another process with another copy.
"""

import itertools
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.text import printable
from aptix_conformance.hosts import scratch
from aptix_conformance.hosts.host import MIB
from aptix_conformance.targets.settings import ToolSettings

MOST_ENTRIES: Final = 10_000
"""Limit of the files, directories and links in a folder; scratch directories of limited size hold 65,536."""

MOST_NAMES: Final = 6
"""The most files of a folder whose names are sent to a tool."""

_CHUNK: Final = MIB
_LONGEST_PATH: Final = 3_900
"""Bytes of a path: the kernel takes 4,096, and the paths of the working directories begin with some more bytes."""
_NOT_BLOCKED: Final = os.O_NOFOLLOW | os.O_NONBLOCK

State = Mapping[str, tuple[int, ...]]
"""The entries of a directory by relative path, each with what changes when it is written to."""


def names_in(folder: str | None) -> tuple[str, ...]:
    """The first files of a folder that an author names, as relative paths in their order; empty where there are none."""
    found: list[str] = []
    for place, folders, files in os.walk(folder) if folder else ():
        folders.sort()
        inner = Path(place).relative_to(folder or "")
        found += ((inner / name).as_posix() for name in sorted(files))
        if len(found) >= MOST_NAMES:
            break
    return tuple(found[:MOST_NAMES])


def _open_file(path: str, flags: int) -> int:
    """Open a file that may have become a link or a pipe since it was looked at."""
    return os.open(path, flags | _NOT_BLOCKED)


class AuthorFiles:
    """Copies of the folders that a configuration names, each made once."""

    def __init__(self, place: Path, limit: int) -> None:
        """`place` is a directory for the copies, which no contained tool may write to; `limit` is in bytes a folder."""
        self._place = place
        self._limit = limit
        self._copies: dict[str, Path] = {}
        self._numbers = itertools.count(1)

    def copy_of(self, settings: ToolSettings) -> Path | None:
        """The copy of the folder that the settings name; None where they name none.

        Raises:
            TargetError: the folder holds what cannot be copied; says where, and what to do.
        """
        folder, key = settings.files, settings.places.get("files", "files")
        if folder is None:
            return None
        if folder not in self._copies:
            copy = scratch.make_below(self._place, f"files-{next(self._numbers)}")
            try:
                Copier(Path(folder), key, self._limit, MOST_ENTRIES).run(copy)
            except TargetError:
                scratch.remove(copy)
                raise
            self._copies[folder] = copy
        return self._copies[folder]

    def forget(self, settings: ToolSettings) -> Path | None:
        """Remove the copy of the folder that the settings name; returns where it was, None where there is none."""
        copy = self._copies.pop(settings.files or "", None)
        if copy is not None:
            scratch.remove(copy)
        return copy


@dataclass(slots=True)
class Copier:
    """Copies one folder, and refuses what would reach beyond it, block or not fit. Of its modes, permissions alone are copied.

    Attributes:
        folder: what is copied.
        key: what messages begin with.
        limit: bytes that its files may have together.
        most: files, directories and links that it may hold.
        with_links: whether links are copied wherever they lead; the caller then looks at those of the copy.
    """

    folder: Path
    key: str
    limit: int
    most: int
    with_links: bool = False
    entries: int = 0
    bytes: int = 0

    def run(self, copy: Path) -> None:
        """Copy it to an existing directory.

        Raises:
            TargetError: it holds what cannot be copied; says where, and what to do.
        """
        root = Path(os.path.realpath(self.folder))
        waiting = [(self.folder, copy)]
        while waiting:
            origin, target = waiting.pop()
            for name in self._names(origin):
                old, new = origin / name, target / name
                self._count(old, new)
                try:
                    pair = self._copy(old, new, root)
                except OSError as error:
                    self._refuse(old, f"cannot be copied ({error.strerror or error})", "fix its permissions")
                if pair is not None:
                    waiting.append(pair)

    def _names(self, origin: Path) -> list[str]:
        try:
            return sorted(path.name for path in origin.iterdir())
        except OSError as error:
            self._refuse(origin, f"cannot be listed ({error.strerror or error})", "fix its permissions")

    def _copy(self, old: Path, new: Path, root: Path) -> tuple[Path, Path] | None:
        """Copy one entry; returns a directory and its copy, whose entries come next."""
        status = old.lstat()
        if stat.S_ISDIR(status.st_mode):
            new.mkdir(mode=stat.S_IMODE(status.st_mode) & 0o777 | 0o700)
            return old, new
        if stat.S_ISLNK(status.st_mode):
            self._copy_link(old, new, root)
        elif stat.S_ISREG(status.st_mode):
            self._copy_file(old, new)
        else:
            self._refuse(old, "is a device, a socket or a pipe", "remove it")
        return None

    def _copy_link(self, old: Path, new: Path, root: Path) -> None:
        to = old.readlink()
        if self.with_links:
            new.symlink_to(to)
            return
        if to.is_absolute() or not Path(os.path.realpath(old)).is_relative_to(root):
            self._refuse(
                old,
                f"is a link to {printable(str(to), 200)}, which leads out of the folder",
                "put what it leads to in its place",
            )
        new.symlink_to(to)

    def _copy_file(self, old: Path, new: Path) -> None:
        with (
            open(old, "rb", opener=_open_file) as reader,
            new.open("xb") as writer,
        ):
            status = os.fstat(reader.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise OSError(None, "it changed while it was copied")
            while data := reader.read(_CHUNK):
                self.bytes += len(data)
                if self.bytes > self.limit:
                    self._refuse(
                        self.folder, f"holds more than {self.limit // MIB} MiB", "keep what the tool needs"
                    )
                writer.write(data)
            os.fchmod(writer.fileno(), stat.S_IMODE(status.st_mode) & 0o777 | 0o600)
        os.utime(new, ns=(status.st_atime_ns, status.st_mtime_ns))

    def _count(self, old: Path, new: Path) -> None:
        self.entries += 1
        if self.entries > self.most:
            self._refuse(self.folder, f"holds more than {self.most} entries", "keep what the tool needs")
        if len(os.fsencode(new)) > _LONGEST_PATH:
            self._refuse(old, "is nested too deeply", "shorten its path")

    def _refuse(self, path: Path, fault: str, fix: str) -> NoReturn:
        shown = printable(str(path), 300)
        raise TargetError(f"{self.key}: {shown} {fault}: {fix}")


def state_of(place: Path) -> State:
    """The entries of a working directory now. Empty where it cannot be read."""
    return dict(_entries(place))


def has_changed(place: Path, before: State) -> bool:
    """Whether a working directory differs from what it was. Ends at the first difference, however much there is now.

    A file that was made and removed is no difference.
    """
    count = 0
    for path, state in _entries(place):
        if before.get(path) != state:
            return True
        count += 1
    return count != len(before)


def _entries(place: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Each entry below a directory. Its tool may change the directory meanwhile, and may have closed parts of it."""
    waiting = [""]
    while waiting:
        inside = waiting.pop()
        try:
            with os.scandir(place / inside) as scan:
                entries = list(scan)
        except OSError:
            yield f"{inside}/?", ()
            continue
        for entry in entries:
            path = f"{inside}/{entry.name}" if inside else entry.name
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                yield path, ()
                continue
            if stat.S_ISDIR(status.st_mode):
                # Its times change with each temporary file in it, which says nothing about what is left.
                yield path, (status.st_mode, status.st_ino)
                waiting.append(path)
            else:
                yield path, (status.st_mode, status.st_ino, status.st_size, status.st_ctime_ns)
