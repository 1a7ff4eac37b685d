"""Proxies of injected services. They count each use and make one of them fail.

A use is a call (or the await of its result), the read of a property or an element, a step of an iteration, and the entry
or the exit of a context without an exception. An object from a service that can fail too (a session, a cursor, a stream)
also gets a proxy; data does not. A proxy claims the class of its service, has exactly its special methods, and returns
its results.
"""

import asyncio
import contextlib
import inspect
import sys
from collections.abc import Awaitable, Callable, Generator, Iterable
from functools import cached_property, partial, wraps
from types import BuiltinFunctionType, FrameType, FunctionType, MethodType
from typing import Any, Final

from ...foreign import inherits, is_a, module_of, mro_of, namespace_of
from ...frames import is_runner_code
from .fault import Fault
from .handed_out import DATA, can_fail

_FUNCTIONS: Final[tuple[Any, ...]] = (FunctionType, MethodType, BuiltinFunctionType)
_PLAIN: Final = (
    FunctionType,
    staticmethod,
    classmethod,
    property,
)  # another descriptor may mind having two owners
_NEVER_PROXIED: Final = frozenset((
    "__class__", "__new__", "__init__", "__init_subclass__", "__subclasshook__", "__getattribute__",
    "__getattr__", "__setattr__", "__delattr__", "__dict__", "__weakref__", "__slots__",
    "__del__", "__doc__", "__module__", "__annotations__", "__annotate__", "__class_getitem__",
    "__set_name__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__sizeof__",
    "__prepare__", "__instancecheck__", "__subclasscheck__", "__orig_bases__", "__parameters__", "__qualname__",
    "__name__", "__match_args__", "__static_attributes__", "__firstlineno__", "__abstractmethods__", "__copy__",
    "__deepcopy__",
))  # fmt: skip


class _Proxy:
    """The base of all proxies: the state for the methods that `Proxies` creates."""

    __slots__ = ("__weakref__", "state")


_state_of: Final[Callable[[object], tuple[str, Any]]] = _Proxy.__dict__["state"].__get__
_set_state: Final[Callable[[object, tuple[str, Any]], None]] = _Proxy.__dict__["state"].__set__


