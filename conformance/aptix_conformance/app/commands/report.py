"""`aptix-conformance report`: a report in another format."""

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from aptix_conformance.app.commands.command import NO, OK, add_command, complain, say
from aptix_conformance.app.run.shards import costs_text
from aptix_conformance.core.errors import ReportError
from aptix_conformance.core.files import is_file
from aptix_conformance.core.model.report import Report
from aptix_conformance.present.reports import (
    JSON,
    NOT_ENDED,
    find_renderer,
    journal_of,
    prove_writable,
    read_report,
)
from aptix_conformance.present.reports.changes_texts import changes_markdown, changes_text
from aptix_conformance.present.reports.html import changes_html
from aptix_conformance.present.reports.lines import PAGE, SUFFIX, Lines
from aptix_conformance.present.reports.merging import merge
from aptix_conformance.present.reports.pages import PAGED, write_pages
from aptix_conformance.present.reports.renderers import LINES, all_renderers, render
from aptix_conformance.present.reports.report_changes import changes
from aptix_conformance.present.reports.report_files import check_name, write_report, write_text
from aptix_conformance.present.reports.servers import fails

_DESCRIPTION: Final = """\
Print a report in another format, or write it to a file.

  aptix-conformance report summary report.json
  aptix-conformance report json old.json -o new.json
  aptix-conformance report diff old.json new.json --format html -o changes.html
  aptix-conformance report merge shard-1.json shard-2.json -o report.json
  aptix-conformance report costs report.json -o costs.json
  aptix-conformance report html report.jsonl -o report.html

`diff` shows what changed between two reports: verdicts that changed, tools that are new or gone, and, separately, rules
that another version of the suite added.
`merge` joins the reports of all shards of a run (--aptix-shard 1/2, --aptix-shard 2/2) into the report of the run.
A report of the format `jsonl` has a line for each tool. Of more than 1,000 tools, html and sarif are files of 1,000 tools each, such
as report-1.html, and report.html links to them.
`costs` writes how long each target took; --aptix-shard-costs balances shards by it.

Exit status: 0; 2 on bad usage, or when a report cannot be read or the file cannot be written. For `diff` also 1: where a
tool newly breaks a MUST rule, has a new cause for one, or is examined less; where a tool is gone; or where a new tool is
not conforming. Findings of rules that the suite added do not count. For `merge` also 1: where the merged run fails, as
one run of all tools would: a tool is not conforming, a baseline or a waiver is stale, or a shard did not end.
"""
DIFF: Final = "diff"
MERGE: Final = "merge"
COSTS: Final = "costs"
STYLES: Final = {"text": changes_text, "markdown": changes_markdown, "html": changes_html}


def add(subparsers: Any) -> None:
    """Declare the command and its arguments."""
    parser = add_command(subparsers, "report", run, description=_DESCRIPTION)
    forms = ", ".join(sorted({*all_renderers(), DIFF, MERGE, COSTS}))
    parser.add_argument("format", metavar="FORMAT", help=f"one of {forms}")
    parser.add_argument(
        "reports",
        metavar="REPORT",
        nargs="+",
        help="the path of a report; of two for diff, of all shards for merge",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write to this file instead")
    parser.add_argument(
        "--format", dest="style", choices=list(STYLES), help="how diff is written (default: text)"
    )


def run(options: argparse.Namespace) -> int:
    """Print or write the report in the chosen format, what changed between two, or the report of all shards."""
    form = options.format
    if form not in {DIFF, MERGE, COSTS}:
        find_renderer(form)
    if form != MERGE and len(options.reports) != 1 + (form == DIFF):
        raise ReportError(f"{form} takes {'two reports' if form == DIFF else 'one report'}")
    if options.style and form != DIFF:
        raise ReportError(f"--format is for {DIFF} only")
    output = None if options.output is None else Path(options.output)
    if output is not None:
        check_name(output, form)
    if form in PAGED and (lines := _many(options.reports[0])) is not None:
        return _write_pages(lines, form, output)
    reports = _read(options.reports, output)
    if form == DIFF:
        old, new = reports
        return _diff(old, new, options.style, output)
    if form == MERGE:
        merged = merge(list(zip(options.reports, reports, strict=True)))
        in_lines = output is not None and output.suffix == SUFFIX
        _give_form(LINES if in_lines else JSON, merged, output)
        return NO if fails(merged) or not merged.tools else OK
    (report,) = reports
    if form == COSTS:
        _give(costs_text(report), output)
    else:
        _give_form(form, report, output)
    return OK


def _many(name: str) -> Lines | None:
    """The report in JSON lines of a path, if it has more tools than a page."""
    path = Path(name)
    if path.suffix != SUFFIX or journal_of(path) is not None:
        return None
    lines = Lines.read(path)
    return lines if len(lines.entries) > PAGE else None


def _write_pages(lines: Lines, form: str, output: Path | None) -> int:
    if output is None:
        raise ReportError(
            f"{lines.path} has {len(lines.entries):,} tools, which are several files: name one by -o"
        )
    if output.suffix == SUFFIX:
        raise ReportError(f"{output} has the name of a report in JSON lines: name another file")
    prove_writable(output)
    for path in write_pages(lines, form, output):
        complain(f"written: {path}")
    return OK


def _read(names: Sequence[str], output: Path | None) -> list[Report]:
    """The reports, once the place for what is made of them is known to be writable, and to be none of them."""
    paths = [Path(name) for name in names]
    for path in paths:
        if journal_of(path) is not None:
            complain(f"note: {path}: {NOT_ENDED}")
    if output is not None:
        prove_writable(output)
    reports = [read_report(path) for path in paths]
    if output is not None and any(_is_same(output, path) for path in paths):
        raise ReportError(f"{output} is the report itself: name another file")
    return reports


def _give_form(form: str, report: Report, output: Path | None) -> None:
    if output is None:
        _print(render(form, report))
    else:
        write_report(output, report, form)


def _give(text: str, output: Path | None) -> None:
    if output is None:
        _print(text)
    else:
        write_text(output, text)


def _diff(old: Report, new: Report, style: str | None, output: Path | None) -> int:
    if _part(old) != _part(new):
        raise ReportError(
            "the reports are about different parts of a run: join the shards of each with report merge"
        )
    differences = changes(old, new)
    text = STYLES[style or "text"](old, new, differences)
    _give(text, output)
    return NO if any(change.is_worse for change in differences) else OK


def _part(report: Report) -> tuple[int, int] | None:
    shard = report.suite.shard
    return None if shard is None else (shard.number, shard.of)


def _is_same(output: Path, report: Path) -> bool:
    return is_file(output) and is_file(report) and output.samefile(report)


def _print(text: str) -> None:
    """Print a text in UTF-8, as it would be in a file."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    say(text.removesuffix("\n"))
