"""Free memory between tools: a run may have a thousand tools of a hundred items each."""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Final

import pytest

_WORTH_A_LINE: Final = 0.005
"""Seconds. `--durations` shows a phase of an item from this duration on, unless configured otherwise."""


def trim_heap() -> None:
    """Return free heap memory to the system, where the C library can: it keeps fragments by default."""
    _trim()(0)


def drop_silent_report(reporter: pytest.TerminalReporter | None, report: pytest.TestReport) -> None:
    """Remove from the terminal's statistics a report that it never shows: a set-up or tear-down that took no time."""
    if reporter is None or report.when == "call" or report.duration >= _WORTH_A_LINE:
        return
    silent = reporter.stats.get("", [])
    if silent and silent[-1] is report:
        silent.pop()


@cache
def _trim() -> Callable[[int], object]:
    try:
        malloc_trim: Callable[[int], object] = ctypes.CDLL(None).malloc_trim  # glibc's
    except (OSError, AttributeError, TypeError):
        return lambda _: None
    return malloc_trim
