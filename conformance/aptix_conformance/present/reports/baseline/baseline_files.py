"""Baseline files: read as a stranger's, written atomically, in an order that makes small diffs."""

from collections import Counter
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import BaselineError, RecordError
from aptix_conformance.core.files import read_bounded, require_file_path, write_atomically
from aptix_conformance.core.model.baseline import FORMAT, Baseline
from aptix_conformance.core.model.codec import (
    MOST_VALUES,
    from_json,
    most_values,
    read_json,
    replace,
    to_json,
    to_text,
)
from aptix_conformance.core.text import printable

LARGEST: Final = 32 * 2**20
"""Bytes of a baseline file beyond which it is not read."""
_MAKE: Final = "aptix-conformance baseline write report.json -o"


def read_baseline(path: Path) -> Baseline:
    """Read the baseline in a file.

    Raises:
        BaselineError: it is missing, no regular file, too large, no JSON, of another format, malformed, or has two entries
            for one finding; names the place.
    """
    try:
        text = read_bounded(path, LARGEST)
    except FileNotFoundError:
        raise BaselineError(f"there is no baseline {path}: make one with {_MAKE} {path}") from None
    except OSError as error:
        raise BaselineError(f"the baseline {path} cannot be read: {error.strerror}") from error
    if most_values(text) > MOST_VALUES:
        raise BaselineError(f"the baseline {path} has more than {MOST_VALUES:,} values")
    try:
        data = read_json(text)
    except (ValueError, RecursionError) as error:
        raise BaselineError(f"the baseline {path} is not JSON, perhaps truncated: {error}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BaselineError(f"{path} is not a baseline of the format {FORMAT}: make one with {_MAKE} {path}")
    try:
        baseline = from_json(Baseline, data, "$")
    except RecordError as error:
        raise BaselineError(f"the baseline {path} is malformed at {error}") from error
    _check_unique(baseline, path)
    return baseline


def _check_unique(baseline: Baseline, path: Path) -> None:
    counts = Counter(entry.key for entry in baseline.entries)
    for number, entry in enumerate(baseline.entries):
        if counts[entry.key] > 1:
            subject = printable(" ".join(filter(None, (entry.rule, entry.cause))), 200)
            raise BaselineError(
                f"the baseline {path} is malformed at $.entries[{number}]: "
                f"two entries are about {subject} of {printable(entry.target, 200)}; keep one"
            )


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline, its entries in the order of their keys.

    Raises:
        BaselineError: the place cannot be written, or the file could not be read again, for example because of a blank reason.
    """
    ordered = replace(baseline, entries=tuple(sorted(baseline.entries, key=lambda entry: entry.key)))
    try:
        from_json(Baseline, to_json(ordered), "$")
    except RecordError as error:
        raise BaselineError(
            f"the baseline {path} is not written: it would be malformed at {error}"
        ) from error
    try:
        require_file_path(path)
        if path.exists() and not path.is_file():
            raise BaselineError(f"the baseline cannot be written to {path}: it is not a regular file")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, to_text(ordered, indent=2) + "\n")
    except OSError as error:
        raise BaselineError(f"the baseline cannot be written to {path}: {error.strerror}") from error
