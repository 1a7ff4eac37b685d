"""The log that tools, registry and executor write to."""

import logging
from collections.abc import Sequence
from enum import StrEnum
from typing import Final, Protocol, TypeAlias

KeyValuePair: TypeAlias = tuple[str, str]
"""A name and its value (C#: `KeyValuePair<string, string>`; AGN-005.6.2)."""


class LogLevel(StrEnum):
    """The severity of a custom event (C#: `LogLevel`)."""

    VERBOSE = "verbose"
    MESSAGE = "message"
    WARNING = "warning"
    ERROR = "error"


class AdminLogger(Protocol):
    """The log for operators of a tool; the model does not see it (C#: `IAdminLogger`)."""

    def add_exception(self, tag: str, exception: BaseException, *pairs: KeyValuePair) -> None:
        """Log an exception under a tag such as `[MyTool_ExecuteAsync__Exception]` (AGN-005.6.1)."""

    def add_error(self, tag: str, message: str, *pairs: KeyValuePair) -> None:
        """Log an error without an exception."""

    def add_custom_event(
        self, level: LogLevel, tag: str, message: str, pairs: Sequence[KeyValuePair]
    ) -> None:
        """Log a custom event with a sequence of pairs, never a dictionary (AGN-005.6.2)."""

    def trace(self, message: str, *pairs: KeyValuePair) -> None:
        """Log a normal event."""


_STANDARD_LEVELS: Final = {
    LogLevel.VERBOSE: logging.DEBUG,
    LogLevel.MESSAGE: logging.INFO,
    LogLevel.WARNING: logging.WARNING,
    LogLevel.ERROR: logging.ERROR,
}


class LoggingAdminLogger:
    """An `AdminLogger` that writes to Python's `logging`.

    Tag, message and values come from tools and models: they are written with `ascii`, so that none of them can
    forge a line of the log.
    """

    def __init__(self, logger: logging.Logger | None = None) -> None:
        self._logger = logger or logging.getLogger("aptix")

    def add_exception(self, tag: str, exception: BaseException, *pairs: KeyValuePair) -> None:
        """Log at ERROR, with the traceback."""
        self._logger.error("%a%s", tag, _render(pairs), exc_info=exception)

    def add_error(self, tag: str, message: str, *pairs: KeyValuePair) -> None:
        """Log at ERROR."""
        self._logger.error("%a %a%s", tag, message, _render(pairs))

    def add_custom_event(
        self, level: LogLevel, tag: str, message: str, pairs: Sequence[KeyValuePair]
    ) -> None:
        """Log at the standard level that corresponds to `level`."""
        self._logger.log(_STANDARD_LEVELS[level], "%a %a%s", tag, message, _render(pairs))

    def trace(self, message: str, *pairs: KeyValuePair) -> None:
        """Log at DEBUG."""
        self._logger.debug("%a%s", message, _render(pairs))


def _render(pairs: Sequence[KeyValuePair]) -> str:
    return "".join(f" {key!a}={value!a}" for key, value in pairs)


_fallback_logger: Final = logging.getLogger(__name__)


class ContainedLogger:
    """Forwards everything to an `AdminLogger` and catches its exceptions.

    Registry and executor log through it: a broken log must change neither a refusal nor a result (AGN-005.9.5).
    What could not be logged goes to Python's `logging`.
    """

    def __init__(self, logger: AdminLogger) -> None:
        self._logger = logger

    def add_exception(self, tag: str, exception: BaseException, *pairs: KeyValuePair) -> None:
        """Forward, or report the logger's failure together with the exception that was not logged."""
        try:
            self._logger.add_exception(tag, exception, *pairs)
        except Exception:  # a log may fail in any way, and none of them may reach the caller
            _fallback_logger.exception("The admin logger failed")
            _fallback_logger.exception("The admin logger did not take %a", tag, exc_info=exception)

    def add_error(self, tag: str, message: str, *pairs: KeyValuePair) -> None:
        """Forward, or report the logger's failure together with the message that was not logged."""
        try:
            self._logger.add_error(tag, message, *pairs)
        except Exception:  # as above
            _fallback_logger.exception("The admin logger did not take %a %a", tag, message)

    def trace(self, message: str, *pairs: KeyValuePair) -> None:
        """Forward, or report the logger's failure together with the message that was not logged."""
        try:
            self._logger.trace(message, *pairs)
        except Exception:  # as above
            _fallback_logger.exception("The admin logger did not take %a", message)
