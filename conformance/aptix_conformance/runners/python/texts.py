"""Collects the texts in a tool's object, at any depth, without running code of the object."""

from collections.abc import Iterator
from typing import Any, Final

from .foreign import LONGEST_TEXT, MOST_ITEMS, cut_text, is_a, mro_of, namespace_of, safe_str

DEEPEST: Final = 8
"""Levels of nesting that are searched."""
MOST_TEXTS: Final = 50
MOST_OBJECTS: Final = 2_000

_ITEMS: Final[tuple[tuple[type, Any], ...]] = (
    (dict, dict.values),
    (list, list.__iter__),
    (tuple, tuple.__iter__),
    (set, set.__iter__),
    (frozenset, frozenset.__iter__),
)
_SLOT: Final = type(type("_", (), {"__slots__": ("a",)}).__dict__["a"])
_PLAIN: Final = (int, float, bool, complex, bytes, type, type(None))


def texts_of(value: object) -> list[str]:
    """The distinct texts in collections, attributes and exceptions with their causes, cut; at most `MOST_TEXTS`."""
    texts: dict[str, None] = {}
    visited: set[int] = set()
    waiting = [(value, 0)]
    while waiting and len(texts) < MOST_TEXTS and len(visited) < MOST_OBJECTS:
        item, depth = waiting.pop(0)
        if is_a(item, str):
            texts[cut_text(item, LONGEST_TEXT)] = None
            continue
        if id(item) in visited or depth > DEEPEST or type(item) in _PLAIN:
            continue
        visited.add(id(item))
        if is_a(item, BaseException):
            texts[safe_str(item)] = None
        waiting += [(part, depth + 1) for part in _parts(item)]
    return [text for text in texts if text]


def has_number(value: object) -> bool:
    """Whether a value is a number other than zero, or a list or dict that holds one at some depth."""
    waiting, count = [value], 0
    while waiting and count < MOST_OBJECTS:
        item = waiting.pop()
        count += 1
        if type(item) in (int, float) and item != 0:
            return True
        if type(item) in (dict, list):
            waiting += list(_parts(item))
    return False


def _parts(item: Any) -> Iterator[object]:
    """The items of a collection, else the stored attributes of an object, and what caused an exception."""
    for kind, items in _ITEMS:
        if is_a(item, kind):
            yield from list(items(item))[:MOST_ITEMS]
            return
    if is_a(item, BaseException):
        yield from (item.__cause__, item.__context__)
    for base in mro_of(type(item)):
        slots = [descriptor for descriptor in namespace_of(base).values() if type(descriptor) is _SLOT]
        for slot in slots[:MOST_ITEMS]:
            try:
                yield slot.__get__(item)
            except AttributeError:  # an empty slot
                continue
    try:
        stored = object.__getattribute__(item, "__dict__")
    except AttributeError:
        return
    if type(stored) is dict:
        yield from list(stored.values())[:MOST_ITEMS]
