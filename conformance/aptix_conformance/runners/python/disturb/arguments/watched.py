"""A dict that writes down what it is asked for, and the notes that it makes.

It is a dict for everybody who asks, and where it is taken as it is, it says so. `**` and `dict()` take the way through
its keys.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FrameType
from typing import Any, Final

from . import fields as classes

MOST: Final = 500
"""Paths of one kind that are kept."""
LONGEST: Final = 300
"""Characters of a path, or of another text that is kept."""

_DEEPEST: Final = 40  # levels of a document that are watched
_write: Final = json.dumps
_mro_of: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__mro__"].__get__
_namespace_of: Final[Callable[[type], Mapping[str, Any]]] = type.__dict__["__dict__"].__get__


class Notes:
    """What was asked for, each path once, in the order in which it was.

    Attributes:
        seen: whether the document was parsed where it could be watched.
        root: the document as it was handed out, None where it went into a class at once.
    """

    def __init__(self) -> None:
        self.seen = False
        self.root: dict[str, Any] | None = None
        self._read: dict[str, None] = {}
        self._looked_for: dict[str, None] = {}
        self._whole: dict[str, None] = {}
        self._missed: dict[str, dict[str, Any]] = {}

    def told(self, named: Iterable[str]) -> dict[str, Any]:
        """The members of `Reading`."""
        return {
            "read": list(self._read),
            "looked_for": list(self._looked_for),
            "whole": list(self._whole),
            "missed": list(self._missed.values()),
            "named": sorted(named)[:MOST],
        }

    def whole(self, path: str) -> None:
        """The object at a path was taken as it is: nobody can see what becomes of its members."""
        _keep(self._whole, path)

    def take(self, path: str, key: object, *, present: bool, default: object = None) -> None:
        """A member was asked for by name."""
        if isinstance(key, str):
            member = step(path, key)
            _keep(self._read, member)
            if not present:
                self._miss(path, (key,), default, "name")

    def look(self, path: str, key: object, *, present: bool) -> None:
        """Somebody asked whether a member is there."""
        if isinstance(key, str):
            _keep(self._looked_for, step(path, key))
            if not present:
                self._miss(path, (key,), None, "name")

    def fill(self, cls: object, path: str, given: object) -> None:
        """The object at a path, as far as it is known, was taken into a class."""
        self.seen = True
        for where, field in classes.members(cls, path, step):
            if field is None:
                self.whole(where)
                continue
            for name in field.names:
                _keep(self._read, step(where, name))
            here = _at(given, where[len(path) :])
            if isinstance(here, Mapping) and not any(name in here for name in field.names):
                self._miss(where, field.names, field.default, "field")

    def suspect(self, path: str, given: dict[str, Any], frame: FrameType) -> None:
        """The keys were asked for, perhaps to fill a class that the code there names."""
        for cls in _classes_named(frame):
            for field in classes.fields_of(cls) or ():
                if not any(dict.__contains__(given, name) for name in field.names):
                    self._miss(path, field.names, field.default, "class")

    def _miss(self, path: str, names: tuple[str, ...], default: object, by: str) -> None:
        member = step(path, names[0])
        known = self._missed.get(member, {"by": "class"})["by"]  # of which less is known than of the others
        if len(self._missed) < MOST and len(member) <= LONGEST and known == "class":
            text = _write(default) if isinstance(default, (str, int)) else None
            text = None if text is None or len(text) > LONGEST else text
            self._missed[member] = {"path": path, "names": list(names), "default": text, "by": by}


def _keep(known: dict[str, None], path: str) -> None:
    if len(known) < MOST and len(path) <= LONGEST:
        known[path] = None


def step(path: str, name: str) -> str:
    """The path of a member (RFC 6901, and `*` for any element of an array)."""
    return f"{path}/{name.replace('~', '~0').replace('/', '~1')}"


def _at(given: Any, path: str) -> Any:
    """What stands at a path below a value, the first element for any; None where nothing does."""
    for part in path.split("/")[1:]:
        if isinstance(given, dict):
            given = dict.get(given, part.replace("~1", "/").replace("~0", "~"))
        else:
            given = given[0] if isinstance(given, list) and given else None
    return given


class Watched(dict[str, Any]):
    """A dict that writes down what it is asked for."""

    __slots__ = ("aptix_notes", "aptix_path")
    __hash__ = None

    def __init__(self, given: Mapping[str, Any], path: str, notes: Notes) -> None:
        super().__init__(given)
        self.aptix_path = path
        self.aptix_notes = notes

    def __getitem__(self, key: Any) -> Any:
        self._take(key)
        return dict.__getitem__(self, key)

    def get(self, key: Any, default: Any = None) -> Any:
        """See `dict`; the default is noted too."""
        self._take(key, default)
        return dict.get(self, key, default)

    def pop(self, key: Any, *default: Any) -> Any:
        """See `dict`; it is a reading."""
        self._take(key, *default)
        return dict.pop(self, key, *default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """See `dict`; it is a reading."""
        self._take(key, default)
        return dict.setdefault(self, key, default)

    def __contains__(self, key: object) -> bool:
        present = dict.__contains__(self, key)
        self.aptix_notes.look(self.aptix_path, key, present=present)
        return present

    def __delitem__(self, key: Any) -> None:
        self.aptix_notes.look(self.aptix_path, key, present=dict.__contains__(self, key))
        dict.__delitem__(self, key)

    # Overridden, so that ** and dict() take the way through keys() and __getitem__.
    def __iter__(self) -> Iterator[Any]:
        self.aptix_notes.suspect(self.aptix_path, self, sys._getframe(1))  # noqa: SLF001 - whoever asks
        return dict.__iter__(self)

    def keys(self) -> Any:
        """See `dict`; what is read by them is noted then."""
        self.aptix_notes.suspect(self.aptix_path, self, sys._getframe(1))  # noqa: SLF001 - whoever asks
        return dict.keys(self)

    def items(self) -> Any:
        """See `dict`; all is taken."""
        return self._whole(dict.items)

    def values(self) -> Any:
        """See `dict`; all is taken."""
        return self._whole(dict.values)

    def copy(self) -> Any:
        """See `dict`; all is taken, and the copy is not watched."""
        return self._whole(dict.copy)

    def popitem(self) -> Any:
        """See `dict`; all may be taken."""
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
        shown: str = self._whole(dict.__repr__)
        return shown

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (dict, (dict(self._whole(dict.items)),))

    def _take(self, key: object, default: object = None) -> None:
        present = dict.__contains__(self, key)
        self.aptix_notes.take(self.aptix_path, key, present=present, default=default)

    def _whole(self, method: Callable[..., Any], *args: Any) -> Any:
        self.aptix_notes.whole(self.aptix_path)
        return method(self, *args)


def watched(value: Any, path: str, notes: Notes, depth: int = _DEEPEST) -> Any:
    """A document with every dict in it replaced; lists are changed in place."""
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
    if isinstance(value, dict):
        return {key: unwatched(item) for key, item in dict.items(value)}
    return [unwatched(item) for item in value] if isinstance(value, list) else value


def _classes_named(frame: FrameType) -> Iterator[Any]:
    """The classes that the code of a frame names or holds, be it as members of what it holds."""
    held = list(frame.f_locals.values())
    yield from (value for value in held if isinstance(value, type))
    owners = [base for value in held for base in _mro_of(value if isinstance(value, type) else type(value))]
    for space in (frame.f_globals, *(_namespace_of(base) for base in owners if base is not object)):
        for name in frame.f_code.co_names:
            if isinstance(space.get(name), type):
                yield space[name]
