"""Collect the reports of tools from this process or from xdist's workers; write the report files and the summary.

From a worker a tool's report travels as ASCII JSON on the first report of one of its items. Which tools there were
to examine is known from collection, so a run that ends early lists the tools that it did not examine.
"""

import json
from collections.abc import Generator, Mapping
from typing import Any, Final

import pytest
from _pytest.junitxml import xml_key  # public by no other name

from aptix_conformance.app.plugin.durations import show_durations
from aptix_conformance.app.plugin.items import PREFIX, ConformanceItem, FailedTargetItem, name_skipped_item
from aptix_conformance.app.plugin.loaded_plugins import loaded_plugins
from aptix_conformance.app.plugin.memory import drop_silent_report
from aptix_conformance.app.plugin.outputs import outputs
from aptix_conformance.app.plugin.shell_commands import tell_shell
from aptix_conformance.app.plugin.terminal_width import columns, is_terminal, tell_worker
from aptix_conformance.app.run import Run
from aptix_conformance.app.run.output_files import RunJournal, is_for_github, write_all, write_job_summary
from aptix_conformance.app.run.shards import Share
from aptix_conformance.core.errors import HarnessError, harness_phase
from aptix_conformance.core.model.codec import from_json, replace, to_text
from aptix_conformance.core.model.report import BaselineReport, Report, ToolReport
from aptix_conformance.core.text import printable, printable_lines
from aptix_conformance.present.reports import (
    failed_report,
    not_ended,
    shard_text,
    summary_lines,
    waiver_line,
    wrapped,
)
from aptix_conformance.present.reports.baseline import baseline_lines
from aptix_conformance.present.reports.github import annotations
from aptix_conformance.targets import Origin

_CARRIED: Final = "aptix_tool"
"""The member of a pytest report in which a worker sends the report of a tool."""
_COLLECTED: Final = "aptix_collection"
"""The member of a worker's first pytest report in which it sends what it has collected."""


