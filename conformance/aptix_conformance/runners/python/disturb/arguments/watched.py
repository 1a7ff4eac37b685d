"""A dict that records its reads.

It is a real subclass of dict, and records also a read as a whole. `**` and `dict()` read it through its keys.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ...foreign import is_a
from .notes import Notes, step

_DEEPEST: Final = 40  # watched levels of a document


class Watched(dict[str, Any]):
    """A dict that records its reads in `aptix_notes`, under the path `aptix_path`."""

    __slots__ = ("aptix_notes", "aptix_path")
    __hash__ = None

    def __init__(self, document: Mapping[str, Any], path: str, notes: Notes) -> None:
        super().__init__(document)
        self.aptix_path = path
        self.aptix_notes = notes

    def __getitem__(self, key: Any) -> Any:
        self._take(key)
        return dict.__getitem__(self, key)

    def get(self, key: Any, default: Any = None) -> Any:
        """See `dict`; also records the default."""
        self._take(key, default)
        return dict.get(self, key, default)

    def pop(self, key: Any, *default: Any) -> Any:
        """See `dict`; records a read."""
        self._take(key, *default)
        return dict.pop(self, key, *default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """See `dict`; records a read."""
        self._take(key, default)
        return dict.setdefault(self, key, default)

    def __contains__(self, key: object) -> bool:
        present = dict.__contains__(self, key)
        self.aptix_notes.look(self.aptix_path, key, present=present)
        return present

    def __delitem__(self, key: Any) -> None:
        self.aptix_notes.look(self.aptix_path, key, present=dict.__contains__(self, key))
        dict.__delitem__(self, key)

    # Overridden, so that ** and dict() use keys() and __getitem__.
    def __iter__(self) -> Iterator[Any]:
        self.aptix_notes.suspect(self.aptix_path, self, sys._getframe(1))  # noqa: SLF001 - the frame that reads
        return dict.__iter__(self)

    def keys(self) -> Any:
        """See `dict`; the read of each member is recorded later."""
        self.aptix_notes.suspect(self.aptix_path, self, sys._getframe(1))  # noqa: SLF001 - the frame that reads
        return dict.keys(self)

    def items(self) -> Any:
        """See `dict`; records a read as a whole."""
        return self._whole(dict.items)

    def values(self) -> Any:
        """See `dict`; records a read as a whole."""
        return self._whole(dict.values)

    def copy(self) -> Any:
        """See `dict`; records a read as a whole. The copy is not watched."""
        return self._whole(dict.copy)

    def popitem(self) -> Any:
        """See `dict`; records a read as a whole."""
        return self._whole(dict.popitem)

    def __eq__(self, other: object) -> Any:
        return self._whole(dict.__eq__, other)

    def __ne__(self, other: object) -> Any:
        return self._whole(dict.__ne__, other)

    def __or__(self, other: Any) -> Any:
        return self._whole(dict.__or__, other)

    def __ror__(self, other: Any) -> Any:
        return self._whole(dict.__ror__, other)

    def __repr__(self) -> str:
        text: str = self._whole(dict.__repr__)
        return text

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (dict, (dict(self._whole(dict.items)),))

    def _take(self, key: object, default: object = None) -> None:
        present = dict.__contains__(self, key)
        self.aptix_notes.take(self.aptix_path, key, present=present, default=default)

    def _whole(self, method: Callable[..., Any], *args: Any) -> Any:
        self.aptix_notes.whole(self.aptix_path)
        return method(self, *args)


def watched(value: Any, path: str, notes: Notes, depth: int = _DEEPEST) -> Any:
    """The document with a watched dict in place of each dict. Lists are changed in place."""
    if depth and type(value) is dict:
        return Watched(
            {key: watched(item, step(path, key), notes, depth - 1) for key, item in value.items()},
            path,
            notes,
        )
    if depth and type(value) is list:
        value[:] = [watched(item, f"{path}/*", notes, depth - 1) for item in value]
    return value


def unwatched(value: Any) -> Any:
    """The same document in plain dicts."""
    if is_a(value, dict):
        return {key: unwatched(item) for key, item in dict.items(value)}
    return [unwatched(item) for item in value] if is_a(value, list) else value
