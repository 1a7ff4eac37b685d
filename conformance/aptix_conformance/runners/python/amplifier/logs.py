"""Assigns the records of `logging` to the call during which a tool logs them."""

import contextvars
import logging
from collections.abc import Callable
from typing import Any, Final

from .config import LONGEST_NAME

Record = Callable[[dict[str, Any]], None]
"""Takes the members of a `LogRecord`."""

current: Final[contextvars.ContextVar[Record | None]] = contextvars.ContextVar(
    "aptix_amplifier_recorder", default=None
)
"""Records the logs of the current call in this context."""


def install() -> None:
    """Start recording."""
    logging.getLogger().addHandler(_Handler())


class _Handler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        write = current.get()
        if write is None:
            return
        try:
            message = record.getMessage()
        except Exception as error:  # noqa: BLE001 - a format that does not match its arguments
            message = f"<{type(error).__name__} in the format of a log record>"
        kind = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
        write(
            {
                "method": "log",
                "tag": record.name[:LONGEST_NAME],
                "message": message[:8_192],
                "level": record.levelname[:LONGEST_NAME],
                "exception_type": kind,
                "pairs": [],
                "pairs_fault": None,
            }
        )
