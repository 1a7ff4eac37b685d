"""The summary of a fleet, in Markdown: how its servers ended, what they break most, and what could not be examined.

It holds a row for each server, and not the report.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from aptix_conformance.core.errors import UNEXAMINED
from aptix_conformance.core.model.report import Report, ToolReport
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports.servers import is_inherited_alone, own_breaches, status_phrase

NOT_INSTALLED: Final = "not installed: "
"""The beginning of the error of a server that could not be installed."""
_NOT_EXAMINED: Final = frozenset({"not installed", "not started", "not examined"})
_STATUSES: Final = ("nonconforming", "nonconforming by its SDK alone")
"""The statuses that one entry is enough for, in this order."""
_MOST_RULES: Final = 20
_PLACE: Final = re.compile(r"https?://[^\s'\"`]+|(?<![\w:/.@-])/[^\s:'\"`/]+/[^\s:'\"`]*")
"""An address, such as that of an index, or a path of the machine."""


@dataclass(frozen=True, slots=True)
class FleetRow:
    """One server: what the summary says of it."""

    name: str
    status: str
    tools: int
    broken: tuple[str, ...]
    """The MUST rules that it or one of its tools breaks, without those of its SDK."""
    inherited: tuple[str, ...]
    """Those that its SDK breaks for every server on it."""
    entries: Counter[str]
    """How many of its entries break each rule of `broken`."""
    seconds: float
    error: str
    """Why it, or one of its tools, could not be examined, without addresses and paths of the machine; empty where all were."""

    @classmethod
    def of(cls, name: str, report: Report) -> "FleetRow":
        """The row of a server's report."""
        entries = Counter(verdict.rule for tool in report.tools for verdict, _ in own_breaches(tool))
        inherited = {
            verdict.rule
            for tool in report.tools
            for verdict in tool.verdicts
            if verdict.blocks and verdict.rule in tool.inherited
        }
        return cls(
            name,
            _status(report.tools),
            sum(tool.kind == "tool" for tool in report.tools),
            tuple(sorted(entries)),
            tuple(sorted(inherited)),
            entries,
            report.run.seconds if report.run else 0.0,
            _PLACE.sub("…", next(filter(None, map(_error, report.tools)), "") or report.suite.stopped),
        )

    @property
    def is_examined(self) -> bool:
        """Whether it was installed and started."""
        return self.status not in _NOT_EXAMINED

    @property
    def line(self) -> str:
        """The row in a line of progress."""
        why = printable(self.error, 300) if not self.is_examined else " ".join(self.broken)
        return f"{self.seconds:>4.0f} s  {self.status:<13} {printable(self.name, 120)}{f': {why}' if why else ''}"


def _status(entries: Sequence[ToolReport]) -> str:
    """The status of a server with its tools: the worst of theirs."""
    if all(entry.error for entry in entries):
        first = next((entry.error or "" for entry in entries), "")
        begins = {NOT_INSTALLED: "not installed", UNEXAMINED: "not examined"}
        return next((status for begin, status in begins.items() if first.startswith(begin)), "not started")
    found = {"nonconforming" if own_breaches(entry) else _phrase(entry) for entry in entries}
    order = (*_STATUSES, *sorted(each for each in found if each.startswith("incomplete")), *sorted(found))
    return next(each for each in order if each in found)


def _phrase(entry: ToolReport) -> str:
    return "nonconforming by its SDK alone" if is_inherited_alone(entry) else status_phrase(entry)


def _error(entry: ToolReport) -> str:
    return entry.error or next((error.said for error in entry.harness_errors), "")


def fleet_lines(rows: Sequence[FleetRow]) -> Iterator[str]:
    """The summary of a fleet, by lines."""
    counts = Counter(row.status for row in rows)
    yield from _table(
        ("status", "servers", "tools"),
        [
            (status, count, sum(row.tools for row in rows if row.status == status))
            for status, count in counts.most_common()
        ],
    )
    broken = Counter(rule for row in rows for rule in row.broken)
    inherited = Counter(rule for row in rows for rule in row.inherited)
    ranked = sorted(
        broken.keys() | inherited.keys(), key=lambda rule: (-broken[rule], -inherited[rule], rule)
    )
    yield from _table(
        ("MUST rule", "broken by servers", "in tools and servers", "by their SDK"),
        [
            (rule, broken[rule], sum(row.entries[rule] for row in rows), inherited[rule])
            for rule in ranked[:_MOST_RULES]
        ],
    )
    yield from _table(
        ("server", "status", "tools", "broken MUST rules", "its SDK's", "seconds"),
        [
            (
                _code(row.name, 120),
                row.status,
                row.tools,
                " ".join(row.broken),
                " ".join(row.inherited),
                f"{row.seconds:.0f}",
            )
            for row in rows
            if row.is_examined
        ],
    )
    yield from _table(
        ("not examined, or not to the end", "why"),
        [(_code(row.name, 120), _code(row.error, 300)) for row in rows if row.error],
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    if rows:
        yield f"| {' | '.join(heads)} |"
        yield "|---" * len(heads) + "|"
        for row in rows:
            yield f"| {' | '.join(map(str, row))} |"
        yield ""


def _code(text: str, most: int) -> str:
    """A stranger's text for a cell: one line without markup."""
    return f"`{printable(text, most).replace('`', chr(39)).replace('|', '¦')}`"
