"""Finds the classes for arguments that a tool's code uses."""

import inspect
import sys
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any, Final

from .foreign import attempt, inherits, is_a, module_of, mro_of, names_in, namespace_of, qualname_of, safe_str

_ENDINGS: Final = ("args", "arguments")


def arguments_classes(cls: type) -> list[dict[str, Any]]:
    """The classes, named like an arguments class, that the code of the tool or of its module refers to."""
    home = sys.modules.get(safe_str(module_of(cls)))
    names: Mapping[str, Any] = names_in(home)
    owners = [base for base in mro_of(cls) if module_of(base) == module_of(cls)]
    inner = {name: value for base in reversed(owners) for name, value in namespace_of(base).items()}
    todo = [code for value in inner.values() for code in _code_of(value)]
    visited: set[CodeType] = set()
    named: set[str] = set()
    while todo:
        code = todo.pop()
        if code in visited:
            continue
        visited.add(code)
        todo.extend(constant for constant in code.co_consts if type(constant) is CodeType)
        values: list[Any] = [space.get(name) for name in code.co_names for space in (names, inner)]
        for value in values:
            if _is_arguments_class(value):
                named.add(qualname_of(value))
            elif type(value) is FunctionType and value.__module__ == module_of(cls):
                todo.append(value.__code__)
    return [{"name": name, "public": not name.rpartition(".")[2].startswith("_")} for name in sorted(named)]


def _is_arguments_class(value: Any) -> bool:
    if not is_a(value, type) or inherits(value, BaseException):
        return False
    return qualname_of(value).lower().endswith(_ENDINGS)


def _code_of(value: Any) -> Iterator[CodeType]:
    if is_a(value, staticmethod) or is_a(value, classmethod):
        value = value.__func__
    for function in (value.fget, value.fset) if type(value) is property else (value,):
        inner, _ = attempt(lambda function=function: inspect.unwrap(function))  # type: ignore[misc]
        yield from (f.__code__ for f in (function, inner) if type(f) is FunctionType)
