"""The journal of a run: what is known already, on disk before the run goes on, so that nothing can lose it.

It is beside the report, as `report.json.journal`, during a run. The first line is a report without the tools
that are still to be examined; each further line is the report of one tool. When the report itself is written, the journal
is removed. A journal that is there afterwards is that of a run that was killed. Its last line may be cut off.
"""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from aptix_conformance.core.errors import RecordError, ReportError
from aptix_conformance.core.files import open_regular, path_beside
from aptix_conformance.core.model.codec import from_json, read_json, replace, to_text
from aptix_conformance.core.model.report import Report, ToolReport
from aptix_conformance.present.reports import json_report
from aptix_conformance.present.reports.baseline import baseline_report
from aptix_conformance.present.reports.totals import make_report

SUFFIX: Final = ".journal"
LARGEST: Final = 256 * 2**20
"""Bytes of a line that are read."""
NOT_ENDED: Final = (
    "the run that wrote this report was killed, or is still going on: what it had not examined is missing"
)
"""The note of commands on a report that was read from a journal."""


def journal_path(report: Path) -> Path:
    """The path of the journal of a report.

    Raises:
        OSError: no report can have the path; `strerror` says why.
    """
    return path_beside(report, after=SUFFIX)


class Journal:
    """The journal of a report that will be written to a path. Nothing is on the disk before `begin`."""

    def __init__(self, report: Path) -> None:
        """For the report at the path `report`.

        Raises:
            ReportError: no journal can have a path beside it.
        """
        try:
            self.path = journal_path(report)
        except OSError as error:
            raise _unwritten(report, error) from error
        self._fd = -1

    def begin(self, report: Report) -> None:
        """Start to write; `report` is of the run so far.

        Raises:
            ReportError: the place cannot be written.
        """
        try:
            self.path.unlink(missing_ok=True)
            # Another program's file or link is never written to.
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
            self._fd = os.open(self.path, flags, 0o644)
        except OSError as error:
            raise _unwritten(self.path, error) from error
        self._add(replace(report, suite=replace(report.suite, complete=False)))

    def add(self, tool: ToolReport) -> None:
        """Add the report of a tool; it is on the disk when this returns.

        Raises:
            ReportError: it cannot be written.
        """
        self._add(tool)

    def remove(self) -> None:
        """Remove the journal: the report has all of it. Harmless when repeated."""
        self.close()
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Stop writing, and leave the file. Harmless when repeated."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _add(self, record: Report | ToolReport) -> None:
        line = memoryview(to_text(record).encode() + b"\n")
        try:
            while line:
                line = line[os.write(self._fd, line) :]
            os.fsync(self._fd)
        except OSError as error:
            raise _unwritten(self.path, error) from error


def read_journal(path: Path) -> Report:
    """The report of a run that was killed, from its journal: what was known then. `suite.complete` is False.

    Raises:
        ReportError: the file cannot be read, or a line of it is malformed; names the line. A last line without an end is
            left out.
    """
    try:
        with open_regular(path) as stream:
            return _report(path, _lines(stream))
    except OSError as error:
        raise ReportError(f"the journal {path} cannot be read: {error.strerror}") from error


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a journal, one at a time: a run of very many tools has more than memory holds as text.

    Raises:
        OSError: one cannot be read, or is too long; `strerror` says which.
    """
    while (line := stream.readline(LARGEST + 1)).endswith(b"\n"):
        yield line
    if len(line) > LARGEST:
        raise OSError(errno.EFBIG, f"a line has more than {LARGEST:,} bytes")


def _report(path: Path, lines: Iterator[bytes]) -> Report:
    head = next(lines, None)
    if head is None:
        raise ReportError(f"the journal {path} is empty: its run was killed before it began; remove it")
    start = json_report.report_of(_parsed(head, path, 1), f"{path}, line 1,")
    tools = {(tool.target, tool.edition): tool for tool in start.tools}
    for number, line in enumerate(lines, 2):
        try:
            tool = from_json(ToolReport, _parsed(line, path, number), "$")
        except RecordError as error:
            raise ReportError(f"the journal {path} is malformed in line {number} at {error}") from error
        tools[tool.target, tool.edition] = tool
    suite = replace(start.suite, complete=False)
    report = make_report(tools.values(), suite, start.run, start.revision)
    counted = None if start.baseline is None else baseline_report(report.tools, ())
    return replace(report, baseline=counted)


def _parsed(line: bytes, path: Path, number: int) -> Any:
    try:
        return read_json(line)
    except (ValueError, RecursionError) as error:
        raise ReportError(f"the journal {path} is malformed in line {number}: {error}") from error


def _unwritten(path: Path, error: OSError) -> ReportError:
    return ReportError(f"the journal cannot be written to {path}: {error.strerror}")
