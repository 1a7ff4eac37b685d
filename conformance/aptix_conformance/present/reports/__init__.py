"""Reports: verdicts as people and machines read them. One typed model, and one renderer for each format."""

from aptix_conformance.present.reports.failures import (
    failure_text,
    harness_text,
    status_text,
    unneeded_waiver_text,
    unreached_lines,
)
from aptix_conformance.present.reports.journal import NOT_ENDED, Journal
from aptix_conformance.present.reports.layout import WIDTH, wrapped
from aptix_conformance.present.reports.renderers import JSON, find_renderer
from aptix_conformance.present.reports.replay_commands import Shell, quoted
from aptix_conformance.present.reports.report_files import (
    find_tool,
    journal_of,
    prove_writable,
    read_report,
    write_report,
)
from aptix_conformance.present.reports.terminal import finding_lines, summary_lines, waiver_line
from aptix_conformance.present.reports.tool_reports import (
    failed_report,
    failed_target_report,
    harness_errors_in,
    harness_errors_of,
    server_of,
    tool_report,
    unexplored_report,
)
from aptix_conformance.present.reports.totals import make_report
from aptix_conformance.present.reports.unfinished_run import not_ended, not_whole, shard_text

__all__ = [
    "JSON",
    "NOT_ENDED",
    "WIDTH",
    "Journal",
    "Shell",
    "failed_report",
    "failed_target_report",
    "failure_text",
    "find_renderer",
    "find_tool",
    "finding_lines",
    "harness_errors_in",
    "harness_errors_of",
    "harness_text",
    "journal_of",
    "make_report",
    "not_ended",
    "not_whole",
    "prove_writable",
    "quoted",
    "read_report",
    "server_of",
    "shard_text",
    "status_text",
    "summary_lines",
    "tool_report",
    "unexplored_report",
    "unneeded_waiver_text",
    "unreached_lines",
    "waiver_line",
    "wrapped",
    "write_report",
]
