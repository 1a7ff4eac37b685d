"""Comparisons of schemas within a limit of processor time: patterns and nested alternatives can take any time to compare."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from aptix_conformance.app.run.worker import Notify, StoppedError, Worker
from aptix_conformance.core.schemas.diff import Change, Comparison, Judge, ToolSchema, compare
from aptix_conformance.examine.step_limit import StepLimit
from aptix_conformance.stimuli.generate.witness import find_witness

SECONDS: Final = 5.0
"""Seconds of processor time that one comparison may take, and all those of one command that are stopped."""
LEAST: Final = 0.2
"""Seconds that each further comparison may take; an honest one takes about 0.004."""
MOST_STOPPED: Final = 16
"""Comparisons that are stopped; from then on none is made."""
_CLOCK: Final = 60.0
"""Seconds that one may take on the clock."""


@contextmanager
def in_time() -> Iterator[Judge]:
    """A judge that compares in a process of its own; a comparison that takes too long or nests too deeply is unknown."""

    def serve(request: Any, _notify: Notify, limit: StepLimit) -> Comparison:
        with limit.step("compare"):
            return _compare(*request)

    worker = Worker(serve, lambda: None, seconds=SECONDS, hard_factor=1)

    stopped_before = 0

    def judge(old: ToolSchema, new: ToolSchema) -> Comparison:
        nonlocal stopped_before
        if stopped_before >= MOST_STOPPED:
            return _unknown(old, new, f"{stopped_before} other comparisons took too long")
        before = _children_seconds()
        try:
            comparison: Comparison = worker.ask((old, new), {}, lambda *_: None, time.monotonic() + _CLOCK)
        except StoppedError as stopped:
            stopped_before += 1
            worker.seconds = max(worker.seconds - (_children_seconds() - before), LEAST)
            return _unknown(old, new, stopped.reason)
        return comparison

    try:
        yield judge
    finally:
        worker.close()


def compare_in_time(old: ToolSchema, new: ToolSchema) -> Comparison:
    """Compare one tool with its earlier schema, as `in_time` does."""
    with in_time() as judge:
        return judge(old, new)


def _children_seconds() -> float:
    """Seconds of processor time of the processes that this one started and that ended."""
    spent = os.times()
    return spent.children_user + spent.children_system


def _compare(old: ToolSchema, new: ToolSchema) -> Comparison:
    try:
        return compare(old, new, find_witness)
    except RecursionError:
        return _unknown(old, new, "they nest too deeply")


def _unknown(old: ToolSchema, new: ToolSchema, reason: str) -> Comparison:
    message = f"the two schemas cannot be compared: {reason}"
    change = Change.of("schema-unreadable", "parameters", message)
    return Comparison(new.name or old.name, (change,))
