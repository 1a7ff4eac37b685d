"""A report as JSON lines: for runs of so many tools that nothing may hold all of them at once.

Each line is the report of a tool. The last line is the index: the report without its tools, and the place of each line. So
a reader takes one tool, or a page of tools, without the others, and a file that was cut is known by its end.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Literal, Self

from aptix_conformance.core.errors import RecordError, ReportError
from aptix_conformance.core.files import open_regular
from aptix_conformance.core.model.codec import Record, from_json, read_json, replace, to_text
from aptix_conformance.core.model.report import Count, Report, ToolReport
from aptix_conformance.core.model.verdict import Status
from aptix_conformance.present.reports.totals import totals

SUFFIX: Final = ".jsonl"
"""The end of the name of such a file."""
PAGE: Final = 1_000
"""Tools of a page: what a browser opens at once, and what is held in memory."""
_LARGEST: Final = 256 * 2**20
"""Bytes of a line that are read."""
_CHUNK: Final = 2**20


class Entry(Record, frozen=True):
    """The line of one tool."""

    start: Count
    """The byte at which it starts."""
    length: Count
    """Its bytes, without the line feed."""
    tool: str
    target: str
    edition: str
    status: Status


class Index(Record, frozen=True):
    """The last line."""

    format: Literal["aptix-conformance-lines/1"]
    report: Report
    """The report without its tools; its totals count them."""
    tools: tuple[Entry, ...]
    """In the order of the lines."""


def render(report: Report) -> str:
    """The text of the file, in ASCII."""
    return "".join(parts(report))


def parts(report: Report) -> Iterator[str]:
    """The lines of the file, each with its end."""
    entries, start = [], 0
    for tool in report.tools:
        line = to_text(tool)
        entries.append(_entry(tool, start, len(line)))
        yield f"{line}\n"
        start += len(line) + 1
    index = Index("aptix-conformance-lines/1", replace(report, tools=()), tuple(entries))
    yield f"{to_text(index)}\n"


def _entry(tool: ToolReport, start: int, length: int) -> Entry:
    return Entry(start, length, tool.tool, tool.target, tool.edition, tool.status)


@dataclass(frozen=True, slots=True)
class Lines:
    """A file of JSON lines whose index was read; make one with `read`."""

    path: Path
    report: Report
    """Without its tools."""
    entries: tuple[Entry, ...]

    @classmethod
    def read(cls, path: Path) -> Self:
        """The index of a file.

        Raises:
            ReportError: the file is missing, was cut, is no such file, or has an index that does not fit its lines.
        """
        try:
            with open_regular(path) as stream:
                start, text = _last_line(stream)
            index = from_json(Index, read_json(text), "$")
        except OSError as error:
            raise ReportError(f"the report {path} cannot be read: {error.strerror}") from error
        except (ValueError, RecursionError, RecordError) as error:
            raise ReportError(
                f"the report {path} has no index in its last line, perhaps because it was cut: {error}"
            ) from error
        ends = [0, *(entry.start + entry.length + 1 for entry in index.tools)]
        is_long = any(entry.length > _LARGEST for entry in index.tools)
        if is_long or index.report.tools or ends != [*(entry.start for entry in index.tools), start]:
            raise ReportError(f"the index of the report {path} does not fit its lines")
        if Counter(entry.status for entry in index.tools) != Counter(index.report.totals.tools):
            raise ReportError(
                f"the report {path} is malformed at $.report.totals: they do not match its tools"
            )
        return cls(path, index.report, index.tools)

    def pages(self) -> Iterator[Report]:
        """The reports of `PAGE` tools each, in order; at least one. Each is read when it is asked for.

        Raises:
            ReportError: a line is malformed, or is not what the index says; names the line.
        """
        for first in range(0, max(len(self.entries), 1), PAGE):
            yield self._part(range(first, min(first + PAGE, len(self.entries))))

    def whole(self) -> Report:
        """The report with all of its tools.

        Raises:
            ReportError: as `pages`; or the totals do not match the tools.
        """
        report = self._part(range(len(self.entries)))
        if report.totals != self.report.totals:
            raise ReportError(
                f"the report {self.path} is malformed at $.report.totals: they do not match its tools"
            )
        return report

    def _part(self, places: Sequence[int]) -> Report:
        try:
            with open_regular(self.path) as stream:
                tools = tuple(self._tool(stream, place) for place in places)
        except OSError as error:
            raise ReportError(f"the report {self.path} cannot be read: {error.strerror}") from error
        return replace(self.report, tools=tools, totals=totals(tools))

    def _tool(self, stream: BinaryIO, place: int) -> ToolReport:
        entry = self.entries[place]
        stream.seek(entry.start)
        try:
            tool = from_json(ToolReport, read_json(stream.read(entry.length)), "$")
        except (ValueError, RecursionError, RecordError) as error:
            raise ReportError(f"the report {self.path} is malformed in line {place + 1}: {error}") from error
        if _entry(tool, entry.start, entry.length) != entry:
            raise ReportError(
                f"the report {self.path} has another tool in line {place + 1} than its index says"
            )
        return tool


def _last_line(stream: BinaryIO) -> tuple[int, bytes]:
    """Where the last line starts, and its text.

    Raises:
        ValueError: it has no line feed at its end, or is too long.
    """
    end = stream.seek(0, os.SEEK_END)
    start, text = end, b""
    while start and b"\n" not in text[:-1]:
        if end - start >= _LARGEST:
            raise ValueError(f"the last line has more than {_LARGEST:,} bytes")
        begin = max(0, start - max(_CHUNK, end - start))  # twice as much each time: what was read is copied
        stream.seek(begin)
        text = stream.read(start - begin) + text
        start = begin
    if not text.endswith(b"\n"):
        raise ValueError("the last line does not end")
    line = text[:-1].rpartition(b"\n")[2]
    return end - len(line) - 1, line
