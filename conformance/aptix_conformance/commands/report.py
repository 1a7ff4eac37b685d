"""`aptix-conformance report`: a report in another format."""

import argparse
import io
import sys
from pathlib import Path
from typing import Any, Final

from aptix_conformance.commands.command import OK, add_command, complain, say
from aptix_conformance.errors import ReportError
from aptix_conformance.reports import (
    NOT_ENDED,
    find_renderer,
    journal_of,
    prove_writable,
    read_report,
    write_report,
)
from aptix_conformance.reports.renderers import all_renderers, render

_DESCRIPTION: Final = """\
Print a report in another format, or write it to a file.

  aptix-conformance report summary report.json
  aptix-conformance report json old.json -o new.json

Exit status: 0; 2 on bad usage, or when the report cannot be read or the file cannot be written.
"""


def add(subparsers: Any) -> None:
    """Declare the command and its arguments."""
    parser = add_command(subparsers, "report", run, description=_DESCRIPTION)
    parser.add_argument("format", metavar="FORMAT", help=f"one of {', '.join(sorted(all_renderers()))}")
    parser.add_argument("report", metavar="REPORT", help="the path of a report")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to this file instead")


def run(options: argparse.Namespace) -> int:
    """Print or write the report in the chosen format."""
    find_renderer(options.format)
    if journal_of(Path(options.report)) is not None:
        complain(f"note: {NOT_ENDED}")
    if options.output is None:
        _print(render(options.format, read_report(Path(options.report))))
        return OK
    output = Path(options.output)
    prove_writable(output)
    report = read_report(Path(options.report))
    if output.exists() and Path(options.report).exists() and output.samefile(options.report):
        raise ReportError(f"{output} is the report itself: name another file")
    write_report(output, report, options.format)
    return OK


def _print(text: str) -> None:
    """Print a text in UTF-8, as it would be in a file."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    say(text.removesuffix("\n"))
