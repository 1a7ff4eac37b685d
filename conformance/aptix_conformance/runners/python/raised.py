"""Records an exception of a call."""

import asyncio
import traceback
from typing import Any, Final

from .foreign import attempt, cut_text, format_error, is_a, safe_str, type_name
from .frames import is_runner_code

_format_exception: Final = traceback.format_exception
_format_tb: Final = traceback.format_tb
_MOST_RELATED: Final = 1_000
"""Causes, contexts and members of groups that are written out: `traceback` takes 12 µs for each, and a tool can make millions."""
# The descriptors of the classes, because a tool's own class may store something else under these names.
_CAUSE: Final[Any] = BaseException.__dict__["__cause__"]
_CONTEXT: Final[Any] = BaseException.__dict__["__context__"]
_MEMBERS: Final[Any] = BaseExceptionGroup.__dict__["exceptions"]
_CATEGORIES: Final = (
    (asyncio.CancelledError, "cancelled"),
    (SystemExit, "exit"),
    (KeyboardInterrupt, "interrupt"),
)


def record_exception(error: BaseException) -> dict[str, Any]:
    """The members of a `Raised`."""
    categories = [name for kind, name in _CATEGORIES if is_a(error, kind)]
    lines, fault = attempt(lambda: _traceback_of(error))
    return {
        "type_name": type_name(error),
        "message": safe_str(error),
        "traceback": cut_text(lines if fault is None else f"<no traceback: {fault}>"),
        "category": categories[-1] if categories else "exception",
    }


def _traceback_of(error: BaseException) -> str:
    frames = _foreign_part(error)
    if _has_few_related(error):
        return "".join(_format_exception(type(error), error, frames))
    return f"{''.join(_format_tb(frames))}{format_error(error)}\n<more than {_MOST_RELATED:,} related exceptions>"


def _has_few_related(error: BaseException) -> bool:
    waiting, visited = [error], {id(error)}
    while waiting:
        current = waiting.pop()
        related = [_CAUSE.__get__(current), _CONTEXT.__get__(current)]
        if is_a(current, BaseExceptionGroup):
            related += _MEMBERS.__get__(current)[: _MOST_RELATED + 1]
        new = [other for other in related if other is not None and id(other) not in visited]
        visited.update(map(id, new))
        if len(visited) > _MOST_RELATED:
            return False
        waiting += new
    return True


def _foreign_part(error: BaseException) -> Any:
    """The traceback from the first frame that is not the runner's."""
    frame = error.__traceback__
    while frame is not None and is_runner_code(frame.tb_frame.f_code) and frame.tb_next is not None:
        frame = frame.tb_next
    return frame
