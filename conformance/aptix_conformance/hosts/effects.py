"""The effects of a call on the files of its tool's author, as far as they are proven.

Caches, logs, locks and clocks do not count: a name says what a file is for, and dates, times and seconds since 1970 in a
text are taken as equal. A change of a text loses something where it has fewer of some word; a file that was moved loses
nothing. A file that is too large to be read counts only by its size.
"""

import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from aptix_conformance.core.model.file_change import FileChange
from aptix_conformance.hosts.author_files import State, state_of
from aptix_conformance.hosts.host import MIB

_LARGEST: Final = 256 * 1024
"""Bytes of a file that is read."""
_MOST_BYTES: Final = 16 * MIB
"""Bytes that are read for one comparison."""
_MOST_CHANGES: Final = 20
"""Changes of one call that are kept."""
_MOST_FILES: Final = 100
"""Changed files whose texts are kept."""
_MOST_TEXT: Final = MIB
"""Characters of all these texts together."""
_AS_A_FOLDER: Final = os.O_PATH | os.O_DIRECTORY
_SIZE: Final = 2
"""The place of the size in a file's state."""
_NOISE: Final = re.compile(
    r"\..*|__pycache__|node_modules|.*cache.*|te?mp|logs?|.*[._-]log(?:\.\d+)?|.*\.(?:te?mp|lock|lck|pid|swp|pyc|part)|.*-(?:wal|shm|journal)|.*~",
    re.IGNORECASE,
)
"""Names of caches, logs, locks and temporary files, and of the folders that hold them."""
_CLOCK: Final = re.compile(
    rb"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?|\b\d\d:\d\d(?::\d\d(?:\.\d+)?)?\b"
    rb"|\b1\d{9}(?:\d{3}){0,3}(?:\.\d+)?\b"
)
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


class _File(NamedTuple):
    """A file's state, and its content; None where that was not read."""

    state: tuple[int, ...]
    content: bytes | None


Contents = Mapping[str, _File]
"""The files of a working directory by relative path, without caches, logs, locks and temporary files."""


def contents_of(place: Path, known: Contents | None = None) -> Contents:
    """The files of a working directory now; `known` spares the reading of those that are as they were."""
    contents, remaining = {}, _MOST_BYTES
    for path, state in _files(state_of(place)):
        before = (known or {}).get(path)
        if before is not None and before.state == state:
            contents[path] = before
            continue
        content = _read(place, path) if state[_SIZE] <= min(_LARGEST, remaining) else None
        remaining -= len(content or b"")
        contents[path] = _File(state, content)
    return contents


def changed_texts(place: Path, before: State) -> tuple[tuple[str, str], ...] | None:
    """The texts of the files in a working directory that differ from what they were, by path; None where they are too many.

    What is no text, or too large to be read, has an empty one.
    """
    contents = contents_of(place, {path: _File(state, None) for path, state in before.items()})
    texts = [
        (path, _text(file.content) or "") for path, file in contents.items() if before.get(path) != file.state
    ]
    if len(texts) > _MOST_FILES or sum(len(text) for _, text in texts) > _MOST_TEXT:
        return None
    return tuple(sorted(texts))


def _files(state: State) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The entries that are files or links; a directory has no size, and what cannot be read has nothing."""
    for path, entry in state.items():
        if len(entry) > _SIZE and not any(map(_NOISE.fullmatch, path.split("/"))):
            yield path, entry


def _read(place: Path, path: str) -> bytes | None:
    """The content of a file; None where it is no file, or became a link or unreadable meanwhile."""
    *folders, name = path.split("/")
    opened: list[int] = []
    try:
        opened.append(os.open(place, _AS_A_FOLDER))
        for folder in folders:
            opened.append(os.open(folder, _AS_A_FOLDER | os.O_NOFOLLOW, dir_fd=opened[-1]))
        opened.append(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=opened[-1]))
        return os.read(opened[-1], _LARGEST) if stat.S_ISREG(os.fstat(opened[-1]).st_mode) else None
    except OSError:
        return None
    finally:
        for fd in opened:
            os.close(fd)


def given_in(folder: Path) -> frozenset[str]:
    """The paths of the files and folders that the author gave, relative to their folder."""
    return frozenset(state_of(folder))


def changes_between(before: Contents, after: Contents, given: AbstractSet[str]) -> tuple[FileChange, ...]:
    """The changes between two looks at a working directory; `given` are the paths of the author's files and folders."""
    new = {path: after[path].content for path in after if path not in before}
    created = [
        FileChange(path, "created", _folder(path) in given, binary=_text(new[path]) is None) for path in new
    ]
    removed = [_removed(path, before[path], new, given) for path in before if path not in after]
    both = ((path, before[path], after[path]) for path in before if path in after)
    changed = [_changed(path, old, now, new, given) for path, old, now in both if _differ(old, now)]
    return tuple(sorted((*created, *removed, *changed), key=lambda each: each.path)[:_MOST_CHANGES])


def _folder(path: str) -> str:
    return str(PurePosixPath(path).parent)


def _removed(path: str, old: _File, new: Mapping[str, bytes | None], given: AbstractSet[str]) -> FileChange:
    is_moved = old.content is None or old.content in new.values()
    return FileChange(path, "removed", path in given, lost=not is_moved, binary=_text(old.content) is None)


def _changed(
    path: str, old: _File, now: _File, new: Mapping[str, bytes | None], given: AbstractSet[str]
) -> FileChange:
    texts = [_text(old.content), _text(now.content), *map(_text, new.values())]
    is_text = texts[0] is not None and texts[1] is not None
    words = [Counter(_WORD.findall(text or "")) for text in texts]
    is_lost = is_text and bool(words[0] - sum(words[1:], Counter()))
    return FileChange(path, "changed", path in given, lost=is_lost, binary=not is_text)


def _differ(old: _File, now: _File) -> bool:
    """Whether two looks at a file show another content, apart from clocks."""
    if old.state == now.state:
        return False
    if old.content is None or now.content is None:
        return old.state[_SIZE] != now.state[_SIZE]
    return old.content != now.content and _CLOCK.sub(b"0", old.content) != _CLOCK.sub(b"0", now.content)


def _text(content: bytes | None) -> str | None:
    """A content as text, without clocks; None where it is no text, or was not read."""
    if content is None or b"\0" in content:
        return None
    try:
        return _CLOCK.sub(b"0", content).decode()
    except UnicodeDecodeError:
        return None
