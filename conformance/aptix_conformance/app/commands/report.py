"""`aptix-conformance report`: a report in another format."""

import argparse
import io
import sys
from pathlib import Path
from typing import Any, Final

from aptix_conformance.app.commands.command import NO, OK, add_command, complain, say
from aptix_conformance.core.errors import ReportError
from aptix_conformance.core.files import is_file
from aptix_conformance.core.model.report import Report
from aptix_conformance.present.reports import (
    NOT_ENDED,
    find_renderer,
    journal_of,
    prove_writable,
    read_report,
    write_report,
)
from aptix_conformance.present.reports.changes_texts import changes_markdown, changes_text
from aptix_conformance.present.reports.html import changes_html
from aptix_conformance.present.reports.renderers import all_renderers, render
from aptix_conformance.present.reports.report_changes import changes
from aptix_conformance.present.reports.report_files import write_text

_DESCRIPTION: Final = """\
Print a report in another format, or write it to a file.

  aptix-conformance report summary report.json
  aptix-conformance report json old.json -o new.json
  aptix-conformance report diff old.json new.json --format html -o changes.html

`diff` shows what changed between two reports: verdicts that changed, tools that are new or gone, and, separately, rules
that another version of the suite added.

Exit status: 0; 2 on bad usage, or when a report cannot be read or the file cannot be written. For `diff` also 1: where a
tool newly breaks a MUST rule, has a new cause for one, or is examined less; where a tool is gone; or where a new tool is
not conforming. Findings of rules that the suite added do not count.
"""
DIFF: Final = "diff"
STYLES: Final = {"text": changes_text, "markdown": changes_markdown, "html": changes_html}


def add(subparsers: Any) -> None:
    """Declare the command and its arguments."""
    parser = add_command(subparsers, "report", run, description=_DESCRIPTION)
    forms = ", ".join(sorted({*all_renderers(), DIFF}))
    parser.add_argument("format", metavar="FORMAT", help=f"one of {forms}")
    parser.add_argument("reports", metavar="REPORT", nargs="+", help="the path of a report; of two for diff")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to this file instead")
    parser.add_argument(
        "--format", dest="style", choices=list(STYLES), help="how diff is written (default: text)"
    )


def run(options: argparse.Namespace) -> int:
    """Print or write the report in the chosen format, or what changed between two."""
    is_diff = options.format == DIFF
    if not is_diff:
        find_renderer(options.format)
    if len(options.reports) != 1 + is_diff:
        raise ReportError(f"{options.format} takes {'two reports' if is_diff else 'one report'}")
    if options.style and not is_diff:
        raise ReportError(f"--format is for {DIFF} only")
    paths = [Path(report) for report in options.reports]
    for path in paths:
        if journal_of(path) is not None:
            complain(f"note: {path}: {NOT_ENDED}")
    output = None if options.output is None else Path(options.output)
    if output is not None:
        prove_writable(output)
    reports = [read_report(path) for path in paths]
    if output is not None and any(_is_same(output, path) for path in paths):
        raise ReportError(f"{output} is the report itself: name another file")
    if is_diff:
        old, new = reports
        return _diff(old, new, options.style, output)
    if output is None:
        _print(render(options.format, reports[0]))
    else:
        write_report(output, reports[0], options.format)
    return OK


def _diff(old: Report, new: Report, style: str | None, output: Path | None) -> int:
    differences = changes(old, new)
    text = STYLES[style or "text"](old, new, differences)
    if output is None:
        _print(text)
    else:
        write_text(output, text)
    return NO if any(change.is_worse for change in differences) else OK


def _is_same(output: Path, report: Path) -> bool:
    return is_file(output) and is_file(report) and output.samefile(report)


def _print(text: str) -> None:
    """Print a text in UTF-8, as it would be in a file."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    say(text.removesuffix("\n"))
