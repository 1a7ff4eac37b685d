"""The calls into libraries that can fail: those in `fault_modules.toml`, and those that a configuration names."""

import builtins
import contextlib
import functools
import os
import sys
import tomllib
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from ...foreign import is_a
from .kinds import LIBRARY_TEXT

_SAME_MODULE: Final = {"posix": "os", "nt": "os"}
_OF_IO: Final = frozenset({"os_error", "timeout"})  # a TimeoutError is an OSError
_OF_ITS_OWN: Final = frozenset({"os_error"})  # in its place, the error of the library itself
_FLAT: Final = ("asyncio",)  # packages whose own modules are not imported directly


class Site(NamedTuple):
    """A call that can fail: its name in messages, and a function that creates its real exception.

    None where the library has no exception of its own. `documented` are the kinds of exceptions that the function is documented
    to raise, in the standard library and in a package whose own error is listed; None elsewhere, where nothing is known.
    `unpacking`: the call counts only with `*` or `**`.
    """

    name: str
    own: Callable[[], Exception] | None
    documented: frozenset[str] | None = None
    unpacking: bool = False


class _Entry(NamedTuple):
    area: str
    names: frozenset[str] | None
    not_of: frozenset[str]
    raises: str | None
    unpacking: frozenset[str]
    constructors: bool


class Sites:
    """The calls of one area: those in `fault_modules.toml`, and for `library` those into the modules `more`."""

    def __init__(self, area: str, more: Iterable[str] = ()) -> None:
        self.area = area
        self._entries = dict(_listed())
        for module in more:
            entry = _Entry("library", None, frozenset(), None, frozenset(), constructors=True)
            self._entries[module] = (entry,)
        self._known: dict[tuple[str, str], Site | None] = {}

    def find(self, module: str, qualname: str) -> Site | None:
        """The site of a call of a function; None where it does not belong to this area."""
        key = (module, qualname)
        if key not in self._known:
            self._known[key] = self._find(module, qualname)
        return self._known[key]

    def _find(self, module: str, qualname: str) -> Site | None:
        top, dot, rest = module.removeprefix("_").partition(".")
        top = _SAME_MODULE.get(top, top)
        parts = [top, *(rest.split(".") if dot else ())]
        public = top if top in _FLAT else ".".join(part for part in parts if not part.startswith("_"))
        owner, _, name = qualname.rpartition(".")
        for end in range(len(parts), 0, -1):
            for entry in self._entries.get(".".join(parts[:end]), ()):
                if entry.area == self.area and owner not in entry.not_of and _is_named(name, entry):
                    make = _maker if self.area == "parser" else _library_maker
                    own = make(entry.raises, top)
                    documented = self._documented(entry, top, own)
                    return Site(
                        display_name(public, owner, name), own, documented, qualname in entry.unpacking
                    )
        return None

    def _documented(
        self, entry: _Entry, top: str, own: Callable[[], Exception] | None
    ) -> frozenset[str] | None:
        is_named_by_author = entry.constructors
        is_known = own is not None or top in sys.stdlib_module_names
        if self.area != "library" or is_named_by_author or not is_known:
            return None
        return _OF_IO if own is None or is_a(own(), OSError) else _OF_ITS_OWN


@functools.cache
def _listed() -> dict[str, tuple[_Entry, ...]]:
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fault_modules.toml")
    with open(place, "rb") as stream:
        document = tomllib.load(stream)
    entries: dict[str, tuple[_Entry, ...]] = {}
    for area, tables in document.items():
        for table in tables:
            names = frozenset(table["names"]) if "names" in table else None
            not_of = frozenset(table.get("not_of", ()))
            unpacking = frozenset(table.get("unpacking", ()))
            entry = _Entry(area, names, not_of, table.get("raises"), unpacking, constructors=False)
            for module in table["modules"]:
                entries[module] = (*entries.get(module, ()), entry)
    return entries


def _is_named(name: str, entry: _Entry) -> bool:
    if entry.names is not None:
        return name in entry.names
    return (entry.constructors and name == "__init__") or not name.startswith("__")


def display_name(module: str, owner: str, name: str) -> str:
    """A function for people: `os.listdir()`, `Path.read_text()`, `socket.socket()`."""
    if owner and name == "__init__":
        return f"{module}.{owner}()"
    if owner:
        return f"{owner}.{name}()"
    return f"{name}()" if module == "io" else f"{module}.{name}()"


def _maker(raises: str | None, module: str) -> Callable[[], Exception] | None:
    if raises is None:
        return None
    path = raises if "." in raises or hasattr(builtins, raises) else f"{module}.{raises}"
    return lambda: _make(path)


def _library_maker(raises: str | None, module: str) -> Callable[[], Exception] | None:
    """Makes the error of a library for I/O that fails, with a planted secret; None where the library has no such class."""
    cls = _class_at(raises if "." in raises else f"{module}.{raises}", None) if raises else None
    if cls is None:
        return None
    with contextlib.suppress(Exception):  # the class may have another constructor in this version
        if is_a(cls(LIBRARY_TEXT), Exception):
            return functools.partial(cls, LIBRARY_TEXT)
    return None


def _class_at(path: str, otherwise: Any) -> Any:
    """The class at a dotted path in a module that is imported."""
    module, _, name = path.rpartition(".")
    return getattr(sys.modules.get(module or "builtins"), name, otherwise)


def _make(path: str) -> Exception:
    """An exception of the class at a dotted path, created as its library does; a ValueError where that fails."""
    cls = _class_at(path, ValueError)
    if hasattr(cls, "from_exception_data"):
        with contextlib.suppress(Exception):  # the class may have another constructor in this version
            problem = {
                "type": "missing",
                "loc": ("argument",),
                "input": {},
            }  # pydantic raises none without a problem
            validation_error: Exception = cls.from_exception_data("arguments", [problem])
            return validation_error
    for args in (("Expecting value", "", 0), ("Expecting value: line 1 column 1 (char 0)",)):
        with contextlib.suppress(Exception):  # as above
            if is_a(error := cls(*args), Exception):
                return error
    return ValueError("Expecting value: line 1 column 1 (char 0)")
