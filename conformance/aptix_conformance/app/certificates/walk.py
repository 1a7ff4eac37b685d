"""Files of strangers, listed and hashed within bounds: of number, bytes, depth and time. Nothing here recurses."""

import hashlib
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.files import open_regular
from aptix_conformance.core.text import printable

_CHUNK: Final = 1 << 20
_EXECUTABLE: Final = 0o111
_DEEPEST: Final = 100
"""Folders inside of each other beyond which code has no digest."""


@dataclass(slots=True)
class Walk:
    """One walk over code: what is left of its bounds. Sizes are apparent ones, so that a sparse file counts in full."""

    files: int = 200_000
    size: int = 4 << 30
    seconds: float = 60.0
    _began: float = field(default_factory=time.monotonic)

    def names(
        self, folder: Path, *, without: Collection[str] = (), is_out: Callable[[str], bool] = lambda _: False
    ) -> Iterator[str]:
        """The files and links below a folder, as paths from there.

        `without` are entries of the folder to leave out. `is_out` says so of paths at every depth.

        Raises:
            CertificateError: a folder cannot be read, or a bound is reached.
        """
        pending = [""]
        while pending:
            inner = pending.pop()
            for entry in self._entries(folder, inner):
                name = inner + entry.name
                if (not inner and name in without) or is_out(name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    self._check_depth(name)
                    pending.append(f"{name}/")
                else:
                    self._count(folder)
                    yield name

    def file_hash(
        self, base: Path, name: str, *, follow: bool = False, begins: tuple[int, bytes] = (0, b"")
    ) -> str:
        """The SHA-256 of a file below a folder; of a link that stays in the folder its text's, as git has it.

        With `follow`, that of the file to which a link leads. `begins` is a number of bytes at its start, and what counts
        instead of them.

        Raises:
            CertificateError: it cannot be read, is no regular file, leads out of the folder, or a bound is reached.
        """
        self._check_depth(name)
        path = base / name
        try:
            if path.is_symlink() and not follow:
                return _link_hash(base, name)
            with open_regular(path, follow=follow) as stream:
                self.size -= os.fstat(stream.fileno()).st_size
                if self.size < 0:
                    raise CertificateError(f"{_shown(path)} makes the code too large for a digest")
                count, start = begins
                stream.seek(count)
                digest = hashlib.sha256(start)
                while chunk := stream.read(_CHUNK):
                    self._check_time(base)
                    digest.update(chunk)
        except OSError as error:
            raise CertificateError(f"{_shown(path)} cannot be read: {error.strerror}") from None
        return digest.hexdigest()

    def _entries(self, folder: Path, inner: str) -> list[os.DirEntry[str]]:
        listed = []
        try:
            with os.scandir(folder / inner) as entries:
                for entry in entries:
                    self._check_time(folder)
                    listed.append(entry)
                    if len(listed) > self.files:
                        raise CertificateError(f"{_shown(folder / inner)} has too many files for a digest")
        except OSError as error:
            raise CertificateError(f"{_shown(folder / inner)} cannot be read: {error.strerror}") from None
        return listed

    def _count(self, folder: Path) -> None:
        self.files -= 1
        if self.files < 0:
            raise CertificateError(f"{_shown(folder)} has too many files for a digest")

    def _check_time(self, folder: Path) -> None:
        if time.monotonic() - self._began > self.seconds:
            raise CertificateError(
                f"{_shown(folder)} takes more than {self.seconds:g} s to read: it has no digest"
            )

    def _check_depth(self, name: str) -> None:
        if name.count("/") > _DEEPEST:
            raise CertificateError(
                f"{printable(name, 100)} is below more than {_DEEPEST} folders: it has no digest"
            )


def copy_files(source: Path, target: Path, names: Iterable[str]) -> None:
    """Copy files and links from one folder to the other.

    Raises:
        CertificateError: one has no digest, cannot be copied, or would be written below a link.
    """
    root, walk = target.resolve(), Walk()
    for name in names:
        walk.file_hash(source, name)  # refuses what has no digest before anything of it is copied
        place = target / name
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            if not place.parent.resolve().is_relative_to(root):
                raise CertificateError(f"{printable(name, 300)} is below a link")
            if (source / name).is_symlink():
                place.symlink_to((source / name).readlink())
            else:
                _copy_file(source / name, place)
        except OSError as error:
            raise CertificateError(f"{printable(name, 300)} cannot be copied: {error.strerror}") from None


def _copy_file(source: Path, place: Path) -> None:
    with open_regular(source, follow=False) as stream, place.open("xb") as copied:
        mode = os.fstat(stream.fileno()).st_mode
        while chunk := stream.read(_CHUNK):
            copied.write(chunk)
    place.chmod(0o644 | (mode & _EXECUTABLE))


def _link_hash(base: Path, name: str) -> str:
    to = os.readlink(base / name)  # noqa: PTH115 - a text
    if os.path.isabs(to) or not Path(os.path.realpath(base / name)).is_relative_to(os.path.realpath(base)):  # noqa: PTH117
        raise CertificateError(
            f"{_shown(base / name)} is a link that leads out of the code, whose digest does not cover that"
        )
    return hashlib.sha256(os.fsencode(to)).hexdigest()


def _shown(path: Path) -> str:
    return printable(str(path), 300)
