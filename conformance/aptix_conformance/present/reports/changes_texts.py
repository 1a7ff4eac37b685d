"""The changes between two reports, for a terminal and as Markdown. Texts of tools are escaped here."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from aptix_conformance.core.model.report import Report
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports.markup import Table, cell, code_span
from aptix_conformance.present.reports.report_changes import Change, ChangeKind, rules_between
from aptix_conformance.present.reports.unfinished_run import not_whole

LARGEST: Final = 1024 * 1024
"""Bytes of the Markdown: what GitHub takes as a job's summary."""
_LABEL: Final = 14
HEADINGS: Final = {
    ChangeKind.BROKEN: "Newly broken rules",
    ChangeKind.CAUSE: "New causes of rules that were broken before",
    ChangeKind.UNSEEN: "Not examined any more",
    ChangeKind.GONE: "Tools that are gone",
    ChangeKind.STATUS: "Tools whose status changed",
    ChangeKind.NEW: "New tools",
    ChangeKind.ADDED: "Found by rules that the suite added",
    ChangeKind.TURNED: "Other verdicts that turned",
    ChangeKind.FIXED: "Fixed",
}


def changes_text(old: Report, new: Report, changes: Sequence[Change]) -> str:
    """A line for each condition that differs and for each change, then how many there are of each kind."""
    lines = list(conditions_of(old, new))
    for change in changes:
        level = f" ({change.level})" if change.level else ""
        rule = f" {printable(change.rule, 120)}{level}:" if change.rule else ""
        tool = printable(change.tool, 60)
        lines.append(f"{change.kind:<{_LABEL}}{tool}:{rule} {printable(change.text, 400)}")
    return "\n".join([*lines, counts_of(changes)]) + "\n"


def changes_markdown(old: Report, new: Report, changes: Sequence[Change], size: int = LARGEST) -> str:
    """The same as Markdown in at most `size` bytes, a table for each kind."""
    lines = [
        "## Aptix conformance: what changed",
        "",
        counts_of(changes),
        *(f"\n{cell(line)}" for line in conditions_of(old, new)),
    ]
    text = "".join(f"{line}\n" for line in lines)
    for kind, heading in HEADINGS.items():
        rows = [_row(change) for change in changes if change.kind is kind]
        table = Table(heading, "| tool | edition | rule | level | what |", rows)
        text += table.within(size - len(text.encode()))
    return text


def _row(change: Change) -> str:
    rule = code_span(change.rule) if change.rule else ""
    edition = code_span(change.edition) if change.edition else ""
    return f"| {code_span(change.tool)} | {edition} | {rule} | {change.level or ''} | {cell(change.text)} |"


def conditions_of(old: Report, new: Report) -> Iterator[str]:
    """How the two runs differ themselves, which may be why a verdict turned."""
    for name in ("version", "examples", "seed", "budget", "timeout", "memory"):
        before, after = getattr(old.suite, name), getattr(new.suite, name)
        if before != after:
            label = "suite" if name == "version" else name
            yield f"{label:<{_LABEL}}{printable(str(after), 60)}, {printable(str(before), 60)} before"
    for name, codes in zip(("rules added", "rules removed"), rules_between(old, new), strict=True):
        if codes:
            yield f"{name:<{_LABEL}}{printable(', '.join(codes), 1000)}"
    for which, report in (("old", old), ("new", new)):
        if ended_early := not_whole(report):
            yield f"{'note':<{_LABEL}}the {which} report: {ended_early}"


def counts_of(changes: Sequence[Change]) -> str:
    """How many changes there are of each kind."""
    counts = Counter(change.kind for change in changes)
    listed = ", ".join(f"{counts[kind]:,} {kind}" for kind in ChangeKind if counts[kind])
    return listed or "nothing changed"