class Gathering:
    """The plugin object that gathers the reports of tools and shows them."""

    def __init__(self, config: pytest.Config, run: Run) -> None:
        self.config = config
        self.run = run
        self.finished: dict[str, ToolReport] = {}
        self.collected: dict[str, ToolReport] = {}
        self.origins: dict[str, Origin] = {}
        """By target: where a tool comes from, for tools that were collected and not examined."""
        self.notes: list[str] = []
        self.unwritten: dict[str, str] = {}
        """By path: why a report could not be written."""
        self.annotations = ""
        """Commands to GitHub, a line each."""
        self.journal = RunJournal((), self.notes)
        """The reports so far, for a run that is killed."""
        self.usage_error = ""
        """Why the collection was refused; empty where it was not."""
        self.left_out = False
        """Whether a tool that was found was deselected."""
        self.session: pytest.Session | None = None
        """The session, once it has finished."""
        self.stopped = ""
        """The reason that ended the run early; empty where nothing did."""
        self.lost = ""
        """The worker of xdist that was lost; empty where none was."""
        self._has_sent_collection = False

    @property
    def known(self) -> list[ToolReport]:
        """A report for every tool that should be examined."""
        return list({**self.collected, **self.finished}.values())

    @property
    def _is_complete(self) -> bool:
        """Whether every tool was examined; of a run that was stopped before it had collected, nothing is known."""
        is_known = bool(self.collected) or not (self.stopped or self.lost)
        return is_known and self.collected.keys() <= self.finished.keys()

    def _known_with_origins(self) -> list[ToolReport]:
        """`known`, with the origins of tools that were not examined; the others have theirs already."""
        return [
            tool
            if tool.target in self.finished or tool.target not in self.origins
            else self.run.reports.with_origin(tool, self.origins[tool.target])
            for tool in self.known
        ]

    @property
    def _is_for_github(self) -> bool:
        return is_for_github(self.config.getoption("--aptix-format"))

    @property
    def is_worker(self) -> bool:
        """A worker of xdist."""
        return hasattr(self.config, "workerinput")

    @property
    def is_silent(self) -> bool:
        """A worker of xdist, or a run that only collects: nothing is written or shown."""
        return self.is_worker or self.config.getoption("collectonly")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Take a tool's report with the first pytest report of one of its items; a worker attaches it to that one."""
        report = yield
        if isinstance(item, ConformanceItem):
            name_skipped_item(report)
        tool = self._tool_of(item) if report.when == "call" else None
        if tool is not None and self.config.option.durations is not None:
            # The durations of the steps are shown by step, and not as that of the tool's first item.
            report.duration = max(report.duration - sum(step.seconds for step in tool.steps), 0.0)
        if self.is_worker and not self._has_sent_collection:
            # With the first report, before a tool is examined: a worker that is ended tells nothing any more.
            self._has_sent_collection = True
            report.__dict__[_COLLECTED] = self._collection()
        if tool is not None and self.is_worker:
            report.__dict__[_CARRIED] = to_text(tool)
        elif tool is not None:
            self._take(tool)
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take a tool's report from the pytest report that carries it: pytest keeps every report that it shows."""
        if report.nodeid.startswith(PREFIX):
            drop_silent_report(self.config.pluginmanager.get_plugin("terminalreporter"), report)
        if not self.is_worker:
            self._take_collection(report.__dict__.pop(_COLLECTED, {}))
        text = None if self.is_worker else report.__dict__.pop(_CARRIED, None)
        if text is not None:
            self._take(self.run.reports.sharing(from_json(ToolReport, json.loads(text))))

    def _tool_of(self, item: pytest.Item) -> ToolReport | None:
        """The report that goes with an item: that of its tool, once for each tool."""
        if isinstance(item, FailedTargetItem):
            return item.report
        state = item.state if isinstance(item, ConformanceItem) else None
        if state is None or state.reported:
            return None
        state.reported = state.report is not None or state.error is not None
        if state.error is not None:
            failed = failed_report(self.collected[state.target.spec], state.error)
            return self.run.reports.with_origin(failed, self.origins[state.target.spec])
        return state.report

    def _take(self, tool: ToolReport) -> None:
        # First: an interrupt during the writing must not lose it.
        self.finished[tool.target] = self.collected[tool.target] = tool
        self.journal.add(tool)
        if self.config.option.durations is not None:
            show_durations(self.config.pluginmanager.get_plugin("terminalreporter"), tool)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker how wide the terminal is, and which commands work in its shell."""
        tell_worker(node)
        tell_shell(node)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Learn from a worker which tools it had collected, or that it was killed.

        Raises:
            pytest.UsageError: the worker refused to collect; pytest-xdist does not pass that on.
        """
        if error:
            # The worker that replaces it may examine the same tools again.
            self.lost = f"worker {node.gateway.id} of pytest-xdist crashed or was killed"
        output = getattr(node, "workeroutput", {})
        self.usage_error = output.get("aptix_usage_error", "")
        if self.usage_error:
            raise pytest.UsageError(self.usage_error)
        self._take_collection(output)

    def _take_collection(self, output: Mapping[str, Any]) -> None:
        self.left_out = self.left_out or bool(output.get("aptix_left_out", False))
        share = json.loads(output.get("aptix_share", "null"))
        if share is not None and self.run.share is None:
            self.run.share = from_json(Share, share)
            self.journal.begin(self._report_so_far)  # its first line says that it is of a whole run
        collected = from_json(dict[str, ToolReport], json.loads(output.get("aptix_collected", "{}")))
        origins = json.loads(output.get("aptix_origins", "{}"))
        self.origins.update(from_json(dict[str, Origin], origins))
        new = collected.keys() - self.collected.keys()
        shared = {target: self.run.reports.sharing(collected[target]) for target in new}
        self.collected = shared | self.collected  # first, as above
        for target in new:
            self.journal.add(collected[target])
        self.notes += [note for note in json.loads(output.get("aptix_notes", "[]")) if note not in self.notes]

    @pytest.hookimpl(tryfirst=True)  # before pytest writes its own report
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail a run without a report that was asked for, with a waiver that nothing needs, or with a stale baseline.

        A worker sends what it collected to the controller.
        """
        self.session = session
        if session.exitstatus == pytest.ExitCode.OK and self.fails_at_the_end:
            # Not INTERNAL_ERROR: that means a fault of pytest, which a full disk is not.
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        output = getattr(self.config, "workeroutput", None)
        if output is not None:
            output.update(self._collection(), aptix_usage_error=self.usage_error)
        elif self._ended_early and (junit := self.config.stash.get(xml_key, None)) is not None:
            # To pytest, an item that was never reached is nothing, and the file would look whole.
            name, place = f"{PREFIX}run", (PREFIX.removesuffix("::"), None, "run")
            report = pytest.TestReport(name, place, {}, "failed", self._ended_early, "setup")
            junit.pytest_runtest_logreport(report)

    @property
    def fails_at_the_end(self) -> bool:
        """Whether something else than a tool fails the run."""
        return bool(self.unwritten or self._unneeded() or self._has_stale_entries())

    @property
    def _ended_early(self) -> str:
        """Why the run did not end as it should, and which tools are left; empty where it did."""
        return not_ended(self.run.report(self.known, complete=self._is_complete, stopped=self._cause))

    @property
    def _cause(self) -> str:
        """The reason that ended the run, or a worker of it. Only a lost worker counts once every tool was examined."""
        return self.lost if self._is_complete else self.stopped or self.lost

    def _collection(self) -> dict[str, Any]:
        """The members by which a worker sends its collection to the controller."""
        return {
            "aptix_collected": to_text(self.collected),
            "aptix_origins": to_text(self.origins),
            "aptix_notes": json.dumps(self.notes),
            "aptix_left_out": self.left_out,
            "aptix_share": to_text(self.run.share),
        }

    def _unneeded(self) -> tuple[str, ...]:
        """Sentences on waivers of modules and packages that no tool needs; none where tools were left out."""
        return () if self.is_silent or self.left_out else self.run.unneeded_waivers(self.known)

    def _has_stale_entries(self) -> bool:
        baseline = None if self.is_silent else self._baseline()
        return baseline is not None and baseline.stale > 0

    def _baseline(self) -> BaselineReport | None:
        return self.run.counted(self.known, whole=self._is_complete and not self.left_out)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Write the reports, however the run ends; until then what is known is in a journal."""
        try:
            # Inside: the run may be interrupted while it is written.
            self.journal = RunJournal(() if self.is_silent else outputs(self.config), self.notes)
            self.journal.begin(self._report_so_far)
            return (yield)
        except BaseException as error:
            self.stopped = "" if self.usage_error else _reason(error)
            raise
        finally:
            if self.usage_error:
                self.journal.end()  # the report of an earlier run stays, as without workers
            else:
                try:
                    with harness_phase("writing the reports"):
                        self._write()
                except HarnessError as error:
                    self.unwritten["reports"] = error.with_traceback_text

    def _report_so_far(self) -> Report:
        return self.run.report(self._known_with_origins(), complete=False)

    def _write(self) -> None:
        if self.is_silent or not (outputs(self.config) or self._is_for_github):
            return
        report = self.run.report(
            self._known_with_origins(),
            complete=self._is_complete,
            stopped=self._cause,
            unneeded=self._unneeded(),
            whole=self._is_complete and not self.left_out,
        )
        loaded = (*report.run.loaded, *loaded_plugins(self.config))
        report = replace(report, run=replace(report.run, loaded=loaded))
        self.unwritten = write_all(outputs(self.config), report)
        if self._is_for_github:
            self.annotations = annotations(report)
            self.notes += write_job_summary(report)
        if not self.unwritten:
            self.journal.end()

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print tables of tools and broken rules, then exemptions, waivers, reduced coverage and advice."""
        if self.is_silent:
            return
        if ended_early := self._ended_early:
            terminalreporter.line(wrapped(ended_early, columns(self.config)), red=True, bold=True)
        if self.known:
            try:
                with harness_phase("writing the summary"):
                    self._show(terminalreporter)
            except HarnessError as error:
                terminalreporter.line(printable_lines(error.with_traceback_text), red=True)
                if self.session is not None and self.session.exitstatus == pytest.ExitCode.OK:
                    self.session.exitstatus = pytest.ExitCode.TESTS_FAILED
        else:
            self._show_notes(terminalreporter)
        for problem in self.unwritten.values():
            terminalreporter.line(problem, red=True)
        for line in self.annotations.splitlines():
            terminalreporter.line(line)

    def _show_notes(self, terminalreporter: pytest.TerminalReporter) -> None:
        width = columns(self.config) if is_terminal(self.config) else None
        if share := self.run.share:
            text = shard_text(share.number, share.of, len(self.known))
            terminalreporter.line(wrapped(f"note          {text}", width))
        for note in self.notes:
            terminalreporter.line(wrapped(f"note          {printable(note, 3000)}", width))

    def _show(self, terminalreporter: pytest.TerminalReporter) -> None:
        editions = " and ".join(sorted({tool.edition for tool in self.known if tool.edition}))
        terminalreporter.section(f"aptix conformance{', edition ' if editions else ''}{editions}")
        if self.config.getoption("--aptix-inline"):
            terminalreporter.line(
                "ISOLATION IS OFF (--aptix-inline): the tools ran in the test process", red=True
            )
        width = columns(self.config) if is_terminal(self.config) else None
        whole = self.config.getoption("--aptix-advice")
        for line in summary_lines(self.known, width, whole=whole):
            terminalreporter.line(
                wrapped(line, width),
                green=line.startswith("conforming "),
                red=line.startswith(("nonconforming", "containment   none")),
                yellow=line.startswith(("incomplete", "conforming-with-waivers", "containment   partial")),
            )
        for unneeded in self._unneeded():
            terminalreporter.line(wrapped(waiver_line(unneeded), width), red=True)
        if baseline := self._baseline():
            for line in baseline_lines(baseline, self.known):
                terminalreporter.line(wrapped(line, width), red=line.startswith("stale"))
        self._show_notes(terminalreporter)
        for output in outputs(self.config):
            if output.argument not in self.unwritten:
                terminalreporter.line(f"report        {output.argument}")


def _reason(error: BaseException) -> str:
    """The reason that ended a run, for a person."""
    if isinstance(error, KeyboardInterrupt):
        return "ended by SIGTERM" if str(error) == "SIGTERM" else "interrupted from the keyboard"
    return str(error) or type(error).__name__
