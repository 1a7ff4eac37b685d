"""What `aptix-conformance check` shows: progress on the standard error; findings, tables and the last lines on the standard output."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from aptix_conformance.app.commands.command import say
from aptix_conformance.app.run.progress import (
    LIVE,
    Display,
    LineBelow,
    Pace,
    PlainLines,
    RunProgress,
    Tick,
    ToolProgress,
)
from aptix_conformance.core.model.report import Report, ToolReport, VerdictReport
from aptix_conformance.core.text import printable, printable_line, printable_lines
from aptix_conformance.examine import ToolUnderTest, Watch
from aptix_conformance.present.reports import (
    WIDTH,
    Shell,
    failure_text,
    finding_lines,
    not_whole,
    quoted,
    summary_lines,
    unreached_lines,
    waiver_line,
    wrapped,
)
from aptix_conformance.present.reports.baseline import baseline_lines
from aptix_conformance.present.reports.cached import differs
from aptix_conformance.present.reports.servers import (
    kinds_of,
    library_of,
    own_breaches,
    status_phrase,
    unrepeated,
)

ADVICE: Final = "--advice"
_LOG: Final = Pace(30.0, 60.0, 0.0)
"""The pace of a log: the first rule that is seen broken has a line at once."""
_MOST_NAMED: Final = 3


@dataclass(slots=True)
class CheckDisplay:
    """Shows one run; `command` is the command line that is shown for the next step, `shell` where findings are reproduced."""

    command: str
    shell: Shell
    progress: RunProgress
    has_finding: bool = False
    _may_announce: bool = False
    """Whether the tool that is examined may show the first finding before it is proved."""
    _is_live: bool = field(init=False)
    _display: Display = field(init=False)

    def __post_init__(self) -> None:
        is_terminal = sys.stderr.isatty() and not os.environ.get("CI") and os.environ.get("TERM") != "dumb"
        self._is_live = is_terminal
        self._display = LineBelow(_write, lambda: self.width) if is_terminal else PlainLines(_write_line)

    @property
    def width(self) -> int:
        """Columns of the lines: those of the terminal, `WIDTH` for a log."""
        return shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH

    def expect(self, tools: Iterable[ToolUnderTest]) -> None:
        """Learn which tools and servers there are."""
        named = {tool.name: tool.declaration.kind for tool in tools}
        self.progress.expect(named, (name for name, kind in named.items() if kind == "server"))

    @contextmanager
    def watching(self, tool: ToolUnderTest) -> Iterator[Watch]:
        """A watch for the examination of a tool."""
        watch = Watch()
        # What a server breaks may be its SDK's fault, which only its whole examination shows.
        self._may_announce = tool.declaration.kind == "tool"
        watch.notify = ToolProgress(tool.name, LIVE if self._is_live else _LOG, self._use)
        self.progress.begin()
        try:
            yield watch
        finally:
            self._display.clear()

    def _use(self, tick: Tick) -> None:
        self.progress.hear(tick.tool, tick)
        if tick.broken and self._may_announce and not self.has_finding:
            self._may_announce = False
            self._display.clear()
            self.line("first finding", f"{printable(tick.tool, 60)} breaks {tick.broken}; it is being proved")
        if self._is_live or not tick.is_finding:
            self._display.show(self.progress.line(tick if tick.is_finding else None))

    def line(self, label: str, text: str) -> None:
        """A line of the result, wrapped."""
        say(wrapped(f"{label:<13} {printable(text, 3000)}", self.width))
        sys.stdout.flush()

    def show_failed(self, report: ToolReport) -> None:
        """Show a target that led to no tool."""
        note(_status_line(report))

    def show_examined(self, tool: ToolUnderTest, report: ToolReport) -> None:
        """Show that a tool is examined, and the whole text of the run's first finding."""
        self.progress.finish(tool.name)
        place = self.progress.place(tool.name)
        note(f"{f'[{place}] ' if place else ''}{report.seconds:>4.0f} s  {_status_line(report)}")
        if unreached := unreached_lines(report, self.width):
            say("\n".join(["", *map(printable_line, unreached), ""]))
        rules = {rule.code: rule for rule in tool.suite.rules}
        broken = _findings(report)
        if broken and not self.has_finding:
            self.has_finding = True
            text = failure_text(report, broken[0], rules[broken[0].rule], self.width, self.shell)
            say(f"\n{printable_lines(text)}\n")
            sys.stdout.flush()

    def show_tables(self, report: Report, notes: Sequence[str], *, whole: bool, option: str = ADVICE) -> None:
        """Show all findings, the tables, and notes; `option` shows all advice."""
        width = self.width if sys.stdout.isatty() else None
        lines = [
            *filter(None, [not_whole(report)]),
            *finding_lines(report.tools, option, whole=whole),
            *summary_lines(report.tools, width, whole=whole, option=option),
            *map(waiver_line, report.unneeded_waivers),
            *(baseline_lines(report.baseline, report.tools) if report.baseline else ()),
            *(f"note          {printable(text, 3000)}" for text in notes),
        ]
        for line in lines:
            say(wrapped(line, width))
        say("")

    def show_summary(self, report: Report, notes: Sequence[str], *, whole: bool) -> None:
        """Show what `show_tables` does, and in three lines what is broken, what was not examined, and what is next."""
        self.show_tables(report, notes, whole=whole)
        last = {
            "broken": _broken(report),
            "not examined": _not_examined(report, sorted(self.progress.tools - self.progress.done.keys())),
            "next": self._next(report),
        }
        for label, text in last.items():
            say(f"{label:<13} {printable(text, 3000)}")  # each in one line, so that a command can be pasted

    def _next(self, report: Report) -> str:
        findings = [(tool, verdict) for tool in report.tools for verdict in _findings(tool)]
        if findings:
            tool, verdict = findings[0]
            place = f"{self.shell.report}#{tool.tool}/{verdict.rule}"
            again = f"; {self.shell.program} replay {quoted(place)}" if self.shell.report else ""
            return f"{self.shell.program} explain {verdict.rule}{again}"
        if all(tool.error for tool in report.tools):
            return "fix what the notes above name, and run the command again"
        if any(differs(tool) for tool in report.tools):
            return "read docs/cache.md, section Samples, and find what the tool depends on besides its files"
        has_idle = any(tool.unreached for tool in report.tools)
        if report.suite.thoroughness == "quick" and not has_idle:
            return f"{self.command} --standard"
        if any(tool.status == "incomplete" for tool in report.tools):
            return "fix what the notes above name, and run the command again"
        return f"keep it so: {self.shell.pytest} --snapshot-update locks the schemas, for CI"


