"""The locks as syrupy knows them: one file for each item, and no other.

syrupy relates snapshots to test files and takes every snapshot that no selected test read for unused: with one
tool selected it would delete the locks of all others. So the extension here claims exactly one file, the one of
its item, and never looks for others: what is not discovered is neither reported nor deleted.
"""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from syrupy.data import Snapshot, SnapshotCollection, SnapshotCollections
from syrupy.extensions.base import AbstractSyrupyExtension
from syrupy.location import PyTestLocation


@dataclass(frozen=True)
class LockLocation(PyTestLocation):
    """One tool's lock as syrupy's place of a test: the item is no function and lies in no file."""

    path: Path

    def __post_init__(self) -> None:
        # As the base class does it: the fields are frozen, and derived from the two that are given.
        derived = {
            "nodename": self.path.stem,
            "testname": self.path.stem,
            "methodname": self.path.stem,
            "modulename": __name__,
            "filepath": str(self.path),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def matches_snapshot_name(self, snapshot_name: str) -> bool:
        """Whether the name is this lock's."""
        return snapshot_name == self.path.stem

    def matches_snapshot_location(self, snapshot_location: str) -> bool:
        """Whether the file is this lock's."""
        return snapshot_location == str(self.path)


class LockExtension(AbstractSyrupyExtension):
    """One JSON file for each tool, at the path of its `LockLocation`."""

    file_extension = "json"
    # So that a folder that cannot be written to fails the item, not the end of the session.
    write_immediately = True

    def serialize(self, data: Any, **_options: Any) -> str:
        """The record's text as it is."""
        return str(data)

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: Any = 0) -> str:  # noqa: ARG003 - syrupy's signature
        """The stem of the file."""
        return test_location.testname

    @classmethod
    def get_location(cls, *, test_location: PyTestLocation, index: Any) -> str:  # noqa: ARG003 - syrupy's signature
        """The path of the file."""
        return test_location.filepath

    def discover_snapshots(self, **_places: Any) -> SnapshotCollections:
        """Nothing: see the head of this module."""
        return SnapshotCollections()

    def delete_snapshots(self, **_which: Any) -> None:
        """Nothing: a lock is deleted by hand."""

    def read_snapshot_collection(self, *, snapshot_location: str) -> SnapshotCollection:
        """The one snapshot of a file."""
        collection = SnapshotCollection(location=snapshot_location)
        collection.add(Snapshot(name=Path(snapshot_location).stem))
        return collection

    def read_snapshot_data_from_location(self, *, snapshot_location: str, **_which: Any) -> str | None:
        """The text of a lock; bytes that are no UTF-8 are replaced, so that they differ and can be mended."""
        try:
            # Universal newlines: a checkout may have changed the line ends.
            return Path(snapshot_location).read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return None

    @classmethod
    def write_snapshot_collection(cls, *, snapshot_collection: SnapshotCollection, **_order: Any) -> None:
        """Write the file whole or not at all."""
        path = Path(snapshot_collection.location)
        (snapshot,) = snapshot_collection
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            draft.write_text(str(snapshot.data), encoding="utf-8", newline="\n")
            draft.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                draft.unlink()
            raise
