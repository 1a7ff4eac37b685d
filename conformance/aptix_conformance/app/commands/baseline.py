"""`aptix-conformance baseline`: known findings, which do not fail a run."""

import argparse
import datetime
from pathlib import Path
from typing import Any, Final

from aptix_conformance.app.commands.command import OK, add_command, add_group, complain, say
from aptix_conformance.core.errors import BaselineError
from aptix_conformance.core.files import is_taken
from aptix_conformance.core.model.report import Report
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports import not_ended, read_report
from aptix_conformance.present.reports.baseline import (
    EMPTY,
    pruned,
    read_baseline,
    unnamed,
    with_findings,
    write_baseline,
)

_WRITE: Final = """\
Add an entry for each finding of a report to a baseline, which is made where there is none. Entries that are there keep
their reasons and dates; one that has expired is replaced where its finding is in the report.

  aptix-conformance baseline write report.json -o aptix-baseline.json
  aptix-conformance baseline write report.json -o aptix-baseline.json --reason "issue 12" --expires 2027-03-31

Exit status: 0; 2 on bad usage, or when a file cannot be read or written.
"""
_PRUNE: Final = """\
Remove the entries of a baseline whose findings a report shows to be gone, and those that have expired.

  aptix-conformance baseline prune report.json aptix-baseline.json

Exit status: 0; 2 on bad usage, or when a file cannot be read or written.
"""


def add(subparsers: Any) -> None:
    """Declare the command and its subcommands."""
    own = add_group(subparsers, "baseline", "Known findings, which do not fail a run.")
    write = add_command(own, "write", run_write, description=_WRITE, short="add the findings of a report")
    write.add_argument("report", metavar="REPORT", help="the path of a report")
    write.add_argument("-o", "--output", metavar="FILE", required=True, help="the baseline")
    write.add_argument("--reason", metavar="TEXT", help="why the findings are accepted (default: since when)")
    write.add_argument(
        "--expires", metavar="DATE", type=_day, help="the last day on which the new entries count"
    )
    prune = add_command(own, "prune", run_prune, description=_PRUNE, short="remove stale entries")
    prune.add_argument("report", metavar="REPORT", help="the path of a report")
    prune.add_argument("baseline", metavar="FILE", help="the baseline")
    prune.add_argument(
        "--gone", action="store_true", help="remove the entries of tools that the report does not have, too"
    )


def run(options: argparse.Namespace) -> int:
    """Run the subcommand, which the parser has chosen."""
    status: int = options.run(options)
    return status


def run_write(options: argparse.Namespace) -> int:
    """Add the findings of a report to a baseline."""
    report, path, today = _report(options.report), Path(options.output), _today()
    before = read_baseline(path) if is_taken(path) else EMPTY
    reason = options.reason if options.reason is not None else f"known since {today.isoformat()}"
    after = with_findings(before, report, reason=reason, expires=options.expires, today=today)
    write_baseline(path, after)
    added = len(set(after.entries) - set(before.entries))
    say(f"{path}: {added:,} added, {len(after.entries) - added:,} kept")
    for tool, verdict in unnamed(report):
        name = printable(tool.tool, 80)
        complain(
            f"note: {verdict.rule} of {name} has more causes than the report names, so it stays a new finding"
        )
    return OK


def run_prune(options: argparse.Namespace) -> int:
    """Remove the stale entries of a baseline."""
    report, path = _report(options.report), Path(options.baseline)
    before = read_baseline(path)
    if options.gone and report.suite.shard is not None:
        raise BaselineError(
            f"{options.report} is about one shard, so other tools only seem to be gone: join all shards with report merge"
        )
    if report.suite.examples < before.examples:
        raise BaselineError(
            f"{options.report} draws {report.suite.examples:,} calls for each probe and {path} was made with "
            f"{before.examples:,}, so a finding may only seem to be gone: examine with --aptix-examples={before.examples}"
        )
    after = pruned(before, report, gone=options.gone, today=_today())
    write_baseline(path, after)
    say(f"{path}: {len(before.entries) - len(after.entries):,} removed, {len(after.entries):,} kept")
    return OK


def _report(path: str) -> Report:
    report = read_report(Path(path))
    if ended_early := not_ended(report):
        raise BaselineError(f"{path}: {ended_early} Examine again, until the end of the run")
    return report


def _day(text: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day: write 2027-03-31") from None


def _today() -> datetime.date:
    return datetime.date.today()  # noqa: DTZ011 - a day of the calendar that its reader has
