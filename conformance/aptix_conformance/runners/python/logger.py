"""The admin logger for a tool. It records all messages."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any, Final

from .foreign import MOST_ITEMS, cut_text, is_a, safe_str, type_name

LONGEST_LOG: Final = 8_192
"""Limit of characters of the text of a log record."""
MOST_LOGS: Final = 1_000
"""Limit of log records of one call."""
_islice: Final = itertools.islice


class RecordingLogger:
    """Accepts any arguments, never raises, and calls `record` with the members of a `LogRecord` for each message."""

    def __init__(self, record: Callable[[dict[str, Any]], None]) -> None:
        self._record = record
        self._left = MOST_LOGS

    def add_exception(self, *args: object, **more: object) -> None:
        """Record an exception under a tag."""
        given = self._bind(("tag", "exception"), args, more)
        error = given["exception"]
        self._write(
            "add_exception", given, message=safe_str(error, LONGEST_LOG), exception_type=type_name(error)
        )

    def add_error(self, *args: object, **more: object) -> None:
        """Record an error that has no exception."""
        self._write("add_error", self._bind(("tag", "message"), args, more))

    def add_custom_event(self, *args: object, **more: object) -> None:
        """Record an event with a level, a tag, a message and pairs."""
        given = self._bind(("level", "tag", "message", "pairs"), args, more)
        extra = given["rest"]
        if extra and given["pairs"] is not None:
            given["pairs"] = (given["pairs"], *extra)
        self._write("add_custom_event", given)

    def trace(self, *args: object, **more: object) -> None:
        """Record a message about normal operation."""
        self._write("trace", self._bind(("message",), args, more))

    @staticmethod
    def _bind(names: tuple[str, ...], args: tuple[object, ...], more: dict[str, object]) -> dict[str, Any]:
        given: dict[str, Any] = dict.fromkeys(names, "")
        given["pairs"] = ()
        given.update(zip(names, args, strict=False))
        given.update((name, value) for name, value in more.items() if name in given)
        given["rest"] = args[len(names) :]
        if given["rest"] and "pairs" not in names:
            given["pairs"] = given["rest"]
        return given

    def _write(self, method: str, given: dict[str, Any], **fields: str) -> None:
        if self._left <= 0:
            return
        self._left -= 1
        pairs, fault = _read_pairs(given["pairs"])
        entry: dict[str, Any] = {"method": method, "pairs": pairs, "pairs_fault": fault}
        for name in ("tag", "message", "level"):
            entry[name] = safe_str(given.get(name, ""), LONGEST_LOG)
        self._record(entry | fields)


def _read_pairs(given: object) -> tuple[list[list[str]], str | None]:
    """The pairs of strings among the given items, and what is wrong with the first other item."""
    if is_a(given, list):
        items: Iterator[Any] = list.__iter__(given)  # type: ignore[arg-type]
    elif is_a(given, tuple):
        items = tuple.__iter__(given)  # type: ignore[arg-type]
    else:
        return [], f"a {type_name(given)} was given, not a sequence of pairs of strings"
    pairs, fault = [], None
    for index, item in enumerate(_islice(items, MOST_ITEMS)):
        parts = list(tuple.__iter__(item)) if is_a(item, tuple) else []
        if len(parts) == 2 and all(is_a(part, str) for part in parts):  # noqa: PLR2004 - a pair
            pairs.append([cut_text(part, LONGEST_LOG) for part in parts])
        elif fault is None:
            what = f"a tuple of {len(parts)}" if is_a(item, tuple) else f"a {type_name(item)}"
            fault = f"item {index} is {what}, not a pair of strings"
    return pairs, fault
