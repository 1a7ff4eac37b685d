"""What a tool leaves in memory, given back before the next: there may be a thousand, of a hundred items each."""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Final

import pytest

_WORTH_A_LINE: Final = 0.005
"""Seconds from which on `--durations` shows a phase of an item if it is not told otherwise."""


def give_back() -> None:
    """Have the C library return what is free, where it can: by itself it keeps what lies between the things in use."""
    _trim()(0)


def let_go(reporter: pytest.TerminalReporter | None, report: pytest.TestReport) -> None:
    """Have the terminal forget a report of which it shows nothing: that an item was set up, or torn down, at once."""
    if reporter is None or report.when == "call" or report.duration >= _WORTH_A_LINE:
        return
    silent = reporter.stats.get("", [])
    if silent and silent[-1] is report:
        silent.pop()


@cache
def _trim() -> Callable[[int], object]:
    try:
        found: Callable[[int], object] = ctypes.CDLL(None).malloc_trim  # glibc's
    except (OSError, AttributeError, TypeError):
        return lambda _: None
    return found
