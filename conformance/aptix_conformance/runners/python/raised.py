"""Records an exception of a call."""

import asyncio
import traceback
from typing import Any, Final

from .foreign import attempt, cut_text, is_a, safe_str, type_name
from .frames import is_runner_code

_format_exception: Final = traceback.format_exception
_CATEGORIES: Final = (
    (asyncio.CancelledError, "cancelled"),
    (SystemExit, "exit"),
    (KeyboardInterrupt, "interrupt"),
)


def record_exception(error: BaseException) -> dict[str, Any]:
    """The members of a `Raised`."""
    categories = [name for kind, name in _CATEGORIES if is_a(error, kind)]
    lines, fault = attempt(lambda: "".join(_format_exception(type(error), error, _foreign_part(error))))
    return {
        "type_name": type_name(error),
        "message": safe_str(error),
        "traceback": cut_text(lines if fault is None else f"<no traceback: {fault}>"),
        "category": categories[-1] if categories else "exception",
    }


def _foreign_part(error: BaseException) -> Any:
    """The traceback from the first frame that is not the runner's."""
    frame = error.__traceback__
    while frame is not None and is_runner_code(frame.tb_frame.f_code) and frame.tb_next is not None:
        frame = frame.tb_next
    return frame
