"""The store of results: a folder, or what else fsspec opens. A result is written whole or not at all, and never over another.

It is at `results/AA/ADDRESS.json`, where `ADDRESS` is that of its task and `AA` are its first two digits. Only whole
examinations are kept: what failed is examined again by the next run, and what is old, too. A stranger may have written what is read.
"""

import datetime
import errno
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from msgspec import Meta

from aptix_conformance.app.engine.task import Task
from aptix_conformance.core.errors import ConfigurationError, RecordError
from aptix_conformance.core.files import read_bounded
from aptix_conformance.core.model.codec import MOST_VALUES, Record, from_json, read_json, to_text
from aptix_conformance.core.model.earlier import differences, is_recent, unfinished
from aptix_conformance.core.model.report import ToolReport
from aptix_conformance.core.text import printable

RESULT_FORMAT: Final = "aptix-conformance-result/1"
_LARGEST: Final = 32 * 2**20
"""Bytes of a result."""
_ADDRESS: Final = 64


class Result(Record, frozen=True):
    """One entry of the store."""

    format: Literal["aptix-conformance-result/1"]
    task: Task
    report: ToolReport
    examined: Annotated[datetime.datetime, Meta(tz=True)]

    def is_of(self, task: Task) -> bool:
        """Whether it is a whole result of a task, without a baseline."""
        told = self.report
        return (self.task.address, told.tool, told.target, told.edition, told.cache, told.stale) == (
            *(task.address, task.tool, task.target, task.edition),
            *(None, ()),
        ) and not unfinished(told)


class DamagedError(Exception):
    """An entry that is no result of its task; the message is a line for people."""


@dataclass(frozen=True, slots=True)
class Store:
    """A store; make one with `open`."""

    url: str
    files: Any
    """The file system of fsspec, which has no types."""
    root: str

    @classmethod
    def open(cls, url: str) -> Self:
        """The store at a path or an URL of fsspec, such as `/srv/results` or `s3://bucket/results`.

        Raises:
            ConfigurationError: fsspec is not installed, knows no such URL, or lacks what it needs for it.
        """
        if not url.strip():
            raise ConfigurationError("--store is empty: give a folder or an URL")
        try:
            from fsspec.core import url_to_fs  # noqa: PLC0415 - of an extra

            files, root = url_to_fs(url, use_listings_cache=False)
        except ImportError as error:
            raise ConfigurationError(
                f"the store {printable(url, 200)} needs more packages ({error}): install aptix-conformance[distributed], "
                "and for s3:// also s3fs"
            ) from error
        except Exception as error:  # each file system of fsspec raises its own
            raise ConfigurationError(
                f"the store {printable(url, 200)} cannot be opened: {said(error)}"
            ) from error
        is_folder = (
            "file" in files.protocol
        )  # workers start elsewhere: a relative path would be another folder there
        return cls(root if is_folder else url, files, root.rstrip("/"))

    def addresses(self) -> frozenset[str]:
        """The addresses of all results.

        Raises:
            ConfigurationError: the store cannot be read.
        """
        try:
            paths = self.files.find(f"{self.root}/results")
        except FileNotFoundError:
            return frozenset()
        except Exception as error:  # as above
            raise ConfigurationError(
                f"the store {printable(self.url, 200)} cannot be read: {said(error)}"
            ) from error
        names = (path.rpartition("/")[2].removesuffix(".json") for path in paths)
        return frozenset(name for name in names if len(name) == _ADDRESS)

    def read(self, task: Task) -> Result | None:
        """The result of a task that has an entry; None where that is too old.

        Raises:
            DamagedError: the entry cannot be read, or is not that of the task.
        """
        path = self._path(task.address)
        try:
            if "file" in self.files.protocol:
                data = read_bounded(Path(path), _LARGEST)
            else:
                data = self.files.cat_file(path, end=_LARGEST)
            result = from_json(Result, read_json(data, most=MOST_VALUES), "$")
        except (RecordError, ValueError, RecursionError) as error:
            raise DamagedError(f"{path} is damaged ({printable(str(error), 200)}); delete it") from error
        except Exception as error:  # as above
            raise DamagedError(f"{path} cannot be read: {said(error)}") from error
        if not result.is_of(task):
            raise DamagedError(f"{path} is no whole result of its task; delete it")
        return result if is_recent(result.examined, datetime.datetime.now(datetime.UTC)) else None

    def write(self, task: Task, report: ToolReport) -> None:
        """Write a result, unless its task has an equal one already. One that is too old is replaced.

        Raises:
            OSError: it cannot be written, or its task has another result.
            DamagedError: something else is at its place.
        """
        path = self._path(task.address)
        now = datetime.datetime.now(datetime.UTC)
        data = to_text(Result(RESULT_FORMAT, task, report, now)).encode()
        try:
            self._put(path, data)
        except FileExistsError:
            earlier = self.read(task)
            if earlier is None:
                self.files.rm_file(path)
                self._put(path, data)
            elif found := differences(earlier.report, report):
                raise FileExistsError(errno.EEXIST, f"it has another result: {found[0]}", path) from None

    def _put(self, path: str, data: bytes) -> None:
        try:
            if "file" in self.files.protocol:
                _create(Path(path), data)
            else:
                self.files.pipe_file(path, data, mode="create")
        except OSError:
            raise
        except Exception as error:  # as above
            raise OSError(errno.EIO, said(error), path) from error

    def _path(self, address: str) -> str:
        return f"{self.root}/results/{address[:2]}/{address}.json"


def _create(path: Path, data: bytes) -> None:
    """Create a file with all of its content at once.

    Raises:
        FileExistsError: there is one.
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=".")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(descriptor)
            os.fchmod(descriptor, 0o644)
        os.link(draft, path)
    finally:
        Path(draft).unlink()


def said(error: BaseException) -> str:
    """The text of a stranger's exception, in one line."""
    return printable(" ".join(str(error).split()) or type(error).__name__, 300)
