"""`aptix-conformance render`: a report as another text."""

import argparse
from pathlib import Path
from typing import Any, Final

from aptix_conformance.commands.command import OK, add_command, say
from aptix_conformance.errors import ConfigurationError
from aptix_conformance.reports import read_report
from aptix_conformance.reports.renderers import all_renderers

_DESCRIPTION: Final = """\
Print a report in another form: `summary`, `json`, or a form of an installed plugin.

  aptix-conformance render report.json --as summary

Exit status: 0; 2 on bad usage, or when the report cannot be read.
"""


def add(subparsers: Any) -> None:
    """Declare the command and its arguments."""
    parser = add_command(subparsers, "render", run, description=_DESCRIPTION)
    parser.add_argument("report", metavar="REPORT", help="the path of a report")
    parser.add_argument("--as", dest="form", default="summary", metavar="FORM", help="default: summary")


def run(options: argparse.Namespace) -> int:
    """Print the report in the chosen form."""
    renderers = all_renderers()
    if options.form not in renderers:
        raise ConfigurationError(f"unknown form {options.form!r}: one of {', '.join(sorted(renderers))}")
    say(renderers[options.form].render(read_report(Path(options.report))))
    return OK
