"""A folder of examinations: a file for each, named by the digest of all that it depends on.

Whoever can write to the folder can write results. What is read is bounded and checked all the same: an entry that is cut
or malformed is no result, and is replaced. Files appear whole, so several runs may use one folder.
"""

import contextlib
import datetime
import os
import re
import stat
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal

from msgspec import Meta

from aptix_conformance.core.errors import ConfigurationError, RecordError
from aptix_conformance.core.files import read_bounded
from aptix_conformance.core.model.codec import MOST_VALUES, Record, from_json, read_json, to_text
from aptix_conformance.core.model.earlier import DAYS, is_recent
from aptix_conformance.core.model.report import ToolReport
from aptix_conformance.core.text import printable

FORMAT: Final = "aptix-conformance-cache/1"
_LARGEST: Final = 16 * 2**20
"""Bytes of an entry: one of a tool with many findings has some hundred thousand."""
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_FOLDER: Final = re.compile(r"[0-9a-f]{2}")
"""The name of a folder of entries."""
_DRAFT: Final = ".draft-"
_WRITABLE_BY_ALL: Final = stat.S_IWOTH


class CacheEntry(Record, frozen=True):
    """One examination. A stranger may have written it."""

    format: Literal["aptix-conformance-cache/1"]
    key: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    """The digest of all that the results depend on."""
    examined: Annotated[datetime.datetime, Meta(tz=True)]
    report: ToolReport
    result_shape: Mapping[str, str] | None
    worked: str | None


@dataclass(slots=True)
class CacheStore:
    """The folder. Nothing that is wrong with it ends a run: `problems` has a sentence for each fault."""

    folder: Path
    now: datetime.datetime
    problems: list[str] = field(default_factory=list)
    _is_writable: bool = True

    @classmethod
    def open(cls, folder: Path, now: datetime.datetime) -> "CacheStore":
        """The store in a folder, which is made if it is not there.

        Raises:
            ConfigurationError: there is another thing than a folder, or another user or everybody can write to it.
        """
        store = cls(folder, now)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            status = folder.stat()
        except FileExistsError:
            raise ConfigurationError(f"the cache {folder} is not a folder: name another one") from None
        except (OSError, ValueError) as error:
            store._fail(error)
            return store
        if status.st_uid not in (0, os.geteuid()):
            raise ConfigurationError(
                f"the cache {folder} belongs to another user, who could write results: name a folder of your own"
            )
        if status.st_mode & _WRITABLE_BY_ALL:
            raise ConfigurationError(
                f"the cache {folder} can be written by everybody, who could write results: chmod o-w {folder}, or name another one"
            )
        return store

    def read(self, key: str) -> CacheEntry | None:
        """The examination with a key; None where there is none that counts."""
        path = self._path(key)
        try:
            entry = _parsed(read_bounded(path, _LARGEST), key)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._tell(f"the cache entry {path} cannot be read, so the tool is examined: {error.strerror}")
            return None
        except (ValueError, RecursionError, RecordError) as error:
            self._tell(
                f"the cache entry {path} is damaged, so the tool is examined, and the entry replaced: {error}"
            )
            return None
        return entry if is_recent(entry.examined, self.now) else None

    def write(self, entry: CacheEntry) -> bool:
        """Keep an examination; whether that worked."""
        text = to_text(entry)
        if len(text) > _LARGEST:
            self._tell(
                f"the results of {printable(entry.report.tool, 60)} are not kept in the cache: they are larger than {_LARGEST:,} bytes"
            )
            return False
        return self._write(self._path(entry.key), text)

    def remove(self, key: str) -> None:
        """Forget an examination."""
        try:
            self._path(key).unlink(missing_ok=True)
        except OSError as error:
            self._fail(error)

    def read_digest(self, status: str) -> str | None:
        """See `visible_files.Index`."""
        try:
            text = read_bounded(self.folder / "files" / status, 64).decode("ascii")
        except (OSError, ValueError):
            return None
        return text if _DIGEST.fullmatch(text) else None

    def write_digest(self, status: str, content: str) -> None:
        """See `visible_files.Index`."""
        self._write(self.folder / "files" / status, content)

    def prune(self) -> None:
        """Delete what is too old to be used, also drafts of runs that were killed."""
        latest = time.time() - DAYS * 86_400
        for path in self.folder.glob("*/*"):
            with contextlib.suppress(OSError):
                if _is_ours(path) and path.lstat().st_mtime < latest:
                    path.unlink()

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def _write(self, path: Path, text: str) -> bool:
        if not self._is_writable:
            return False
        draft = ""
        try:
            path.parent.mkdir(exist_ok=True)
            descriptor, draft = tempfile.mkstemp(prefix=_DRAFT, dir=path.parent)
            with os.fdopen(descriptor, "w", encoding="ascii") as stream:
                stream.write(text)
            Path(draft).replace(path)
        except OSError as error:
            if draft:
                with contextlib.suppress(OSError):
                    Path(draft).unlink()
            self._fail(error)
            return False
        return True

    def _tell(self, problem: str) -> None:
        """Add a sentence to `problems`, once: an entry may be read several times a run."""
        if problem not in self.problems:
            self.problems.append(problem)

    def _fail(self, error: OSError | ValueError) -> None:
        """Say once that nothing is kept, and try no more."""
        if self._is_writable:
            self._is_writable = False
            why = error.strerror if isinstance(error, OSError) else error
            self._tell(f"nothing more is kept in the cache {self.folder}: {why}")


def _is_ours(path: Path) -> bool:
    """Whether a path is one that this module makes: the folder may have other files, which are not deleted."""
    folder, name = path.parent.name, path.name
    is_entry = path.suffix == ".json" and bool(_DIGEST.fullmatch(path.stem)) and folder == path.stem[:2]
    is_digest = folder == "files" and bool(_DIGEST.fullmatch(name))
    is_draft = name.startswith(_DRAFT) and bool(folder == "files" or _FOLDER.fullmatch(folder))
    return is_entry or is_digest or is_draft


def _parsed(text: bytes, key: str) -> CacheEntry:
    """The entry of a text.

    Raises:
        ValueError: it is not JSON, has too many values, or is the entry of another key.
        RecordError: it is malformed; names the place.
    """
    entry = from_json(CacheEntry, read_json(text, most=MOST_VALUES), "$")
    if entry.key != key:
        raise ValueError("it is the entry of another key")
    return entry
