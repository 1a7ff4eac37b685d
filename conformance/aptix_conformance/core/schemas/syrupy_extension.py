"""Locks as syrupy snapshots: one file for each item.

syrupy assigns snapshots to test files and treats every snapshot that no selected test read as unused: with one tool
selected it would delete the locks of all others. So this extension claims only the file of its item and discovers no
other: syrupy neither reports nor deletes what it does not discover.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from syrupy.data import Snapshot, SnapshotCollection, SnapshotCollections
from syrupy.extensions.base import AbstractSyrupyExtension
from syrupy.location import PyTestLocation

from aptix_conformance.core.files import read_bounded, write_atomically
from aptix_conformance.core.schemas.lock import LARGEST


@dataclass(frozen=True)
class LockLocation(PyTestLocation):
    """The location of one tool's lock for syrupy: the item is not a function and is in no file."""

    path: Path

    def __post_init__(self) -> None:
        # As in the base class: the fields are frozen and derived from the given ones.
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
    # A folder that is not writable then fails the item, not the end of the session.
    write_immediately = True

    def serialize(self, data: Any, **_options: Any) -> str:
        """The unchanged text of the record."""
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
        """No snapshots; the module's docstring says why."""
        return SnapshotCollections()

    def delete_snapshots(self, **_which: Any) -> None:
        """Do nothing: only a person deletes a lock."""

    def read_snapshot_collection(self, *, snapshot_location: str) -> SnapshotCollection:
        """The one snapshot of a file."""
        collection = SnapshotCollection(location=snapshot_location)
        collection.add(Snapshot(name=Path(snapshot_location).stem))
        return collection

    def read_snapshot_data_from_location(self, *, snapshot_location: str, **_which: Any) -> str | None:
        """The text of a lock; invalid UTF-8 is replaced, so that the lock differs and can be fixed."""
        try:
            # Universal newlines: a checkout may have changed the line ends.
            text = read_bounded(Path(snapshot_location), LARGEST).decode("utf-8", errors="replace")
        except FileNotFoundError:
            return None
        return text.replace("\r\n", "\n").replace("\r", "\n")

    @classmethod
    def write_snapshot_collection(cls, *, snapshot_collection: SnapshotCollection, **_order: Any) -> None:
        """Write the file atomically."""
        path = Path(snapshot_collection.location)
        (snapshot,) = snapshot_collection
        write_atomically(path, str(snapshot.data))
