"""Results of an earlier examination: which may be kept and taken, what a report says of them, and in what they differ."""

import datetime
from collections.abc import Iterator, Sequence
from typing import Final

from aptix_conformance.core.model.report import CacheReport, CacheState, ToolReport, VerdictReport

DAYS: Final = 30
"""Days after which a result is not used any more."""
_MOST_DIFFERENCES: Final = 10


def is_recent(examined: datetime.datetime, now: datetime.datetime) -> bool:
    """Whether an examination counts still; one of a clock that is far ahead does not."""
    return datetime.timedelta(days=-1) < now - examined <= datetime.timedelta(days=DAYS)


def unfinished(report: ToolReport) -> str:
    """Why an examination is not complete or not reproduced; empty where it is."""
    if report.error or report.harness_errors:
        return "it could not be examined to the end"
    if any(each.cut and not each.expected for each in report.shortfalls):
        return "not all planned calls were made"
    if any(not each.reproduced for verdict in report.verdicts for each in verdict.findings):
        return "a finding was not reproduced"
    return ""


def cache_report(state: CacheState, examined: datetime.datetime, reasons: Sequence[str] = ()) -> CacheReport:
    """The part of an earlier examination in a report."""
    return CacheReport(state, examined.astimezone(datetime.UTC).isoformat(timespec="seconds"), tuple(reasons))


def differences(old: ToolReport, new: ToolReport) -> list[str]:
    """Where two examinations of a tool came to other results: a clause for each, at most ten and a count."""
    found = [*_differences(old, new)]
    more = len(found) - _MOST_DIFFERENCES
    return found[:_MOST_DIFFERENCES] + ([f"and {more} more"] if more > 0 else [])


def _differences(old: ToolReport, new: ToolReport) -> Iterator[str]:
    for name, before, after in (
        ("status", old.status, new.status),
        ("fingerprint of the schema", old.schema_fingerprint, new.schema_fingerprint),
    ):
        if before != after:
            yield f"the {name} was {before}, and is {after}"
    earlier, later = ({each.rule: each for each in report.verdicts} for report in (old, new))
    for rule in sorted(earlier.keys() | later.keys()):
        before, after = (_result(each.get(rule)) for each in (earlier, later))
        if before != after:
            yield f"{rule} was {before}, and is {after}"


def _result(verdict: VerdictReport | None) -> str:
    """The verdict of a rule, with the causes of its findings."""
    if verdict is None:
        return "not judged"
    causes = ", ".join(sorted(each.cause for each in verdict.named_causes if each.cause))
    return f"{verdict.verdict.value}{f' ({causes})' if causes else ''}"
