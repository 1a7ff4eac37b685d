"""The tools of this server. What a tool takes and gives is in its schemas; what it does is one function."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from toolbox.notebooks import NotebookFullError, Notebooks

JsonObject = dict[str, Any]
ReportProgress = Callable[[int, int], None]
"""Reports (done, total). It raises `CancelledError` where the client has cancelled the call: let that pass."""


class ToolError(Exception):
    """The call cannot be served; the message tells the model why, and what to do."""


class CancelledError(Exception):
    """The client has cancelled the call."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: what `tools/list` says of it, and the function that serves calls whose arguments fit its inputSchema."""

    definition: JsonObject
    call: Callable[[JsonObject, ReportProgress], JsonObject]

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.definition["name"])


def _input(**properties: JsonObject) -> JsonObject:
    """An inputSchema that requires all of its properties, and forbids others."""
    closed = {"required": list(properties), "additionalProperties": False}
    return {"type": "object", "properties": properties, **closed}


def _output(**properties: JsonObject) -> JsonObject:
    """An outputSchema; open, so that a later version may add properties."""
    return {"type": "object", "properties": properties, "required": list(properties)}


_PURE: Final = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
"""The annotations of a tool that changes nothing and reaches no other machine."""


# ---- convert_length

_METRES: Final = {"m": 1.0, "km": 1000.0, "ft": 0.3048, "mi": 1609.344}
_UNIT: Final = {"type": "string", "enum": list(_METRES)}
_CONVERT_LENGTH: Final = {
    "name": "convert_length",
    "title": "Convert a length",
    "description": "Converts a length from one unit to another. Use it where a user gives or wants a length in another unit.",
    "inputSchema": _input(
        length={"type": "number", "minimum": 0, "maximum": 10**12, "description": "The length."},
        unit={**_UNIT, "description": "The unit that the length is in."},
        to={**_UNIT, "description": "The unit that is wanted."},
    ),
    "outputSchema": _output(length={"type": "number", "description": "The length in the unit."}, unit=_UNIT),
    "annotations": _PURE,
}


def convert_length(arguments: JsonObject, _: ReportProgress) -> JsonObject:
    """Convert a length."""
    metres = arguments["length"] * _METRES[arguments["unit"]]
    return {"length": metres / _METRES[arguments["to"]], "unit": arguments["to"]}


# ---- count_words

_COUNT_WORDS: Final = {
    "name": "count_words",
    "title": "Count the words of a text",
    "description": "Counts the characters, words and lines of a text. A word is what stands between white space.",
    "inputSchema": _input(text={"type": "string", "maxLength": 100_000, "description": "The text."}),
    "outputSchema": _output(
        characters={"type": "integer", "description": "Unicode code points, white space included."},
        words={"type": "integer"},
        lines={"type": "integer", "description": "Lines, an unfinished last one included."},
    ),
    "annotations": _PURE,
}


def count_words(arguments: JsonObject, _: ReportProgress) -> JsonObject:
    """Count what is in a text."""
    text = arguments["text"]
    return {"characters": len(text), "words": len(text.split()), "lines": len(text.splitlines())}


# ---- count_primes: it can take some seconds, so it reports progress and can be cancelled

_LARGEST: Final = 300_000_000
_SEGMENT: Final = 500_000
"""Numbers between two reports of progress: some milliseconds of work."""
_COUNT_PRIMES: Final = {
    "name": "count_primes",
    "title": "Count prime numbers",
    "description": "Counts the prime numbers below a number. A large number takes some seconds. The call reports progress, and can be cancelled.",
    "inputSchema": _input(
        below={"type": "integer", "minimum": 0, "maximum": _LARGEST, "description": "Primes below it count."}
    ),
    "outputSchema": _output(count={"type": "integer", "description": "How many primes there are."}),
    "annotations": _PURE,
}


def count_primes(arguments: JsonObject, report_progress: ReportProgress) -> JsonObject:
    """Count primes by a sieve, segment by segment."""
    below = int(arguments["below"])
    divisors = [n for n in range(2, math.isqrt(below) + 1) if all(n % d for d in range(2, math.isqrt(n) + 1))]
    count = 0
    for start in range(2, below, _SEGMENT):
        report_progress(start, below)
        count += _primes_between(start, min(start + _SEGMENT, below), divisors)
    return {"count": count}


def _primes_between(start: int, stop: int, divisors: list[int]) -> int:
    """The number of primes from `start` to below `stop`; `divisors` are the primes up to the root of `stop`."""
    is_prime = bytearray(b"\1") * (stop - start)
    for divisor in divisors:
        first = max(divisor * divisor, -(-start // divisor) * divisor) - start
        is_prime[first::divisor] = bytes(len(range(first, stop - start, divisor)))
    return sum(is_prime)


# ---- keep_note and read_notes

_NOTEBOOK: Final = {
    "type": "string",
    "pattern": "^[a-z0-9]{1,30}$",
    "description": "The name of the notebook, such as 'travel'.",
}
_KEPT_IN: Final = {"type": "string", "description": "The name of the notebook."}
_KEEP_NOTE: Final = {
    "name": "keep_note",
    "title": "Keep a note",
    "description": "Keeps a note in a notebook, and opens the notebook if it is new. A note that is there already stays as it is.",
    "inputSchema": _input(
        notebook=_NOTEBOOK,
        note={"type": "string", "minLength": 1, "maxLength": 1000, "description": "What is to be kept."},
    ),
    "outputSchema": _output(
        notebook=_KEPT_IN, note={"type": "string", "description": "The note that is kept."}
    ),
    "annotations": {
        "readOnlyHint": False,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    },
}
_READ_NOTES: Final = {
    "name": "read_notes",
    "title": "Read a notebook",
    "description": "Gives the notes of a notebook, the oldest first. A notebook that nobody has written in has none.",
    "inputSchema": _input(notebook=_NOTEBOOK),
    "outputSchema": _output(
        notebook=_KEPT_IN,
        notes={"type": "array", "items": {"type": "string"}, "description": "The notes."},
    ),
    "annotations": _PURE,
}


def make_tools(notebooks: Notebooks) -> tuple[Tool, ...]:
    """All tools, in the order in which they are listed."""

    def keep_note(arguments: JsonObject, _: ReportProgress) -> JsonObject:
        try:
            notebooks.keep(arguments["notebook"], arguments["note"])
        except NotebookFullError:
            raise ToolError("This notebook is full. Keep the note in another notebook.") from None
        return {"notebook": arguments["notebook"], "note": arguments["note"]}

    def read_notes(arguments: JsonObject, _: ReportProgress) -> JsonObject:
        return {"notebook": arguments["notebook"], "notes": notebooks.read(arguments["notebook"])}

    return (
        Tool(_CONVERT_LENGTH, convert_length),
        Tool(_COUNT_PRIMES, count_primes),
        Tool(_COUNT_WORDS, count_words),
        Tool(_KEEP_NOTE, keep_note),
        Tool(_READ_NOTES, read_notes),
    )
