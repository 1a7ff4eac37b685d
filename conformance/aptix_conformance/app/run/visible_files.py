"""What is in the files that a tool can read, as digests, so that a result is used again only where none of them differs.

What a tool is shown is read whole, once a run. A folder that is as it was when an earlier run read it is not read again:
its status (sizes, times, numbers of files) is that of then. Of the machine's own programs, which are gigabytes, the names,
sizes and times count. Neither the name of the machine nor its addresses do.

The content of bytecode counts only where Python does not compare it with its source.
"""

import hashlib
import os
import stat
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from aptix_conformance.core.errors import ConformanceError
from aptix_conformance.core.files import open_regular
from aptix_conformance.core.text import printable
from aptix_conformance.runners.contain.root import SYSTEM

_OF_ONE_MACHINE: Final = ("/etc/hosts", "/etc/hostname", "/etc/resolv.conf")
_CHANGING: Final = ("/sys/devices/system", "/sys/fs/cgroup")
"""Numbers that change while nothing happens; how many processors there are is a condition of the run."""
MACHINE: Final = tuple(path for path in SYSTEM if path not in (*_OF_ONE_MACHINE, *_CHANGING))
_CHUNK: Final = 1 << 20
_MOST_FILES: Final = 3_000_000
_SECONDS: Final = 300.0
"""Seconds on the clock that the files of a run may take to be read."""
_SETTLED: Final = 2_000_000_000
"""Nanoseconds after which a change of a file has another time than the one before."""
_UNCHECKED: Final = b"\1\0\0\0"
"""The flags of bytecode that Python runs without a look at the source (PEP 552)."""
_MAGIC: Final = 4
"""Bytes of bytecode before its flags."""


class UnknownFilesError(ConformanceError):
    """The files that a tool can read cannot be listed or read; the message is a clause that says why."""


class Index(Protocol):
    """What earlier runs found in folders: the digest of the content by that of the status."""

    def read_digest(self, status: str) -> str | None:
        """The digest of the content that had a status; None where that is not known."""

    def write_digest(self, status: str, content: str) -> None:
        """Keep the digest of the content that has a status."""


class _Entry(NamedTuple):
    path: str
    name: str
    """The path from the folder that is read."""
    status: os.stat_result


