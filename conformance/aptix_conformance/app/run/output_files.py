"""The files that a run writes: PATH for JSON, FORMAT=PATH for another format."""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import ConfigurationError, HarnessError, ReportError, harness_phase
from aptix_conformance.core.model.report import Report, ToolReport
from aptix_conformance.present.reports import JSON, Journal, find_renderer, prove_writable, write_report
from aptix_conformance.present.reports.github import LARGEST_SUMMARY, summary
from aptix_conformance.present.reports.renderers import LINES
from aptix_conformance.present.reports.report_files import check_name

_FORMAT: Final = re.compile(r"([A-Za-z][\w-]*)=(.*)", re.DOTALL)
_READABLE: Final = (JSON, LINES)
"""The formats that the suite reads, in the order in which they are written."""
_JOB_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""The variable that names the file to which a step adds its part of the job's summary."""


@dataclass(frozen=True, slots=True)
class Output:
    """One file: the format, the path as the command line has it, and the file itself."""

    form: str
    argument: str
    path: Path


def read_outputs(texts: Iterable[str], directory: Path, option: str) -> tuple[Output, ...]:
    """The files that are asked for, JSON and JSON lines first: whatever a third party's renderer does then, the report is written.

    Args:
        texts: the values of the option.
        directory: where relative paths start.
        option: the name of the option, for messages.

    Raises:
        ConfigurationError: a path is empty, for example because of an unset shell variable, or has two formats.
    """
    by_path: dict[Path, Output] = {}
    for text in texts:
        named = _FORMAT.fullmatch(text)
        form, argument = named.groups() if named else (JSON, text)
        if not argument.strip():
            raise ConfigurationError(f"{option} is empty: give the path of a file, or leave the option out")
        output = Output(form, argument, Path(directory, argument))
        if by_path.setdefault(output.path, output).form != output.form:
            raise ConfigurationError(f"{option}: two formats would be written to {output.argument}")
    order = {form: place for place, form in enumerate(_READABLE)}
    return tuple(sorted(by_path.values(), key=lambda output: order.get(output.form, len(order))))


def readable(outputs: Iterable[Output]) -> Output | None:
    """The first file that the suite itself reads; None where there is none."""
    return next((output for output in outputs if output.form in _READABLE), None)


class RunJournal:
    """The journal of a run beside the first of its files that the suite itself reads, for a run that is killed.

    It does nothing where no such file is asked for. Where the journal cannot be written, a note says so, and the run goes on.
    """

    def __init__(self, outputs: Iterable[Output], notes: list[str]) -> None:
        self._output = readable(outputs)
        self._notes = notes
        self._journal: Journal | None = None

    def begin(self, report: Callable[[], Report]) -> None:
        """Start to write, or start again; `report` makes the report of the run so far."""
        if self._output is None:
            return
        if self._journal is not None:
            self._journal.close()
        try:
            with harness_phase("beginning the journal"):
                self._journal = Journal(self._output.path)
                self._journal.begin(report())
        except (ReportError, HarnessError) as error:
            self._journal = None
            self._notes.append(str(error))

    def add(self, tool: ToolReport) -> None:
        """Add the report of a tool."""
        if self._journal is not None:
            try:
                self._journal.add(tool)
            except ReportError as error:
                self._notes.append(str(error))
                self.end()

    def end(self) -> None:
        """Remove it: the report is written, or the journal cannot be."""
        if self._journal is not None:
            self._journal.remove()
            self._journal = None


def prove(outputs: Iterable[Output]) -> None:
    """Check before the examination that each file can be written, in a format that there is.

    Raises:
        ReportError: a format is unknown, a name is of another format, or a place cannot be written.
        ContractDataError: a third party's renderer cannot be loaded.
    """
    for output in outputs:
        find_renderer(output.form)
        check_name(output.path, output.form)
        prove_writable(output.path)


def write_all(outputs: Sequence[Output], report: Report) -> dict[str, str]:
    """Write each file; what could not be written, by the path that was given, with the reason."""
    unwritten = {}
    for output in outputs:
        try:
            write_report(output.path, report, output.form)
        except ReportError as error:
            unwritten[output.argument] = str(error)
    return unwritten


def is_for_github(chosen: str | None) -> bool:
    """Whether a run speaks to GitHub: the option decides (`github` or `plain`), and without it the environment."""
    return chosen == "github" if chosen else os.environ.get("GITHUB_ACTIONS") == "true"


def write_job_summary(report: Report) -> list[str]:
    """Add the summary to the file of the step, if there is one; gives a note where that is not possible."""
    name = os.environ.get(_JOB_SUMMARY)
    if not name:
        return []
    path = Path(name)
    try:
        size = path.stat().st_size if path.exists() else 0
        with path.open("a", encoding="utf-8", newline="") as stream:
            stream.write(summary(report, LARGEST_SUMMARY - size))
    except OSError as error:
        return [f"the summary of the job cannot be written to {path}: {error.strerror}"]
    return []
