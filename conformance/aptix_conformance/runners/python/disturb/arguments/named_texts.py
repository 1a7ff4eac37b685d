"""The texts in a tool's code. They include the names of the arguments that it may read."""

import functools
import sys
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any, Final

from ...foreign import is_a, module_of, mro_of, names_in, namespace_of
from .notes import LONGEST

_MOST_CODE: Final = 20_000  # code objects that are searched
_NOT_OF_THE_TOOL: Final = frozenset(("builtins", "typing", "abc", "aptix_harness.tool"))


@functools.lru_cache(maxsize=16)
def texts_of(cls: type) -> frozenset[str]:
    """Short texts and attribute names in the functions of a tool's package, except get_schema."""
    todo = [code for module in _modules_of(cls) for code in _code_in(names_in(module))]
    visited: set[CodeType] = set()
    texts: set[str] = set()
    while todo and len(visited) < _MOST_CODE:
        code = todo.pop()
        if code not in visited and code.co_name != "get_schema":
            visited.add(code)
            texts.update(code.co_names)
            for value in _constants_of(code):
                if type(value) is CodeType:
                    todo.append(value)
                elif type(value) is str and len(value) <= LONGEST:
                    texts.add(value)
    return frozenset(texts)


def _modules_of(cls: type) -> list[Any]:
    """The modules of a tool's package, and those of its bases."""
    own = {str(module_of(base)) for base in mro_of(cls)} - _NOT_OF_THE_TOOL
    tops = {str(module_of(cls)).partition(".")[0], *own}
    return [
        module for name, module in list(sys.modules.items()) if name in own or name.partition(".")[0] in tops
    ]


def _constants_of(code: CodeType) -> Iterator[CodeType | str]:
    """The code and the texts among the constants of some code, also in tuples."""
    rest: list[Any] = list(code.co_consts)
    while rest:
        value = rest.pop()
        if type(value) in (CodeType, str):
            yield value
        elif type(value) in (tuple, frozenset):
            rest.extend(value)


def _code_in(space: Mapping[str, Any], depth: int = 4) -> Iterator[CodeType]:
    for value in list(space.values()):
        inner = getattr(value, "__func__", value) if is_a(value, staticmethod, classmethod) else value
        if is_a(inner, property):
            yield from (f.__code__ for f in (inner.fget, inner.fset) if is_a(f, FunctionType))
        elif is_a(inner, FunctionType):
            yield inner.__code__
        elif is_a(inner, type) and depth:
            yield from _code_in(namespace_of(inner), depth - 1)