@dataclass(slots=True)
class VisibleFiles:
    """The digests of one run, each made once. `index` keeps those of folders from run to run."""

    index: Index
    _status: dict[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)
    _content: dict[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)
    _machine: dict[tuple[str, ...], str] = field(default_factory=dict)
    _left: float = _SECONDS
    """Seconds that `digests` may still take, all its calls together."""
    _until: float = 0.0

    def digests(
        self, visible: Iterable[str], hidden: Iterable[str], whole: Iterable[str] = ()
    ) -> list[tuple[str, str]]:
        """Each path that is shown with the digest of its content, then the machine's programs; sorted.

        `hidden` are paths below which nothing counts. A link there counts: the containment hides no links. Of the
        paths `whole`, which the suite reads itself, everything counts.

        Raises:
            UnknownFilesError: a folder cannot be read, or it takes too long.
        """
        self._until = time.monotonic() + self._left
        try:
            given = [(path, self._content_of(path, ())) for path in _outermost(map(os.path.realpath, whole))]
            return [*self._digests([*visible], hidden), *given]
        finally:
            self._left = self._until - time.monotonic()

    def _digests(self, visible: Sequence[str], hidden: Iterable[str]) -> list[tuple[str, str]]:
        unseen = {_real_entry(path) for path in hidden if not Path(path).is_symlink()}
        machine = _outermost(map(os.path.realpath, MACHINE))
        places = _outermost(os.path.realpath(path) for path in visible)
        own = [
            path
            for path in places
            if path not in machine and unseen.isdisjoint((path, *map(str, Path(path).parents)))
        ]
        named = {*visible, *MACHINE}
        links = sorted((path, os.path.realpath(path)) for path in named if path != os.path.realpath(path))
        found = [(path, self._content_of(path, _below(path, unseen))) for path in own]
        return [*found, ("machine", self._machine_without(machine, own)), *links]

    def changed(self) -> str:
        """A place whose content is another one than when its digest was made; empty where there is none.

        Raises:
            UnknownFilesError: as `digests`.
        """
        self._until = time.monotonic() + _SECONDS
        for (path, unseen), content in self._content.items():
            status, _ = self._status_of(path, unseen)
            if status != self._status[path, unseen]:
                if self._read(path, unseen) != content:
                    return path
                self._status[path, unseen] = status
        return ""

    def _content_of(self, path: str, unseen: tuple[str, ...]) -> str:
        if (path, unseen) not in self._content:
            began = time.time_ns()
            status, newest = self._status_of(path, unseen)
            content = self.index.read_digest(status)
            if content is None:
                content = self._read(path, unseen)
                if newest < began - _SETTLED and self._status_of(path, unseen)[0] == status:
                    self.index.write_digest(status, content)
            self._status[path, unseen], self._content[path, unseen] = status, content
        return self._content[path, unseen]

    def _status_of(self, path: str, unseen: Collection[str]) -> tuple[str, int]:
        """The digest of the status of all files, and when the newest changed, in nanoseconds since the epoch."""
        digest, newest = hashlib.sha256(), 0
        for _, name, status in self._walk(path, unseen):
            if stat.S_ISDIR(status.st_mode):
                digest.update(f"{status.st_mode} {name!r}\n".encode())
            else:
                newest = max(newest, status.st_ctime_ns)
                numbers = (
                    status.st_dev,
                    status.st_ino,
                    status.st_size,
                    status.st_mtime_ns,
                    status.st_ctime_ns,
                )
                digest.update(f"{numbers} {status.st_mode} {name!r}\n".encode())
        # What is unreadable for one user may be readable for another one.
        digest.update(repr((path, tuple(unseen), *user_and_groups())).encode())
        return digest.hexdigest(), newest

    def _read(self, path: str, unseen: Collection[str]) -> str:
        """The digest of the names, modes and contents of all files."""
        digest = hashlib.sha256()
        for entry in self._walk(path, unseen):
            if not _is_unread_bytecode(entry):
                digest.update(f"{entry.status.st_mode} {entry.name!r} {self._content_in(entry)}\n".encode())
        return digest.hexdigest()

    def _content_in(self, entry: _Entry) -> str:
        if stat.S_ISLNK(entry.status.st_mode):
            return repr(os.readlink(entry.path))  # noqa: PTH115 - a text
        if not stat.S_ISREG(entry.status.st_mode):
            return ""
        digest = hashlib.sha256()
        try:
            with open_regular(Path(entry.path), follow=False) as stream:
                while chunk := stream.read(_CHUNK):
                    self._check_time(entry.path)
                    digest.update(chunk)
        except PermissionError:
            return "unreadable"  # for the tool too
        except OSError as error:
            raise UnknownFilesError(
                f"{printable(entry.path, 300)} cannot be read: {error.strerror}"
            ) from None
        return digest.hexdigest()

    def _machine_without(self, machine: Iterable[str], without: Iterable[str]) -> str:
        """The digest of the names, sizes and times of the machine's programs, without places whose content is read."""
        key = tuple(path for path in without if any(path.startswith(f"{each}/") for each in machine))
        if key not in self._machine:
            digest = hashlib.sha256()
            for place in machine:
                for entry in self._walk(place, key):
                    mode, size, changed = entry.status.st_mode, entry.status.st_size, entry.status.st_mtime_ns
                    if stat.S_ISLNK(mode):
                        digest.update(f"{entry.path!r} {os.readlink(entry.path)!r}\n".encode())  # noqa: PTH115 - as above
                    elif stat.S_ISREG(mode) and not _is_unread_bytecode(entry):
                        digest.update(f"{entry.path!r} {mode} {size} {changed}\n".encode())
            self._machine[key] = digest.hexdigest()
        return self._machine[key]

    def _walk(self, place: str, unseen: Collection[str]) -> Iterator[_Entry]:
        """The place itself and all that is below it, without `unseen` and what is there; links are not followed."""
        try:
            first = _Entry(place, "", os.lstat(place))
        except OSError:
            return  # nothing to be seen
        pending, count = [first], 0
        while pending:
            entry = pending.pop()
            count += 1
            if count > _MOST_FILES:
                raise UnknownFilesError(f"{printable(place, 300)} has more than {_MOST_FILES:,} files")
            yield entry
            if stat.S_ISDIR(entry.status.st_mode):
                self._check_time(place)
                pending += [each for each in _inner(entry) if each.path not in unseen]

    def _check_time(self, place: str) -> None:
        if time.monotonic() > self._until:
            raise UnknownFilesError(f"{printable(place, 300)} takes too long to read")


def user_and_groups() -> tuple[int, int, list[int]]:
    """The user and the groups of this process, which decide what it and the tools may read."""
    return os.geteuid(), os.getegid(), sorted(os.getgroups())


def _inner(folder: _Entry) -> list[_Entry]:
    """The entries of a folder, the last name first."""
    prefix = f"{folder.name}/" if folder.name else ""
    try:
        with os.scandir(folder.path) as entries:
            found = [
                _Entry(each.path, prefix + each.name, each.stat(follow_symlinks=False)) for each in entries
            ]
    except PermissionError:
        return []  # for the tool too
    except OSError as error:
        raise UnknownFilesError(f"{printable(folder.path, 300)} cannot be read: {error.strerror}") from None
    return sorted(found, reverse=True)


def _is_unread_bytecode(entry: _Entry) -> bool:
    """Whether a file is bytecode that Python compares with its source before it runs it, or the folder of such files."""
    parent, _, name = entry.path.rpartition("/")
    if name == "__pycache__" and stat.S_ISDIR(entry.status.st_mode):
        return True
    if not name.endswith(".pyc") or not parent.endswith("/__pycache__"):
        return False
    try:
        with open_regular(Path(entry.path), follow=False) as stream:
            return stream.read(_MAGIC + len(_UNCHECKED))[_MAGIC:] != _UNCHECKED
    except OSError:
        return True


def _real_entry(path: str) -> str:
    """A path without links on the way to its last name."""
    folder, name = os.path.split(os.path.abspath(path))  # noqa: PTH100 - a text
    return f"{os.path.realpath(folder).rstrip('/')}/{name}"


def _outermost(paths: Iterable[str]) -> list[str]:
    """The paths that are below no other one, sorted."""
    distinct = set(paths)
    return sorted(path for path in distinct if distinct.isdisjoint(map(str, Path(path).parents)))


def _below(path: str, others: Iterable[str]) -> tuple[str, ...]:
    """Those of some paths that are below a path, sorted."""
    return tuple(sorted(other for other in others if other.startswith(f"{path.rstrip('/')}/")))
