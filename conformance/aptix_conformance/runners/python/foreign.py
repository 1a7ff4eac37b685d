"""Reads untrusted objects of a tool.

A tool's classes and objects may run their own code, raise any exception and have any size. They are read through the
descriptors of `type` and inside guards, and their texts are truncated. Guards catch BaseException: a SystemExit from a
tool's `__str__` is data too.
"""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Final, TypeGuard, TypeVar

T = TypeVar("T")

LONGEST_TEXT: Final = 65_536
"""Limit of characters of the text of an error or an exception."""
MOST_ITEMS: Final = 100
"""Limit of items that are read from a tool's sequence."""
MISSING: Final = object()
"""The value of `stored` where no class stores the name."""

mro_of: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__mro__"].__get__
namespace_of: Final[Callable[[type], Mapping[str, Any]]] = type.__dict__["__dict__"].__get__
qualname_of: Final[Callable[[type], str]] = type.__dict__["__qualname__"].__get__
name_of: Final[Callable[[type], str]] = type.__dict__["__name__"].__get__
_module: Final[Callable[[type], Any]] = type.__dict__["__module__"].__get__
_flags: Final[Callable[[type], int]] = type.__dict__["__flags__"].__get__
_space: Final[Callable[[object, str], Any]] = object.__getattribute__
_IS_ABSTRACT: Final = 1 << 20  # Py_TPFLAGS_IS_ABSTRACT


def type_name(value: object) -> str:
    """The name of a value's type."""
    return name_of(type(value))


def is_a(value: object, *kinds: type[T]) -> TypeGuard[T]:
    """As `isinstance`, without running code of the value: `__class__` may be a property that raises."""
    return inherits(type(value), *kinds)


def inherits(cls: type, *kinds: type) -> bool:
    """As `issubclass`, without running code of the metaclass: `__eq__` may be its own."""
    return any(base is kind for base in mro_of(cls) for kind in kinds)


def module_of(cls: type) -> str:
    """The name of the module of a class; empty where the class has put something else there."""
    name = _module(cls)
    return str.__getitem__(name, slice(None)) if is_a(name, str) else ""


def is_abstract(cls: type) -> bool:
    """Whether the class has abstract methods, so that no instance can be made."""
    return bool(_flags(cls) & _IS_ABSTRACT)


def name_in(module: object) -> str:
    """The name by which a module was imported."""
    return safe_str(names_in(module).get("__name__"))


def names_in(module: object) -> dict[str, Any]:
    """The global names of a module; empty for what has replaced a module and is none."""
    if not is_a(module, ModuleType):
        return {}
    space = _space(module, "__dict__")
    return {name: value for name, value in list(space.items()) if type(name) is str}


def cut_text(text: str, limit: int = LONGEST_TEXT) -> str:
    """The first `limit` characters of an instance of `str` or of a subclass."""
    return str.__getitem__(text, slice(limit))


def safe_str(value: object, limit: int = LONGEST_TEXT) -> str:
    """The first `limit` characters of `str(value)`, or a note of the exception that it raises."""
    try:
        return cut_text(str(value), limit)
    except BaseException as error:  # noqa: BLE001 - see the module's docstring
        return f"<{type_name(value)} that raises {type_name(error)} when it is shown>"


def format_error(error: BaseException) -> str:
    """Type and message of an exception, like the last line of a traceback."""
    message = safe_str(error, 2_000)
    return f"{type_name(error)}: {message}" if message else type_name(error)


def attempt(action: Callable[[], Any]) -> tuple[Any, str | None]:
    """The result of `action` and None, or None and its exception as text."""
    try:
        return action(), None
    except BaseException as error:  # noqa: BLE001 - see the module's docstring
        return None, format_error(error)


def stored(cls: type, name: str) -> tuple[Any, type | None]:
    """The value that a class or its nearest base stores under a name, and that class. The contract's protocol is ignored."""
    for base in mro_of(cls):
        if name in namespace_of(base) and module_of(base) != "aptix_harness.tool":
            return namespace_of(base)[name], base
    return MISSING, None


def text_or_none(value: object) -> str | None:
    """None for None, and the text of anything else."""
    return None if value is None else cut_text(value) if is_a(value, str) else safe_str(value)
