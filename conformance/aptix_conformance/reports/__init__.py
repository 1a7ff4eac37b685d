"""Reports: verdicts as people and machines read them. JSON is the record; the texts are views of it."""

from aptix_conformance.reports.document import Report, find_entry, prove_writable, read_report, write_report
from aptix_conformance.reports.entries import failed_target_entry, tool_entry, unexplored_entry
from aptix_conformance.reports.prose import failure_text, status_text, summary_lines

__all__ = [
    "Report",
    "failed_target_entry",
    "failure_text",
    "find_entry",
    "prove_writable",
    "read_report",
    "status_text",
    "summary_lines",
    "tool_entry",
    "unexplored_entry",
    "write_report",
]
