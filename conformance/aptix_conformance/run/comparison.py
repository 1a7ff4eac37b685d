"""Comparisons of schemas within a limit of processor time: patterns and nested alternatives can take any time to compare."""

from typing import Final

from aptix_conformance.generate.witness import find_witness
from aptix_conformance.run.worker import StoppedError, alone
from aptix_conformance.schemas.diff import Change, ChangeClass, Comparison, ToolSchema, compare

SECONDS: Final = 5.0
"""Seconds of processor time that one comparison may take; after up to twice as many it is stopped."""
CLOCK: Final = 300.0
"""Seconds that it may take on the clock."""


def compare_in_time(old: ToolSchema, new: ToolSchema) -> Comparison:
    """Compare one tool with what it was, in a process of its own; what takes too long or nests too deeply is unknown."""
    try:
        return alone(lambda: _compare(old, new), CLOCK, SECONDS)
    except StoppedError as stopped:
        return _unknown(old, new, stopped.reason)


def _compare(old: ToolSchema, new: ToolSchema) -> Comparison:
    try:
        return compare(old, new, find_witness)
    except RecursionError:
        return _unknown(old, new, "they nest too deeply")


def _unknown(old: ToolSchema, new: ToolSchema, reason: str) -> Comparison:
    message = f"the two schemas cannot be compared: {reason}"
    change = Change("schema-unreadable", "parameters", ChangeClass.UNKNOWN, message)
    return Comparison(new.name or old.name, (change,))
