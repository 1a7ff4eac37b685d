"""Baselines: findings that are known, and do not fail a run.

A finding is recognised by its tool's target, the edition, the rule and the key of its cause, never by a line or by the
call that shows it. A target is recognised by its spec, since a stranger's tool can have any name.

An entry is stale where the run examined what it is about and did not find it: then it has to be removed, so that the
fault cannot come back unseen. Nothing is stale that was not examined.
"""

from aptix_conformance.present.reports.baseline.apply import (
    KnownFindings,
    baseline_report,
    has_known_breaches_only,
    open_verdicts,
    without_baseline,
)
from aptix_conformance.present.reports.baseline.baseline_files import read_baseline, write_baseline
from aptix_conformance.present.reports.baseline.baseline_texts import (
    baseline_lines,
    counts_text,
    known_status_text,
    known_text,
    new_text,
    stale_text,
)
from aptix_conformance.present.reports.baseline.edit import EMPTY, pruned, unnamed, with_findings

__all__ = [
    "EMPTY",
    "KnownFindings",
    "baseline_lines",
    "baseline_report",
    "counts_text",
    "has_known_breaches_only",
    "known_status_text",
    "known_text",
    "new_text",
    "open_verdicts",
    "pruned",
    "read_baseline",
    "stale_text",
    "unnamed",
    "with_findings",
    "without_baseline",
    "write_baseline",
]
