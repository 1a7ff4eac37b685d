"""Report files: written atomically, validated when read."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import ReportError
from aptix_conformance.core.files import is_file, read_text, require_file_path, write_atomically, write_beside
from aptix_conformance.core.model.report import Report, ToolReport
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports import json_report, lines
from aptix_conformance.present.reports.journal import SUFFIX, journal_path, read_journal
from aptix_conformance.present.reports.renderers import JSON, LINES, render

LARGEST: Final = 256 * 2**20
"""Bytes of a report file beyond which it is not read."""


def write_report(path: Path, report: Report, form: str = JSON) -> None:
    """Write a report in some format, atomically: a reader sees the old file or the new one.

    Raises:
        ReportError: there is no such format, it cannot be made, or the place cannot be written.
    """
    if form != LINES:
        write_text(path, render(form, report))
        return
    try:
        write_text(path, lines.parts(report))  # not as one text: it may be gigabytes
    except (TypeError, ValueError) as error:
        raise ReportError(f"the renderer {form} failed: {printable(str(error), 300)}") from error


def check_name(path: Path, form: str) -> None:
    """Check that the name of a report's file says whether it is JSON or JSON lines: readers go by it.

    Raises:
        ReportError: it says the other.
    """
    if form in {JSON, LINES} and (form == LINES) != (path.suffix == lines.SUFFIX):
        must = "must end" if form == LINES else "must not end"
        raise ReportError(
            f"the name of a report of the format {form} {must} in {lines.SUFFIX}: rename {path}"
        )


def write_text(path: Path, text: str | Iterable[str]) -> None:
    """Write a text that was made of reports, or its parts, atomically.

    Raises:
        ReportError: the place cannot be written.
    """
    try:
        require_file_path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
    except OSError as error:
        raise ReportError(f"the report cannot be written to {path}: {error.strerror}") from error


def prove_writable(path: Path) -> None:
    """Check that a report can be written: write a temporary file beside `path` and delete it.

    Raises:
        ReportError: the place cannot be written.
    """
    try:
        require_file_path(path)
        if path.exists() and not path.is_file():
            raise ReportError(f"the report cannot be written to {path}: the path exists and is not a file")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_beside(path, "").unlink()
    except OSError as error:
        raise ReportError(f"the report cannot be written to {path}: {error.strerror}") from error


def journal_of(path: Path) -> Path | None:
    """The journal that `read_report` reads for a path; None where it reads the report, or no file can have the path."""
    if path.suffix == SUFFIX:
        return path
    try:
        journal = journal_path(path)
    except OSError:
        return None
    return journal if is_file(journal) else None


def read_report(path: Path) -> Report:
    """Read the report in a file.

    If the journal of a run is beside the file, that run was killed or goes on: then the journal is read, whose
    `suite.complete` is False. The path of a journal may be given as well, or that of a report in JSON lines.

    Raises:
        ReportError: the file is missing, truncated, of another format, or malformed; names the place.
    """
    journal = journal_of(path)
    if journal is not None:
        return read_journal(journal)
    if path.suffix == lines.SUFFIX:
        return lines.Lines.read(path).whole()
    try:
        require_file_path(path)
        text = read_text(path, LARGEST)
    except OSError as error:
        raise ReportError(f"the report {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ReportError(f"the report {path} is not JSON, perhaps truncated: {error}") from error
    return json_report.parse(text, str(path))


def find_tool(report: Report, tool: str) -> ToolReport:
    """The report of one tool, by its name or its target.

    Raises:
        ReportError: there is no such tool; the message lists the tools of the report.
    """
    for each in report.tools:
        if tool in {each.tool, each.target}:
            return each
    names = ", ".join(sorted(printable(each.tool) for each in report.tools)) or "none"
    raise ReportError(f"the report has no tool {tool!r}; it has: {printable(names, 1000)}")
