"""Describes where a coroutine is suspended and where a thread is, for the author of the tool.

A place is named by the awaited expression in the source: `catalog.get_all_modes(token) at
list_modes.py:184 in _get_modes`.
"""

import contextlib
import itertools
import linecache
import os
import sys
import types
from collections.abc import Iterator
from typing import Any, Final

from ...foreign import module_of, mro_of, names_in, safe_str
from ...frames import is_runner_code

_LIBRARY: Final = os.path.join(os.path.dirname(os.__file__), "")
_INSTALLED: Final = ("site-packages", "dist-packages")
_LONGEST_EXPRESSION: Final = 60
_DEEPEST: Final = 12  # frames of a stack in a text


class Places:
    """Describes where a coroutine is suspended, in terms of the tool's code."""

    def __init__(self, cls: type) -> None:
        modules = [sys.modules.get(module_of(base)) for base in mro_of(cls) if base is not object]
        files = [os.path.realpath(safe_str(names_in(module).get("__file__") or "")) for module in modules]
        self._tool = {file for file in files if file == files[0] or not _is_library(file)}
        package = sys.modules.get(module_of(cls).partition(".")[0])
        paths = names_in(package).get("__path__", ())
        self._package = tuple(f"{os.path.realpath(path)}{os.sep}" for path in paths)
        self._kinds: dict[str, str] = {}
        self._known: dict[tuple[types.CodeType, int], str] = {}

    def of(self, coroutine: Any) -> str:
        """The innermost await in the tool's own code: expression, file and line."""
        frames = [frame for frame in frames_of(coroutine) if not is_runner_code(frame.f_code)]
        if not frames:
            return f"{getattr(coroutine, '__qualname__', '') or 'a task'}()"
        kinds = [self._kind(frame.f_code.co_filename) for frame in frames]
        near = "tool" if "tool" in kinds else "project"
        if near not in kinds:
            return f"{frames[0].f_code.co_qualname}()"
        index = len(kinds) - 1 - kinds[::-1].index(near)
        place = self._describe(frames[index])
        inside = [frame for frame, kind in zip(frames, kinds, strict=True) if kind == "project"]
        if near == "tool" and inside and frames.index(inside[-1]) > index:
            return f"{place}, inside {self._describe(inside[-1])}"
        return place

    def foreign_locals(self, coroutine: Any) -> Iterator[object]:
        """The local variables of what the tool awaits: frames below its own that are not the tool's code."""
        is_below = False
        for frame in frames_of(coroutine):
            if is_runner_code(frame.f_code):
                continue
            is_tool = self._kind(frame.f_code.co_filename) == "tool"
            if is_below and not is_tool:
                with contextlib.suppress(Exception):  # a local variable may be of any class
                    yield from list(frame.f_locals.values())
            is_below = is_below or is_tool

    def _kind(self, filename: str) -> str:
        """The owner of a file: the tool's class (or a base), other code of the tool, or a library."""
        if filename not in self._kinds:
            file = os.path.realpath(filename)
            own = file.startswith(self._package) or not _is_library(file)
            self._kinds[filename] = "tool" if file in self._tool else "project" if own else "library"
        return self._kinds[filename]

    def _describe(self, frame: Any) -> str:
        key = (frame.f_code, frame.f_lasti)
        if key not in self._known:
            self._known[key] = _describe_frame(frame)
        return self._known[key]


def _is_library(file: str) -> bool:
    installed = any(f"{os.sep}{name}{os.sep}" in file for name in _INSTALLED)
    harness = f"{os.sep}aptix_harness{os.sep}" in file
    return not file or installed or harness or file.startswith((_LIBRARY, os.path.realpath(_LIBRARY), "<"))


def frames_of(coroutine: Any) -> Iterator[Any]:
    """The frames of a suspended coroutine and of what it awaits, outermost first."""
    while coroutine is not None:
        coroutine = getattr(coroutine, "aptix_inner", coroutine)
        for prefix, onward in (("cr", "await"), ("gi", "yieldfrom"), ("ag", "await")):
            frame = getattr(coroutine, f"{prefix}_frame", None)
            if frame is not None:
                yield frame
                coroutine = getattr(coroutine, f"{prefix}_{onward}", None)
                break
        else:
            return


def _describe_frame(frame: Any) -> str:
    code = frame.f_code
    expression, line = "", frame.f_lineno
    with contextlib.suppress(Exception):  # the source is missing or was changed
        position = next(itertools.islice(code.co_positions(), frame.f_lasti // 2, None))
        first, last, begin, end = position
        lines = [linecache.getline(code.co_filename, number).encode() for number in range(first, last + 1)]
        lines[-1] = lines[-1][:end]
        lines[0] = lines[0][begin:]
        text = b" ".join(lines[:1] if lines[0].startswith(b"async ") else lines).decode()
        expression = " ".join(text.split()).removeprefix("await ").rstrip(":")
    where = f"{os.path.basename(code.co_filename)}:{line}"
    if not expression:
        return f"{where} in {code.co_qualname}"
    if len(expression) > _LONGEST_EXPRESSION:
        expression = expression[: _LONGEST_EXPRESSION - 1] + "…"
    return f"{expression} at {where} in {code.co_qualname}"


def stack_of(frame: Any) -> str:
    """A stack as text, innermost frame first, without the frames of the host."""
    lines: list[str] = []
    while frame is not None and len(lines) < _DEEPEST:
        code = frame.f_code
        if not is_runner_code(frame.f_code):
            lines.append(f"{os.path.basename(code.co_filename)}:{frame.f_lineno} in {code.co_qualname}")
        elif code.co_name == "step":
            break
        frame = frame.f_back
    return ", called from ".join(lines)
