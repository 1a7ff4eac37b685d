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
    """Calls `record` with the members of a `LogRecord` for each message.

    Its methods have the signatures of the contract's `AdminLogger`: a call that the contract's logger does not take raises
    TypeError here too. Arguments that fit are taken whatever they are.
    """

    def __init__(self, record: Callable[[dict[str, Any]], None]) -> None:
        self._record = record
        self._remaining = MOST_LOGS

    def add_exception(self, tag: object, exception: object, *pairs: object) -> None:
        """Record an exception under a tag."""
        message = safe_str(exception, LONGEST_LOG)
        self._write("add_exception", pairs, tag=tag, message=message, exception_type=type_name(exception))

    def add_error(self, tag: object, message: object, *pairs: object) -> None:
        """Record an error that has no exception."""
        self._write("add_error", pairs, tag=tag, message=message)

    def add_custom_event(self, level: object, tag: object, message: object, pairs: object) -> None:
        """Record an event with a level, a tag, a message and pairs."""
        self._write("add_custom_event", pairs, level=level, tag=tag, message=message)

    def trace(self, message: object, *pairs: object) -> None:
        """Record a message about normal operation."""
        self._write("trace", pairs, message=message)

    def _write(self, method: str, pairs: object, **texts: object) -> None:
        if self._remaining <= 0:
            return
        self._remaining -= 1
        read_pairs, fault = _read_pairs(pairs)
        entry: dict[str, Any] = {"method": method, "pairs": read_pairs, "pairs_fault": fault}
        for name in ("tag", "message", "level", "exception_type"):
            entry[name] = safe_str(texts.get(name, ""), LONGEST_LOG)
        self._record(entry)


def _read_pairs(value: object) -> tuple[list[list[str]], str | None]:
    """The pairs of strings among the given items, and what is wrong with the first other item."""
    if is_a(value, list):
        items: Iterator[Any] = list.__iter__(value)
    elif is_a(value, tuple):
        items = tuple.__iter__(value)
    else:
        return [], f"a {type_name(value)} was given, not a sequence of pairs of strings"
    pairs, fault = [], None
    for index, item in enumerate(_islice(items, MOST_ITEMS)):
        parts = list(tuple.__iter__(item)) if is_a(item, tuple) else []
        if len(parts) == 2 and all(is_a(part, str) for part in parts):  # noqa: PLR2004 - a pair
            pairs.append([cut_text(part, LONGEST_LOG) for part in parts])
        elif fault is None:
            what = f"a tuple of {len(parts)}" if is_a(item, tuple) else f"a {type_name(item)}"
            fault = f"item {index} is {what}, not a pair of strings"
    return pairs, fault
