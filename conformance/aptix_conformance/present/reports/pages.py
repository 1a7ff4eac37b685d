"""A report in JSON lines as HTML or SARIF: a file for each page of tools, so that memory holds one page at a time."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Final, get_args
from urllib.parse import quote

from aptix_conformance.core.model.report import Report
from aptix_conformance.core.model.verdict import Status
from aptix_conformance.present.reports import html, sarif
from aptix_conformance.present.reports.html.page import tables_page
from aptix_conformance.present.reports.html.summary import escape_text
from aptix_conformance.present.reports.lines import Lines
from aptix_conformance.present.reports.report_files import write_text
from aptix_conformance.present.reports.unfinished_run import not_whole

HTML: Final = "html"
PAGED: Final[Mapping[str, Callable[[Report, str], str]]] = MappingProxyType(
    {HTML: lambda report, _: html.render(report), "sarif": sarif.render}
)
"""The formats that are made by pages: the text of a page, which has a name."""
_MARKS: Final[Mapping[str, bytes]] = MappingProxyType(
    {HTML: b"<title>Conformance report</title>", "sarif": b'"name": "aptix-conformance"'}
)
"""What every page of a format has near its beginning."""
_HEAD: Final = 2**16
"""Bytes of a file in which it is looked for."""


def write_pages(lines: Lines, form: str, output: Path) -> list[Path]:
    """Write the pages of a report beside `output`, as `report-1.html`; of HTML, `output` links to all of them.

    Further pages of an earlier report, which had more, are removed: what uploads all of them would mix two reports.

    Returns:
        The files, in order.

    Raises:
        ReportError: a line of the report is malformed, or a place cannot be written.
        ContractDataError: as `html.render`.
    """
    written: list[Path] = []
    rows = []
    for page in lines.pages():  # `enumerate` would keep each page until it has the next one
        number = len(written) + 1
        path = _page_path(output, number)
        write_text(path, PAGED[form](page, f"page-{number}"))
        written.append(path)
        rows.append(_row(path.name, page))
        del page  # before the next one is read
    _remove_further(output, form, len(written))
    if form == HTML:
        parts = _parts(lines.report, rows)
        write_text(output, tables_page("Conformance report", parts, lines.report.suite.version))
        written.insert(0, output)
    return written


def _page_path(output: Path, number: int) -> Path:
    return output.with_name(f"{output.stem}-{number}{output.suffix}")


def _remove_further(output: Path, form: str, last: int) -> None:
    """Remove the pages after the last one, up to the first file that the suite has not written."""
    number = last + 1
    with contextlib.suppress(OSError):
        while _MARKS[form] in _head_of(_page_path(output, number)):
            _page_path(output, number).unlink()
            number += 1


def _head_of(path: Path) -> bytes:
    if not path.is_file():
        return b""
    with path.open("rb") as stream:
        return stream.read(_HEAD)


def _row(name: str, page: Report) -> str:
    counts = "".join(f"<td>{page.totals.tools[status]:,}</td>" for status in get_args(Status))
    named = f"{escape_text(page.tools[0].tool)} to {escape_text(page.tools[-1].tool)}"
    return f'<tr><th><a href="./{escape(quote(name))}">{named}</a></th>{counts}</tr>\n'


def _parts(report: Report, rows: Sequence[str]) -> Iterator[str]:
    if ended_early := not_whole(report):
        yield f"<p><strong>{escape_text(ended_early, 1000)}</strong></p>\n"
    for unneeded in report.unneeded_waivers:
        yield f"<p>{escape_text(unneeded, 600)}</p>\n"
    titles = ("Tools", *get_args(Status))
    yield f"<table><thead><tr>{''.join(f'<th>{title}</th>' for title in titles)}</tr></thead><tbody>\n"
    yield from rows
    counts = "".join(f"<td>{report.totals.tools[status]:,}</td>" for status in get_args(Status))
    yield f"<tr><th>All</th>{counts}</tr>\n</tbody></table>\n"
