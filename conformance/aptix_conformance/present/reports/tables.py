"""Two tables of a run for a terminal: its tools and its broken rules, the worst first. They fit 80 columns.

A run may have hundreds of tools: the worst are shown and the rest is counted. Nothing that was not examined is left out of
the counts.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from aptix_conformance.core.model.report import ToolReport, VerdictReport
from aptix_conformance.core.model.verdict import Level, Obstacle, VerdictKind
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports.servers import status_phrase
from aptix_conformance.present.reports.totals import WORST_FIRST, statuses

MOST_TOOLS: Final = 20
"""Tools that the table of a run shows."""
MOST_RULES: Final = 15
"""Rules that the table of a run shows."""
COLUMNS: Final = 80
"""Columns that a table takes where the terminal's are not known."""

_HEADS: Final = ("examined", "failed", "advice", "waived", "calls", "s")
_OPTIONAL: Final = frozenset({"advice", "waived"})
_LONGEST_NAME: Final = 60
_LEVELS: Final = (Level.MUST, Level.SHOULD, Level.MAY)


@dataclass(frozen=True, slots=True)
class _Row:
    """The broken, waived and unexamined verdicts of one rule."""

    rule: str
    name: str
    level: Level
    failed: int
    waived: int
    unseen: int

    @property
    def order(self) -> tuple[object, ...]:
        """What sorts the worst first."""
        return (_LEVELS.index(self.level), -self.failed, -self.waived, -self.unseen, self.rule)


def worst_first(tools: Iterable[ToolReport]) -> list[ToolReport]:
    """Tools by status, then by the rules that they broke, then by name."""

    def order(tool: ToolReport) -> tuple[object, ...]:
        return (WORST_FIRST.index(tool.status), -_failed(tool), tool.tool, tool.target)

    return sorted(tools, key=order)


def tool_table(tools: Collection[ToolReport], width: int | None = None, *, whole: bool = False) -> list[str]:
    """A line for each tool, the worst first; the rest is counted by status unless the whole table is wanted."""
    ordered = worst_first(tools)
    shown = ordered if whole else ordered[:MOST_TOOLS]
    counts = _aligned([_HEADS, *map(_counts, shown)])
    status = max([13, *(len(status_phrase(tool)) for tool in shown)])
    room = (width or COLUMNS) - status - 1 - len(counts[0])
    longest = max([4, *(len(_name(tool)) for tool in shown)])
    name = longest if width is None else max(min(longest, room), 8)
    lines = [f"{'status':<{status}} {'tool':<{name}}{counts[0]}"]
    for tool, counted in zip(shown, counts[1:], strict=True):
        lines.append(f"{status_phrase(tool):<{status}} {_cut(_name(tool), name):<{name}}{counted}")
    rest = ordered[len(shown) :]
    if rest:
        by_status = statuses(rest)
        remaining = ", ".join(f"{by_status[known]} {known}" for known in WORST_FIRST if by_status[known])
        lines.append(f"… and {len(rest)} tools more: {remaining}")
    return lines


def rule_table(tools: Iterable[ToolReport], width: int | None = None, *, whole: bool = False) -> list[str]:
    """A line for each rule that a tool broke or has waived; each MUST that was not examined is counted, or has a line too.

    What a library below breaks has no line here: the summary names it beside the library.
    Empty where every MUST was examined and nothing broken.
    """
    telling = _rows(tools)
    broken = [row for row in telling if row.failed or row.waived]
    rows = telling if whole else broken
    shown = rows if whole else rows[:MOST_RULES]
    unseen = 0 if whole else sum(row.unseen > 0 and row.level is Level.MUST for row in telling)
    note = (
        [f"{unseen} MUST {'rule was' if unseen == 1 else 'rules were'} not examined for some tool"]
        if unseen
        else []
    )
    if not shown:
        return note
    code = max(len(row.rule) for row in shown)
    room = (width or COLUMNS) - code - 1 - len(" SHOULD failed waived unseen")
    longest = max(len(row.name) for row in shown)
    name = longest if width is None else max(min(longest, room), 8)
    lines = [f"{'rule':<{code}} {'name':<{name}} level  failed waived unseen"]
    for row in shown:
        counts = f"{row.failed:>6} {row.waived:>6} {row.unseen:>6}"
        lines.append(f"{row.rule:<{code}} {_cut(row.name, name):<{name}} {row.level:<6} {counts}")
    if len(rows) > len(shown):
        lines.append(f"… and {len(rows) - len(shown)} rules more")
    return [*lines, *note]


def _rows(tools: Iterable[ToolReport]) -> list[_Row]:
    counts: dict[tuple[str, str, Level], Counter[VerdictKind]] = {}
    for tool in tools:
        for verdict in tool.verdicts:
            is_inherited = verdict.verdict is VerdictKind.FAIL and verdict.rule in tool.inherited
            if is_inherited or verdict.obstacle is Obstacle.DESELECTED:
                continue
            key = (verdict.rule, verdict.name, verdict.level)
            counts.setdefault(key, Counter())[verdict.verdict] += 1
    rows = [
        _Row(*key, tally[VerdictKind.FAIL], tally[VerdictKind.WAIVED], tally[VerdictKind.INCONCLUSIVE])
        for key, tally in counts.items()
    ]
    telling = [row for row in rows if row.failed or row.waived or (row.unseen and row.level is Level.MUST)]
    return sorted(telling, key=lambda row: row.order)


def _counts(tool: ToolReport) -> tuple[str, ...]:
    """The counts of a tool under `_HEADS`."""
    calls, seconds = f"{tool.calls:,}", "cached" if tool.is_cached else f"{tool.seconds:.1f}"
    if tool.error:
        return ("-", "-", "-", "-", calls, seconds)
    tally = Counter(verdict.verdict for verdict in tool.verdicts)
    apply = tally.total() - tally[VerdictKind.NOT_APPLICABLE]
    examined = f"{apply - tally[VerdictKind.INCONCLUSIVE]}/{apply}"
    return (
        # Never how many rules were examined: what they are there for did not happen.
        "never ran" if tool.unreached else examined,
        str(_failed(tool)),
        str(sum(verdict.is_advice and verdict.rule not in tool.inherited for verdict in tool.verdicts)),
        str(tally[VerdictKind.WAIVED]),
        calls,
        seconds,
    )


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """The rows as text, each column as wide as it needs; optional ones that count nothing are left out."""
    columns = [
        column
        for column in zip(*rows, strict=True)
        if column[0] not in _OPTIONAL or {*column[1:]} - {"0", "-"}
    ]
    widths = [max(map(len, column)) for column in columns]
    return [
        "".join(f" {text:>{width}}" for text, width in zip(row, widths, strict=True))
        for row in zip(*columns, strict=True)
    ]


def _failed(tool: ToolReport) -> int:
    return sum(verdict.blocks and verdict.rule not in tool.inherited for verdict in tool.verdicts)


def _name(tool: ToolReport) -> str:
    return printable(tool.tool, _LONGEST_NAME)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def names_of(verdicts: Sequence[VerdictReport], most: int) -> str:
    """Rules by code and name, at most some; of more it says how many."""
    named = ", ".join(f"{verdict.rule} {verdict.name}" for verdict in verdicts[:most])
    return f"{named} and {len(verdicts) - most} more" if len(verdicts) > most else named
