"""Records which members of a document are read. Paths name members: `/filters/city`, `/items/*/sku`."""

import json
from collections.abc import Iterable, Iterator, Mapping
from types import FrameType
from typing import Any, Final

from ...foreign import is_a, mro_of, namespace_of
from .fields import fields_of, members

MOST: Final = 500
"""Limit of recorded paths of one kind."""
LONGEST: Final = 300
"""Limit of characters of a recorded path or text."""

_write: Final = json.dumps


class Notes:
    """The reads of a document, each path once, in order.

    Attributes:
        parsed: whether a watched parser parsed the document.
        root: the document that the tool got; None where the parser filled a class directly.
    """

    def __init__(self) -> None:
        self.parsed = False
        self.root: dict[str, Any] | None = None
        self._read: dict[str, None] = {}
        self._looked_for: dict[str, None] = {}
        self._whole: dict[str, None] = {}
        self._missed: dict[str, dict[str, Any]] = {}

    def reading(self, named: Iterable[str]) -> dict[str, Any]:
        """The members of `Reading`."""
        return {
            "read": list(self._read),
            "looked_for": list(self._looked_for),
            "whole": list(self._whole),
            "missed": list(self._missed.values()),
            "named": sorted(named)[:MOST],
        }

    def whole(self, path: str) -> None:
        """Record that the object at a path was read as a whole; which members are used is unknown."""
        _add_path(self._whole, path)

    def take(self, path: str, key: object, *, present: bool, default: object = None) -> None:
        """Record a read of a member by name."""
        if is_a(key, str):
            member = step(path, key)
            _add_path(self._read, member)
            if not present:
                self._miss(path, (key,), default, "name")

    def look(self, path: str, key: object, *, present: bool) -> None:
        """Record a test whether a member is present."""
        if is_a(key, str):
            _add_path(self._looked_for, step(path, key))
            if not present:
                self._miss(path, (key,), None, "name")

    def fill(self, cls: object, path: str, document: object) -> None:
        """Record that the object at a path filled the fields of a class."""
        self.parsed = True
        for where, field in members(cls, path, step):
            if field is None:
                self.whole(where)
                continue
            for name in field.names:
                _add_path(self._read, step(where, name))
            value = _value_at(document, where[len(path) :])
            if issubclass(type(value), Mapping) and not any(name in value for name in field.names):
                self._miss(where, field.names, field.default, "field")

    def suspect(self, path: str, document: dict[str, Any], frame: FrameType) -> None:
        """Record a read of all keys, perhaps to fill a class that the code of the frame names."""
        for cls in _classes_named(frame):
            for field in fields_of(cls) or ():
                if not any(dict.__contains__(document, name) for name in field.names):
                    self._miss(path, field.names, field.default, "class")

    def _miss(self, path: str, names: tuple[str, ...], default: object, by: str) -> None:
        member = step(path, names[0])
        known = self._missed.get(member, {"by": "class"})["by"]  # less is known about reads through a class
        if len(self._missed) < MOST and len(member) <= LONGEST and known == "class":
            text = _write(default) if is_a(default, str, int) else None
            text = None if text is None or len(text) > LONGEST else text
            self._missed[member] = {"path": path, "names": list(names), "default": text, "by": by}


def _add_path(known: dict[str, None], path: str) -> None:
    if len(known) < MOST and len(path) <= LONGEST:
        known[path] = None


def step(path: str, name: str) -> str:
    """The path of a member (RFC 6901, and `*` for any element of an array)."""
    return f"{path}/{name.replace('~', '~0').replace('/', '~1')}"


def _value_at(value: Any, path: str) -> Any:
    """The value at a path below `value`; `*` means the first element. None where there is no value."""
    for part in path.split("/")[1:]:
        if is_a(value, dict):
            value = dict.get(value, part.replace("~1", "/").replace("~0", "~"))
        else:
            value = value[0] if is_a(value, list) and value else None
    return value


def _classes_named(frame: FrameType) -> Iterator[Any]:
    """The classes that the code of a frame names or refers to, also as attributes."""
    values = list(frame.f_locals.values())
    yield from (value for value in values if is_a(value, type))
    owners = [base for value in values for base in mro_of(value if is_a(value, type) else type(value))]
    for space in (frame.f_globals, *(namespace_of(base) for base in owners if base is not object)):
        for name in frame.f_code.co_names:
            if is_a(space.get(name), type):
                yield space[name]
