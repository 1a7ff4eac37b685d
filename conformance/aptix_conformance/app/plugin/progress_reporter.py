"""Show the progress of a run: on a terminal one line that moves, in a log a line for each tool that takes long.

In a log, the first finding of a run has a line too.

A worker of xdist sends its ticks to the controller, which alone writes. A tick travels as pytest's own reports do: as a
set-up of the current item that passed and took no time. pytest shows and counts no such report.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, Final

import pytest

from aptix_conformance.app.plugin.items import PREFIX
from aptix_conformance.app.plugin.terminal_width import columns, is_terminal
from aptix_conformance.app.run import progress
from aptix_conformance.app.run.progress import (
    Display,
    LineBelow,
    Pace,
    PlainLines,
    RunProgress,
    Tick,
    ToolProgress,
)
from aptix_conformance.examine import Watch
from aptix_conformance.targets import item_name

_CARRIED: Final = "aptix_tick"
"""The member of a pytest report in which a worker sends a tick."""
_PACE: Final = "aptix_progress"
"""The key under which the controller tells its workers which ticks it shows."""


class ProgressReporter:
    """The plugin object that follows examinations.

    `seconds_left` gives the seconds that the deadline of the run leaves, `server_prefixes` those of the specs of servers.
    """

    def __init__(
        self,
        config: pytest.Config,
        seconds_left: Callable[[], float | None],
        server_prefixes: Callable[[], Iterable[str]],
    ) -> None:
        self.config = config
        self.server_prefixes = server_prefixes
        self.run = RunProgress(seconds_left)
        self._item: pytest.Item | None = None
        self._display: Display | None = None

    @contextmanager
    def watching(self, tool: str) -> Iterator[Watch]:
        """A watch for the examination of a tool, which is made during one of its items."""
        watch = Watch()
        pace = _pace(self.config)
        if pace is not None:
            watch.notify = ToolProgress(tool, pace, self._use)
        try:
            yield watch
        finally:
            self._clear()

    def _use(self, tick: Tick) -> None:
        assert self._item is not None
        if hasattr(self.config, "workerinput"):
            self.config.hook.pytest_runtest_logreport(report=_carrier(self._item, tick))
        else:
            self._show(self._item.nodeid, tick)

    def _show(self, node_id: str, tick: Tick) -> None:
        self.run.begin()
        is_further = tick.is_finding and self.run.has_finding
        self.run.hear(_tool_name(node_id), tick)
        if is_further and not _is_live(self.config):
            return  # a log has a line for the first finding of a run, not for each tool's
        self._display = self._display or _display(self.config)
        if line := self.run.line(tick if tick.is_finding else None):
            self._display.show(line)

    def _clear(self) -> None:
        if self._display is not None:
            self._display.clear()

    # ---- what pytest tells

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Learn which tools there are."""
        self._expect(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Learn from a worker which tools there are: the controller collects nothing."""
        self._expect(ids)

    def _expect(self, ids: Iterable[str]) -> None:
        # A server has its spec as its name, and an item has the name with its colon encoded.
        names, begins = _tool_names(ids), tuple(item_name(f"{prefix}:") for prefix in self.server_prefixes())
        self.run.expect(names, (name for name in names if name.startswith(begins)))

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker which ticks are shown."""
        pace = _pace(self.config)
        node.workerinput[_PACE] = None if pace is None else asdict(pace)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Clear the line before pytest writes, and start the clock with the first item of a tool."""
        self._clear()
        if nodeid.startswith(PREFIX):
            self.run.begin()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Keep the item whose report carries ticks."""
        self._item = item

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take a worker's tick; clear the line before pytest writes; a tool with a called item is examined."""
        members = None if hasattr(self.config, "workerinput") else report.__dict__.pop(_CARRIED, None)
        if members is not None:
            self._show(report.nodeid, Tick(**members))
            return
        self._clear()
        if report.when == "call" and report.nodeid.startswith(PREFIX):
            self.run.finish(_tool_name(report.nodeid))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logfinish(self) -> None:
        """Clear the line before pytest writes."""
        self._clear()

    @pytest.hookimpl(tryfirst=True, optionalhook=True)
    def pytest_testnodedown(self) -> None:
        """Clear the line before xdist writes."""
        self._clear()


def _tool_name(node_id: str) -> str:
    return node_id.removeprefix(PREFIX).partition("::")[0]


def _tool_names(node_ids: Iterable[str]) -> set[str]:
    return {_tool_name(node_id) for node_id in node_ids if node_id.startswith(PREFIX)}


def _carrier(item: pytest.Item, tick: Tick) -> pytest.TestReport:
    """A report that pytest neither shows nor counts."""
    report = pytest.TestReport(
        nodeid=item.nodeid,
        location=item.location,
        keywords={},
        outcome="passed",
        longrepr=None,
        when="setup",
    )
    report.__dict__[_CARRIED] = asdict(tick)
    return report


def _pace(config: pytest.Config) -> Pace | None:
    """Which ticks are shown; None for none."""
    if hasattr(config, "workerinput"):
        members = config.workerinput.get(_PACE)
        return Pace(**members) if members else None
    if config.option.verbose < 0 or config.pluginmanager.get_plugin("terminalreporter") is None:
        return None
    return progress.LIVE if _is_live(config) else progress.PLAIN


def _is_live(config: pytest.Config) -> bool:
    """Whether a person watches a terminal that knows escapes: that of a CI service is a log."""
    return is_terminal(config) and not os.environ.get("CI") and os.environ.get("TERM") != "dumb"


def _display(config: pytest.Config) -> Display:
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    writer = config.get_terminal_writer()

    def raw(text: str) -> None:
        # `write_raw` does not count columns, so pytest knows nothing of the line.
        writer.write_raw(text, flush=True)

    def whole_line(text: str) -> None:
        reporter.ensure_newline()
        if writer.width_of_current_line:
            writer.line()
        writer.line(text)
        writer.flush()

    if _is_live(config):
        return LineBelow(_bypassing_capture(config, raw), lambda: columns(config))
    return PlainLines(_bypassing_capture(config, whole_line))


def _bypassing_capture(config: pytest.Config, write: Callable[[str], None]) -> Callable[[str], None]:
    """Writes to the terminal itself while pytest captures what the items write."""
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture is None:
        return write

    def write_uncaptured(text: str) -> None:
        with capture.global_and_fixture_disabled():
            write(text)

    return write_uncaptured
