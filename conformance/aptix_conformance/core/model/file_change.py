"""What a call changed in the files that the configuration gives its tool."""

from typing import Literal

from aptix_conformance.core.model.codec import Record


class FileChange(Record, frozen=True):
    """One file that a call made, overwrote or removed. `path` is relative to the working directory, with slashes."""

    path: str
    how: Literal["created", "changed", "removed"]
    given: bool = False
    """Whether its author gave the file, or the folder of a new file; the working directory itself does not count."""
    lost: bool = False
    """Whether something that it held is lost."""
    binary: bool = False
    """Whether it holds no text, so that nobody knows what a change of it means."""
