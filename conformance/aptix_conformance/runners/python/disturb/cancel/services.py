"""Makes injected services suspend the tool, and tells the call what they receive.

A service that answers at once would never suspend its caller. So its async methods yield to the event loop once before
they begin, and delay their answer where the call is cancelled at this point.
"""

import contextlib
import functools
import inspect
import types
from collections.abc import Generator
from typing import Any

from ...foreign import mro_of
from .current import current


def wrap_service(service: object) -> object:
    """The service itself, with methods that tell the call their arguments; async ones yield before they begin."""
    with contextlib.suppress(Exception):  # a class without subclasses: the service stays unchanged
        kind = _watched_class(type(service))  # type: ignore[arg-type]  # types are always hashable
        if kind is not None:
            object.__setattr__(service, "__class__", kind)
    return service


@types.coroutine
def yield_once() -> Generator[None, None, None]:
    """Yield to the event loop once."""
    yield


@functools.lru_cache(maxsize=64)
def _watched_class(kind: type) -> type | None:
    """A class like `kind` with methods that `_watched` returns; None where it has no public methods."""
    methods: dict[str, Any] = {}
    for base in reversed(mro_of(kind)):
        for name, value in vars(base).items():
            if _is_public(name, value):
                methods[name] = _watched(value)
            else:
                methods.pop(name, None)
    if not methods or getattr(kind, "aptix_pauses", False):
        return None
    body = methods | {"__slots__": (), "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    return type(kind)(kind.__name__, (kind,), body | {"aptix_pauses": True})


def _is_public(name: str, value: Any) -> bool:
    if type(value) is not types.FunctionType:
        return False
    return not name.startswith("_") or (name == "__aenter__" and _is_async(value))


def _is_async(method: Any) -> bool:
    return bool(method.__code__.co_flags & inspect.CO_COROUTINE)


def _watched(method: Any) -> Any:
    @functools.wraps(method)
    async def paused(*args: Any, **more: Any) -> Any:
        call = current.get()
        if call is not None:
            call.note_arguments((*args, *more.values()))
            await call.pause()
        return await method(*args, **more)

    @functools.wraps(method)
    def noted(*args: Any, **more: Any) -> Any:
        call = current.get()
        if call is not None:
            call.note_arguments((*args, *more.values()))
        return method(*args, **more)

    return paused if _is_async(method) else noted
