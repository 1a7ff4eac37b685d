"""Identifies the function that a call calls, by module and name, for any callable."""

import asyncio
import functools
import inspect
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    CodeType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, Final, NamedTuple

from ...foreign import is_a, module_of, mro_of, namespace_of, qualname_of

_TO_THREAD: Final = ("asyncio.threads", "to_thread")
_DESCRIPTORS: Final = (MethodDescriptorType, ClassMethodDescriptorType)


class Callee(NamedTuple):
    """A called function: its module, its qualified name, and its code where it is a coroutine function."""

    module: str
    qualname: str
    starts: CodeType | None = None


def callee_of(function: object) -> Callee | None:
    """The function that a call of `function` calls; None where it has no module."""
    while True:
        kind = type(function)
        if kind is MethodType:
            function = function.__func__  # type: ignore[attr-defined]
        elif kind is functools.partial:
            function = function.func  # type: ignore[attr-defined]
        else:
            break
    if kind is FunctionType:
        return _of_function(function)
    if kind is BuiltinFunctionType:
        return _of_builtin(function)
    if kind in _DESCRIPTORS:
        owner = function.__objclass__  # type: ignore[attr-defined]
        return _callee(module_of(owner), f"{qualname_of(owner)}.{function.__name__}")  # type: ignore[attr-defined]
    if issubclass(kind, type):
        return _of_class(function)
    method = next((namespace_of(b)["__call__"] for b in mro_of(kind) if "__call__" in namespace_of(b)), None)
    return _of_function(method) if type(method) is FunctionType else None


def callee_in_thread(callee: Callee | None, first: object) -> Callee | None:
    """What a thread calls where `asyncio.to_thread` is called with a function as its `first` argument; else the callee itself.

    It fails when the call of the thread is awaited.
    """
    if callee is None or callee[:2] != _TO_THREAD:
        return callee
    handed = callee_of(first) if callable(first) else None
    return handed._replace(starts=asyncio.to_thread.__code__) if handed else None


def _callee(module: object, qualname: str, starts: CodeType | None = None) -> Callee | None:
    return Callee(module, qualname, starts) if is_a(module, str) else None


def _of_function(function: Any) -> Callee | None:
    code: CodeType = function.__code__
    starts = code if code.co_flags & inspect.CO_COROUTINE else None
    return _callee(function.__module__, function.__qualname__, starts)


def _of_builtin(function: Any) -> Callee | None:
    owner = function.__self__
    if owner is None or is_a(owner, ModuleType):
        return _callee(function.__module__ or getattr(owner, "__name__", None), function.__name__)
    cls = owner if is_a(owner, type) else type(owner)
    return _callee(module_of(cls), f"{qualname_of(cls)}.{function.__name__}")


def _of_class(cls: Any) -> Callee | None:
    """The constructor of a class: the first Python function in the order of bases, else that of the C class."""
    for base in mro_of(cls)[:-1]:
        for name in ("__init__", "__new__"):
            constructor = namespace_of(base).get(name)
            constructor = constructor.__func__ if is_a(constructor, staticmethod) else constructor
            if type(constructor) is FunctionType:
                return _callee(constructor.__module__, constructor.__qualname__)
    return _callee(module_of(cls), f"{qualname_of(cls)}.__init__")