class Proxies:
    """Creates the proxies of one call.

    `fault` counts the uses (`Fault`). `caller` returns the place of the tool's code nearest to a frame, as text.
    """

    def __init__(self, fault: Fault, caller: Callable[[FrameType | None], str]) -> None:
        self._fault = fault
        self._caller = caller
        self._classes: dict[type, type] = {}

    def wrap_service(self, name: str, service: Any) -> Any:
        """A proxy of an injected service; classes and plain data stay unchanged."""
        if is_a(service, *_FUNCTIONS):
            return self._function(name, service)
        return service if is_a(service, *DATA) else self._proxy(name, service)

    def wrap_outcome(self, name: str, value: Any, arguments: Iterable[object] = ()) -> Any:
        """A value from a service as the tool gets it; `arguments` are those of the call that returned it."""
        if is_a(value, *_FUNCTIONS):
            return self._function(name, value)
        if inspect.iscoroutine(value):
            return self._awaited(name, self._where(), lambda: value, value.close, arguments)
        if is_a(value, asyncio.Future):
            return asyncio.ensure_future(
                self._awaited(name, self._where(), lambda: value, arguments=arguments)
            )
        return self._proxy(name, value) if _is_proxied(value) else value

    def _where(self) -> Callable[[], str]:
        """The current place in the tool, for later use: the event loop may await the coroutine."""
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - only the frame has the caller's place
        while frame is not None and is_runner_code(frame.f_code):
            frame = frame.f_back
        place = self._caller(frame)
        return lambda: place

    def _use(self, name: str, action: Callable[[], Any], outcome: str = "") -> Any:
        """One synchronous use; `outcome` names its value where that has no name."""
        if self._fault.is_due(name, self._where()) and not self._fault.hangs:
            return self._fault.instead()
        return self.wrap_outcome(outcome or name, action())

    async def _awaited(
        self,
        name: str,
        where: Callable[[], str],
        begin: Callable[[], Awaitable[Any]],
        drop: Callable[[], None] = lambda: None,
        arguments: Iterable[object] = (),
    ) -> Any:
        """One use that ends when it has been awaited; `drop` closes an object that is then not awaited."""
        if self._fault.is_due(name, where):
            self._fault.note_arguments(arguments)
            drop()
            return await self._fault.instead_of_awaiting()
        return self.wrap_outcome(name, await begin())

    def _function(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        words = f"{name}()"
        is_coroutine = inspect.iscoroutinefunction(function)

        @_like(function)
        def call(*args: Any, **more: Any) -> Any:
            arguments = (*args, *more.values())
            if is_coroutine:
                begin = partial(function, *args, **more)
                return self._awaited(words, self._where(), begin, arguments=arguments)
            value = function(*args, **more)
            # Only the result shows whether the call has ended: a plain function may return an awaitable.
            if inspect.isawaitable(value) or inspect.isgenerator(value) or inspect.isasyncgen(value):
                return self.wrap_outcome(words, value, arguments)
            return self._use(words, lambda: value)

        return _marked(call) if is_coroutine else call

    def _proxy(self, name: str, value: Any) -> Any:
        kind = type(value)
        if kind not in self._classes:
            self._classes[kind] = self._class_for(kind)
        proxy: Any = object.__new__(self._classes[kind])
        _set_state(proxy, (name, value))
        return proxy

    def _class_for(self, kind: type) -> type:
        """A class that looks like `kind` and forwards every use to an instance of it."""
        # Runtime protocols look for attributes statically, without __getattr__.
        inherited = {
            name: v for base in reversed(mro_of(kind)[:-1]) for name, v in namespace_of(base).items()
        }
        members: dict[str, Any] = {
            name: v if is_a(v, *_PLAIN) else _Proxy
            for name, v in inherited.items()
            if not name.startswith("__")
        }
        for name, value in {**vars(object), **inherited}.items():
            if name.startswith("__") and name.endswith("__") and name not in _NEVER_PROXIED:
                members[name] = self._special(name) if callable(value) else value
        members |= {
            "__slots__": (),
            "__module__": module_of(kind),
            "__qualname__": kind.__qualname__,
            "__getattribute__": lambda proxy, name: self._read(*_state_of(proxy), name),
            "__setattr__": lambda proxy, name, value: setattr(_state_of(proxy)[1], name, value),
            "__delattr__": lambda proxy, name: delattr(_state_of(proxy)[1], name),
        }
        return type(kind.__name__, (_Proxy,), members)

    def _read(self, name: str, service: Any, attribute: str) -> Any:
        if attribute.startswith("__") and attribute.endswith("__"):
            return getattr(service, attribute)
        words = f"{name}.{attribute}"
        descriptor = next(
            (
                namespace_of(base)[attribute]
                for base in mro_of(type(service))
                if attribute in namespace_of(base)
            ),
            None,
        )
        if is_a(descriptor, property, cached_property):
            value = getattr(service, attribute)
            return (
                self.wrap_outcome(words, value)
                if inspect.isawaitable(value)
                else self._use(words, lambda: value)
            )
        return self.wrap_outcome(words, getattr(service, attribute))

    def _special(self, special: str) -> Callable[..., Any]:
        """A special method of a proxy's class: a use, or only forwarded."""
        if special in _SPECIAL:
            kind, *words = _SPECIAL[special]
            method: Callable[..., Any] = getattr(self, kind)(special, *words)
            return method

        def pass_on(proxy: object, *args: Any, **more: Any) -> Any:
            return getattr(_state_of(proxy)[1], special)(*args, **more)

        return pass_on

    def _using(self, special: str, form: str, outcome: str) -> Callable[..., Any]:
        """A synchronous use; `form` and `outcome` are the texts for the use and its value."""

        def use(proxy: object, *args: Any, **more: Any) -> Any:
            name, service = _state_of(proxy)
            method = getattr(type(service), special)
            value = _same(proxy, service, method(service, *args, **more))
            if special == "__call__" and (inspect.isawaitable(value) or inspect.isgenerator(value)):
                return self.wrap_outcome(outcome.format(name), value)
            return self._use(form.format(name), lambda: value, outcome.format(name))

        return use

    def _asking(self, special: str, form: str) -> Callable[..., Any]:
        """A use whose value must have one type, so that only an exception can replace it."""

        def ask(proxy: object, *args: Any) -> Any:
            name, service = _state_of(proxy)
            if self._fault.is_due(form.format(name), self._where()) and self._fault.raises:
                raise self._fault.exception()
            return getattr(type(service), special)(service, *args)

        return ask

    def _iterating(self, special: str) -> Callable[..., Any]:
        """Not a use itself: each step is one."""

        def iterate(proxy: object) -> Any:
            name, service = _state_of(proxy)
            iterator = getattr(type(service), special)(service)
            return proxy if iterator is service else self._proxy(name, iterator)

        return iterate

    def _leaving(self, _special: str) -> Callable[..., Any]:
        def leave(proxy: object, *fault: Any) -> Any:
            name, service = _state_of(proxy)
            value = type(service).__exit__(service, *fault)
            return value if fault[0] is not None else self._use(f"leaving {name}", lambda: value)

        return leave

    def _leaving_async(self, _special: str) -> Callable[..., Any]:
        async def leave(proxy: object, *fault: Any) -> Any:
            name, service = _state_of(proxy)
            value = await type(service).__aexit__(service, *fault)
            if fault[0] is None and self._fault.is_due(f"leaving {name}", self._where()):
                return await self._fault.instead_of_awaiting()
            return value

        return leave

    def _awaiting(self, special: str, form: str, outcome: str) -> Callable[..., Any]:
        """A use that ends when the result of the special method has been awaited."""

        async def use(proxy: object, *args: Any) -> Any:
            name, service = _state_of(proxy)
            if self._fault.is_due(form.format(name), self._where()):
                return await self._fault.instead_of_awaiting()
            value = await getattr(type(service), special)(service, *args)
            return self.wrap_outcome(outcome.format(name), _same(proxy, service, value))

        return use

    def _await(self, _special: str) -> Callable[..., Any]:
        def use(proxy: object) -> Generator[Any, Any, Any]:
            name, service = _state_of(proxy)
            return self._awaited(name, self._where(), lambda: service).__await__()

        return use


_SPECIAL: Final[dict[str, tuple[str, ...]]] = {
    "__call__": ("_using", "{}()", "{}()"),
    "__getitem__": ("_using", "{}[…]", "{}[…]"),
    "__setitem__": ("_asking", "{}[…] = …"),
    "__delitem__": ("_asking", "del {}[…]"),
    "__contains__": ("_asking", "… in {}"),
    "__len__": ("_asking", "len({})"),
    "__bool__": ("_asking", "bool({})"),
    "__iter__": ("_iterating",),
    "__aiter__": ("_iterating",),
    "__next__": ("_using", "next of {}", "{}[…]"),
    "__anext__": ("_awaiting", "next of {}", "{}[…]"),
    "__enter__": ("_using", "entering {}", "{}"),
    "__aenter__": ("_awaiting", "entering {}", "{}"),
    "__exit__": ("_leaving",),
    "__aexit__": ("_leaving_async",),
    "__await__": ("_await",),
}
"""The special methods that are uses: the method of `Proxies` that creates each, and the texts for the use and its value."""


def _marked(call: Any) -> Any:
    """The function, marked as a coroutine function; in Python 3.11 only asyncio sees the mark."""
    if sys.version_info >= (3, 12):
        return inspect.markcoroutinefunction(call)
    call._is_coroutine = vars(asyncio.coroutines)["_is_coroutine"]  # noqa: SLF001 - there is no other way
    return call


def _is_proxied(value: Any) -> bool:
    kind = type(value)
    return not inherits(kind, _Proxy) and can_fail(value)


def _same(proxy: object, service: object, value: object) -> object:
    """The proxy where a service returns itself, else the value."""
    return proxy if value is service else value


def _like(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """As `functools.wraps`, but also for a function without a name."""

    def wrap(wrapper: Callable[..., Any]) -> Callable[..., Any]:
        with contextlib.suppress(AttributeError, TypeError, ValueError):
            wraps(function)(wrapper)
        return wrapper

    return wrap
