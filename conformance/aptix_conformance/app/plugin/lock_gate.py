"""Decide which changes of a locked tool fail the run, and format them.

syrupy counts what it compares, and would fail an allowed difference. So syrupy never sees a difference that the gate
allows.
"""

import contextlib
import difflib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import pytest

from aptix_conformance.app.run.comparison import compare_in_time
from aptix_conformance.core.errors import ConfigurationError, RecordError
from aptix_conformance.core.files import read_text
from aptix_conformance.core.schemas import LockRecord, LockResult, check_lock, left_behind, read_lock
from aptix_conformance.core.schemas.diff import ChangeClass, Comparison, ToolSchema
from aptix_conformance.core.schemas.lock import LARGEST
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports.schema_changes import change_lines

_LINES_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class LockVerdict:
    """The result of a comparison with the lock: `text` lists the changes, `passes` applies to the status `differs`."""

    status: Literal["matches", "written", "missing", "differs"]
    path: Path
    passes: bool = True
    text: str = ""
    change_class: str = ""


def check_gate(item: pytest.Item, record_text: str, directory: Path, stem: str, gate: str) -> LockVerdict:
    """Compare a tool's record with its lock, and the difference with the gate.

    Raises:
        ConfigurationError: as `check_lock`.
    """
    options = item.config.option
    path = directory / f"{stem}.json"
    if gate != "any" and not (options.update_snapshots or options.update_new_snapshots_only):
        with contextlib.suppress(OSError, UnicodeDecodeError):  # check_lock says what is wrong with the place
            locked = read_text(path, LARGEST)
            if locked != record_text:
                verdict = _judged(locked, record_text, path, gate, "")
                if verdict.passes:
                    return verdict
    result = check_lock(item, record_text, directory, stem)
    if result.status != "differs":
        return LockVerdict(result.status, result.path)
    return _differing(result, record_text, gate)


def refuse_taken_name(tool: str, target: str, path: Path) -> None:
    """Refuse to replace a lock by that of a tool which only the command line names: any tool can take any name.

    Raises:
        ConfigurationError: there is a lock.
    """
    if os.path.lexists(path):
        raise ConfigurationError(
            f"{printable(target, 200)} does not replace the lock {path}: the project does not configure it, and the name "
            f"{printable(tool)} has that lock already; list it under [tool.aptix-conformance] tools, or remove the lock"
        )


def _differing(result: LockResult, record_text: str, gate: str) -> LockVerdict:
    try:
        locked = read_text(result.path, LARGEST)
    except (OSError, UnicodeDecodeError):
        locked = ""
    return _judged(locked, record_text, result.path, gate, result.diff_text)


def _judged(locked: str, record_text: str, path: Path, gate: str, diff_text: str) -> LockVerdict:
    try:
        old, new = read_lock(locked, str(path)), read_lock(record_text, "the tool")
    except RecordError as error:
        # An invalid lock has no schema to compare, so the difference of the texts is shown.
        text = f"{error}\n{diff_text}".rstrip()
        return LockVerdict("differs", path, gate == "off", text, ChangeClass.UNKNOWN.label)
    comparison = compare_in_time(_schema(old), _schema(new))
    allowed = {"any": None, "breaking": ChangeClass.COMPATIBLE, "off": ChangeClass.BREAKING}[gate]
    passes = allowed is not None and comparison.change_class <= allowed
    text = "\n".join(_lines(comparison, old, new)) + left_behind(locked, record_text)
    return LockVerdict("differs", path, passes, text, comparison.change_class.label)


def _lines(comparison: Comparison, old: LockRecord, new: LockRecord) -> Iterator[str]:
    """Each change in a line, the witness, and the lines of the usage text that differ."""
    yield f"  the change is {comparison.change_class.label}"
    if not comparison.changes:
        yield "  the same calls and the same usage text, in another notation"
    yield from (f"  {line}" for line in change_lines(comparison))
    lines = list(difflib.unified_diff(old.usage_text, new.usage_text, lineterm="", n=1))[2:]
    yield from (f"    {printable(line, 200)}" for line in lines[:_LINES_SHOWN])
    if len(lines) > _LINES_SHOWN:
        yield f"    … and {len(lines) - _LINES_SHOWN:,} lines more"


def _schema(record: LockRecord) -> ToolSchema:
    return ToolSchema(record.schema, "\n".join(record.usage_text), record.result_shape or {})
