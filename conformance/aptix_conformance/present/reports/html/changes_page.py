"""The changes between two reports as one HTML file: tables and links, and no script at all.

Texts of tools are escaped as in the summary: invisible characters for the reader, markup for the browser. The page's policy
refuses every script, and loads nothing.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from aptix_conformance.core.model.report import Report
from aptix_conformance.present.reports.changes_texts import HEADINGS, conditions_of, counts_of
from aptix_conformance.present.reports.html.page import tables_page
from aptix_conformance.present.reports.html.summary import escape_text
from aptix_conformance.present.reports.report_changes import Change, ChangeKind

MOST: Final = 1_000
"""Rows of a table; of more it says how many there are."""
_COLUMNS: Final = ("Tool", "Edition", "Rule", "Level", "What")
_LONGEST: Final = 400
"""Characters of a text in a cell."""


def changes_html(old: Report, new: Report, changes: Sequence[Change]) -> str:
    """The HTML file, in ASCII: how the runs differ, then a table for each kind of change."""
    return tables_page("Conformance: what changed", _parts(old, new, changes), new.suite.version)


def _parts(old: Report, new: Report, all_changes: Sequence[Change]) -> Iterator[str]:
    yield f"<p>{counts_of(all_changes)}</p>\n"
    listed = [f"<li>{escape_text(' '.join(line.split()), 1_200)}</li>\n" for line in conditions_of(old, new)]
    if listed:
        yield f"<h2>How the runs differ</h2>\n<ul>\n{''.join(listed)}</ul>\n"
    of_kind = {kind: [change for change in all_changes if change.kind is kind] for kind in HEADINGS}
    links = [
        f'<li><a href="#{_id(kind)}">{HEADINGS[kind]}</a> ({len(changes):,})</li>\n'
        for kind, changes in of_kind.items()
        if changes
    ]
    if links:
        yield f'<nav aria-label="Kinds of change">\n<ul>\n{"".join(links)}</ul>\n</nav>\n'
    for kind, changes in of_kind.items():
        if changes:
            yield from _table(kind, changes)


def _table(kind: ChangeKind, changes: Sequence[Change]) -> Iterator[str]:
    yield f'<h2 id="{_id(kind)}">{HEADINGS[kind]}</h2>\n<table aria-labelledby="{_id(kind)}">\n<thead><tr>'
    yield "".join(f'<th scope="col">{column}</th>' for column in _COLUMNS)
    yield "</tr></thead>\n<tbody>\n"
    yield from map(_row, changes[:MOST])
    yield "</tbody>\n</table>\n"
    if len(changes) > MOST:
        yield f"<p>{len(changes) - MOST:,} more are not listed here; the reports have them all.</p>\n"


def _row(change: Change) -> str:
    text = escape_text(change.text, _LONGEST)
    worse = f'<strong class="worse">worse</strong>: {text}' if change.is_worse else text
    cells = (escape_text(change.edition), escape_text(change.rule), change.level or "", worse)
    return f'<tr><th scope="row">{escape_text(change.tool)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>\n'


def _id(kind: ChangeKind) -> str:
    return kind.replace(" ", "-")
