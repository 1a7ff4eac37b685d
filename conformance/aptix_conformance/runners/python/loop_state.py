"""Reads what calls may change of the event loop in which all tools run."""

from collections.abc import Iterator
from typing import Any, Final

from .foreign import attempt, cut_text

REPLACED: Final = "the event loop's methods"
"""The phrase of the methods that the instance has in place of its class. `replaced_since` names each of them."""
_FACTORY: Final = "the event loop's task factory"
_HANDLER: Final = "the event loop's exception handler"
_DEBUG: Final = "the event loop's debug mode"
_CLASS: Final = "the event loop's class"
OF_LOOP: Final = (_FACTORY, _HANDLER, _DEBUG, _CLASS, REPLACED)
_LONGEST: Final = 100


def loop_state(loop: Any) -> dict[str, Any]:
    """The loop's settings, its class and its replaced methods, by phrase; nothing for None."""
    if loop is None:
        return {}
    cls = type(loop)
    return {
        _FACTORY: attempt(lambda: cls.get_task_factory(loop))[0],
        _HANDLER: attempt(lambda: cls.get_exception_handler(loop))[0],
        _DEBUG: attempt(lambda: cls.get_debug(loop))[0],
        _CLASS: cls,
        REPLACED: attempt(lambda: _replaced(loop, cls))[0],
    }


def replaced_since(before: dict[str, Any] | None, after: dict[str, Any] | None) -> Iterator[str]:
    """A phrase for each method that differs; for all together where they cannot be read."""
    if before is None or after is None:
        yield REPLACED
        return
    for name in sorted(after.keys() | before.keys()):
        if before.get(name) is not after.get(name):
            yield f"the event loop's {cut_text(name, _LONGEST)}"


def _replaced(loop: Any, cls: type) -> dict[str, Any]:
    """The methods that the instance has in place of its class. Raises AttributeError for a loop in C, which has no namespace.

    An attribute that the class does not have changes nothing for others: some libraries keep theirs there.
    """
    space = object.__getattribute__(loop, "__dict__")
    return {name: value for name, value in list(space.items()) if type(name) is str and hasattr(cls, name)}
