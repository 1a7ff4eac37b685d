"""Putting a mutant into modules that are imported already, which is a hundred times as fast as importing them again.

Every reference to a function shares its code object, so a changed body is put into the function itself, its lambdas
and closures included. What a module does on import is done again beside it, and rules and constants are taken over
from there. A body that runs on import has had its effect everywhere by then; that needs a new import.
"""

import gc
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from aptix_conformance.rules.lib.kernel import Precondition, Rule


class NeedsImportError(Exception):
    """The change acts on import, in ways that cannot be put in afterwards."""


def patch(module: ModuleType, old: str, new: str, ran_on_import: frozenset[int]) -> None:
    """Make an imported module what it would be with another text.

    Raises:
        NeedsImportError: only a new import can.
    """
    path = str(Path(module.__file__ or "").absolute())
    was, becomes = (compile(text, path, "exec", dont_inherit=True) for text in (old, new))
    pairs = dict(_changed(was, becomes))
    if was in pairs:
        _take_over(module, becomes)
        return
    if any(_body(code) & ran_on_import for code in pairs):
        raise NeedsImportError
    functions = [each for each in gc.get_objects() if isinstance(each, FunctionType)]
    found = 0
    for function in functions:
        changed = pairs.get(function.__code__) if function.__code__.co_filename == path else None
        if changed:
            if changed.co_freevars != function.__code__.co_freevars:
                raise NeedsImportError
            function.__code__ = changed
            found += 1
    if not found:
        raise NeedsImportError


def _changed(was: CodeType, becomes: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The code objects that differ, each with its successor: the module's own, or functions."""
    inner, others = (
        [const for const in code.co_consts if isinstance(const, CodeType)] for code in (was, becomes)
    )
    if len(inner) != len(others) or _own(was) != _own(becomes):
        yield was, becomes
        for pair in zip(inner, others, strict=False):
            yield from _changed(*pair)
        return
    for one, other in zip(inner, others, strict=True):
        if one != other:
            yield one, other
            yield from _changed(one, other)


def _own(code: CodeType) -> tuple[Any, ...]:
    consts = tuple((type(const), repr(const)) for const in code.co_consts if not isinstance(const, CodeType))
    return code.co_code, consts, code.co_names, code.co_varnames


def _body(code: CodeType) -> set[int]:
    return {line for _, _, line in code.co_lines() if line and line != code.co_firstlineno}


def _take_over(module: ModuleType, code: CodeType) -> None:
    space = {name: value for name, value in vars(module).items() if name.startswith("__")}
    exec(code, space)  # noqa: S102 - our own module, changed
    for name, made in space.items():
        # A function with a cache stays: the new one would make objects of the new classes.
        old, new = (getattr(each, "__wrapped__", each) for each in (vars(module).get(name), made))
        if name.startswith("__") or old is new or isinstance(new, ModuleType):
            continue
        if isinstance(new, type):
            if _class_changed(old, new):
                raise NeedsImportError
        elif isinstance(new, FunctionType) and isinstance(old, FunctionType):
            old.__defaults__, old.__kwdefaults__ = new.__defaults__, new.__kwdefaults__
        elif isinstance(new, (Rule, Precondition)) and type(old) is type(new):
            for field in fields(new):
                object.__setattr__(old, field.name, getattr(new, field.name))
        else:
            _replace_everywhere(name, old, new)


def _replace_everywhere(name: str, old: object, new: object) -> None:
    """Replace a constant in its module and in those that import it, by its own name."""
    for known, module in list(sys.modules.items()):
        if known.startswith(("aptix_", "tests.unit.rules.builders")) and vars(module).get(name) is old:
            setattr(module, name, new)


def _class_changed(old: Any, new: type) -> bool:
    ours = [
        {k: getattr(v, "__code__", repr(v)) for k, v in vars(each).items() if not k.startswith("__")}
        for each in (old, new)
        if isinstance(each, type) and each.__module__ == new.__module__
    ]
    return len(ours) == 2 and ours[0].keys() != ours[1].keys()  # noqa: PLR2004 - old and new