def note(line: str) -> None:
    """Show a line of progress, on the standard error: the result is on the standard output."""
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - this is a command


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _write_line(text: str) -> None:
    note(text)


def _findings(report: ToolReport) -> list[VerdictReport]:
    """The broken MUST rules that fail a run, by cause."""
    return [verdict for verdict, _ in own_breaches(report) if not verdict.is_known]


def _status_line(report: ToolReport) -> str:
    """The status of a server or a tool, and what it broke or why it was not examined."""
    own = [verdict.rule for verdict, _ in own_breaches(report)]
    broken = own or [verdict.rule for verdict in report.verdicts if verdict.blocks]
    failed = report.error or next((error.said for error in report.harness_errors), "")
    why = printable(failed.removeprefix(f"{report.tool}: "), 300) if failed else " ".join(broken)
    cached = " (cached)" if report.is_cached else ""
    return f"{status_phrase(report):<13} {printable(report.tool, 60)}{cached}{f': {why}' if why else ''}"


def _broken(report: Report) -> str:
    broken = [(tool.tool, [each.rule for each in _findings(tool)]) for tool in report.tools]
    named = [(name, rules) for name, rules in broken if rules]
    unlike = [printable(tool.tool, 60) for tool in report.tools if differs(tool)]
    if not named and unlike:
        more = f" and {len(unlike) - _MOST_NAMED} more" if len(unlike) > _MOST_NAMED else ""
        return f"the results of {', '.join(unlike[:_MOST_NAMED])}{more} are not reproducible"
    if not named and not report.suite.complete:
        return "nothing until the run was ended, which is no verdict"
    seen_once = _seen_once(report)
    if not named and seen_once:
        return f"nothing is proved{seen_once}"
    if not named:
        below = next((tool for tool in report.tools if any(each.blocks for each in tool.verdicts)), None)
        known = "what the baseline knows" if below and not below.inherited else ""
        inherited = f"what the {library_of(below)[0]} breaks" if below and below.inherited else ""
        found = f"nothing but {inherited or known}" if below else "nothing"
        is_quick = report.suite.thoroughness == "quick"
        return f"{found}; the quick plan gives no verdict" if is_quick else found
    count = len({rule for _, rules in named for rule in rules})
    shown = [f"{printable(name, 60)} {', '.join(rules[:_MOST_NAMED])}" for name, rules in named]
    more = f"; {len(shown) - _MOST_NAMED} more" if len(shown) > _MOST_NAMED else ""
    rules = "1 MUST rule" if count == 1 else f"{count} MUST rules"
    return (
        f"{rules}, in {len(named)} of {_entries(report)}: {'; '.join(shown[:_MOST_NAMED])}{more}{seen_once}"
    )


def _seen_once(report: Report) -> str:
    """The breaches that a quick plan saw once and did not try to reproduce, as the end of a sentence; empty where there is none."""
    seen = [(tool.tool, codes) for tool in report.tools if (codes := unrepeated(tool))]
    named = [f"{printable(name, 60)} {', '.join(codes)}" for name, codes in seen[:_MOST_NAMED]]
    more = f"; {len(seen) - _MOST_NAMED} more" if len(seen) > _MOST_NAMED else ""
    return f"; seen once, and not repeated by the quick plan: {'; '.join(named)}{more}" if seen else ""


def _entries(report: Report) -> str:
    return f"{len(report.tools)} {kinds_of(report.tools)}"


def _not_examined(report: Report, unfinished: Sequence[str]) -> str:
    """What was not examined; `unfinished` are the tools that the run did not come to the end of."""
    failed = [tool.tool for tool in report.tools if tool.error or tool.harness_errors]
    failed += [] if report.suite.complete else unfinished
    names = ", ".join(printable(name, 60) for name in failed[:_MOST_NAMED])
    more = f" and {len(failed) - _MOST_NAMED} more" if len(failed) > _MOST_NAMED else ""
    idle = ", ".join(printable(tool.tool, 60) for tool in report.tools if tool.unreached)
    entries = sum(any(each.is_open for each in tool.verdicts) for tool in report.tools)
    left = (
        "which the quick plan leaves out" if report.suite.thoroughness == "quick" else "see the notes above"
    )
    open_rules = len({each.rule for tool in report.tools for each in tool.verdicts if each.is_open})
    counted = "1 MUST rule" if open_rules == 1 else f"{open_rules} MUST rules"
    parts = [
        *([f"{names}{more}"] if failed else []),
        *([f"{idle}: no call succeeded"] if idle else []),
        *([f"{counted}, in {entries} of {_entries(report)}, {left}"] if open_rules else []),
    ]
    return "; ".join(parts) or "nothing"
