"""Writes a git repository with one commit. It does not run git, so a machine without git and a user's settings change nothing."""

import hashlib
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_CONFIGURATION: Final = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
_WHO: Final = "aptix <aptix@example.invalid> 0 +0000"


def is_repository(folder: Path) -> bool:
    """Whether a folder is the working tree of a git repository, or a bare one."""
    return (folder / ".git").exists() or ((folder / "HEAD").is_file() and (folder / "objects").is_dir())


def write_repository(folder: Path, message: str, branches: Iterable[str]) -> None:
    """Commit the files of a folder, which has no folders in it, to a new repository there.

    Every branch points to that commit; the first one is checked out. There is no index, so git sees the files as untracked.
    """
    place = folder / ".git"
    files = sorted(folder.iterdir())
    (place / "refs" / "heads").mkdir(parents=True)
    (place / "config").write_text(_CONFIGURATION, encoding="ascii")
    tree = b"".join(
        b"100644 %b\0%b" % (path.name.encode(), bytes.fromhex(_store(place, "blob", path.read_bytes())))
        for path in files
    )
    text = f"tree {_store(place, 'tree', tree)}\nauthor {_WHO}\ncommitter {_WHO}\n\n{message}\n"
    commit = _store(place, "commit", text.encode())
    first, *others = branches
    (place / "HEAD").write_text(f"ref: refs/heads/{first}\n", encoding="ascii")
    for branch in (first, *others):
        (place / "refs" / "heads" / branch).write_text(f"{commit}\n", encoding="ascii")


def _store(place: Path, kind: str, content: bytes) -> str:
    """Write an object, and give its name."""
    whole = b"%b %d\0%b" % (kind.encode(), len(content), content)
    name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    path = place / "objects" / name[:2] / name[2:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zlib.compress(whole))
    return name
