"""Report files: written whole or not at all, read with suspicion."""

import os
from pathlib import Path

from aptix_conformance.errors import ReportError
from aptix_conformance.model.report import Report, ToolReport
from aptix_conformance.reports import json_report


def write_report(path: Path, report: Report) -> None:
    """Write a report so that a reader sees the old one or the new one, never a part.

    Raises:
        ReportError: the place cannot be written.
    """
    _write(path, json_report.render(report), replace=True)


def prove_writable(path: Path) -> None:
    """See that a report could be written, by all that writing one does short of putting it in its place.

    Raises:
        ReportError: the place cannot be written.
    """
    _write(path, "", replace=False)
    if path.exists() and not path.is_file():
        raise ReportError(f"the report cannot be written to {path}: it is there and is no file")


def _write(path: Path, text: str, *, replace: bool) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_text(text, encoding="ascii")
            if replace:
                temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise ReportError(f"the report cannot be written to {path}: {error.strerror}") from error


def read_report(path: Path) -> Report:
    """The report in a file, of any format that there has been.

    Raises:
        ReportError: the file is missing, truncated, of another format, or malformed; names the place.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ReportError(f"the report {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ReportError(f"the report {path} is not JSON, cut off perhaps: {error}") from error
    return json_report.parse(text, str(path))


def find_tool(report: Report, tool: str) -> ToolReport:
    """The report of one tool, by its name or its target.

    Raises:
        ReportError: there is none; lists those that there are.
    """
    for found in report.tools:
        if tool in {found.tool, found.target}:
            return found
    names = ", ".join(sorted(found.tool for found in report.tools)) or "none"
    raise ReportError(f"the report has no tool {tool!r}; it has: {names}")
