"""The tasks of a run, and the reports that their answers give: the side of the machine that asks."""

import re
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from aptix_conformance.app.engine.process import examine_task, read_answer
from aptix_conformance.app.engine.task import TASK_FORMAT, Answer, Facts, Task, TaskOptions, facts_of
from aptix_conformance.app.run import Run
from aptix_conformance.app.run.requests import NOT_EXAMINED
from aptix_conformance.core.errors import (
    UNEXAMINED,
    ConfigurationError,
    ConformanceError,
    DeadlineError,
    HostError,
)
from aptix_conformance.core.extension import named_extensions
from aptix_conformance.core.model.codec import to_text
from aptix_conformance.core.model.report import ToolReport
from aptix_conformance.core.text import printable
from aptix_conformance.examine import FoundTools, ToolUnderTest
from aptix_conformance.examine.applicable import tool_name

LOST = f"{UNEXAMINED}a process of the executor was lost; run the command again"
_ELSEWHERE: Final = re.compile(r"://|\b(?:npx|uvx)\b")
"""Of a target or a command: it runs elsewhere, or is installed from elsewhere."""
Examined = tuple[ToolUnderTest, ToolReport]
"""A tool with its report."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Makes the tasks of one run, and reads their answers."""

    run: Run
    shared: frozenset[str]
    """See `FoundTools`."""
    facts: Facts
    left_out: tuple[str, ...]

    @classmethod
    def of(cls, run: Run, found: FoundTools, left_out: Iterable[str] = ()) -> Self:
        """For the tools of a run; `left_out` are the files that it writes into the project folder, as paths from there.

        Raises:
            ConfigurationError: the run has an option that other processes do not follow, or the project folder cannot be
                read or is too large for a digest.
        """
        for name in ("root", "hidden", "coverage", "inline"):
            if getattr(run.options, name):
                raise ConfigurationError(f"the option {name} does not go to other processes: leave it out")
        out = tuple(left_out)
        return cls(run, found.shared, facts_of(run.directory, out), out)

    def task(self, tool: ToolUnderTest) -> Task:
        """The examination of one tool as plain data."""
        asked = self.run.options
        options = TaskOptions(
            edition=asked.edition,
            seed=asked.seed,
            thoroughness=asked.thoroughness,
            examples=asked.examples,
            budget=asked.budget,
            timeout=asked.timeout,
            memory=asked.memory,
            containment=asked.containment,
            waivers=asked.waivers,
            variables=asked.variables,
            sys_path=asked.sys_path,
        )
        return Task(
            format=TASK_FORMAT,
            directory=str(self.run.directory),
            target=tool.target.spec,
            edition=tool.suite.edition.name,
            tool=tool.name,
            shared=tuple(self.shared & {tool_name(tool.declaration)}),
            options=options,
            extensions=named_extensions(),
            facts=self.facts,
            day=self.run.thoroughness.today.isoformat() if _depends_on_more(tool, self.run) else "",
            left_out=self.left_out,
        )

    def report(self, tool: ToolUnderTest, answer: Answer | None) -> ToolReport:
        """The report that an answer gives; None where what came back is no answer."""
        if answer is not None and answer.report is not None:
            return self.judged(answer.report)
        if answer is not None and answer.refused:
            return self.failed(tool, HostError(f"{UNEXAMINED}{printable(answer.refused, 500)}"))
        why = printable(answer.died, 500) if answer is not None else "what it answered is malformed"
        return self.failed(tool, HostError(f"the process of its examination ended: {why}"))

    def judged(self, report: ToolReport) -> ToolReport:
        """A report that another process made, by the baseline of this run."""
        known = self.run.read_baseline()
        return self.run.reports.sharing(known.applied(report) if known else report)

    def failed(self, tool: ToolUnderTest, error: ConformanceError) -> ToolReport:
        """The report of a tool that was not examined."""
        return self.run.reports.failed_tool(tool, error)


def _depends_on_more(tool: ToolUnderTest, run: Run) -> bool:
    """Whether the result of a tool depends on more than `Facts` cover: the day, an environment, a network, files elsewhere."""
    has, held = tool.settings, tool.containment
    given = has.waivers or has.variables or has.headers or has.directory or run.options.variables
    is_open = held is None or held.opens_network
    commands = " ".join((tool.target.spec, has.url, *has.command))
    files = (has.files, has.recording, has.python, *has.reads, *has.references, *has.sources)
    is_elsewhere = any(path and not Path(path).is_relative_to(run.directory) for path in files)
    return bool(given or is_open or is_elsewhere or _ELSEWHERE.search(commands))


def examine_each(executor: Executor, run: Run, found: FoundTools) -> Iterator[Examined]:
    """Examine tools on any executor, and give the report of each when it is there.

    Each examination has a process of its own, which a process or a thread of the executor starts and waits for. So the
    executor may be one of processes, of threads or of other machines.

    Raises:
        ConfigurationError: as `Asker.of`.
        BaselineError: as `Run.read_baseline`.
    """
    asker = Asker.of(run, found)
    run.read_baseline()
    futures = {executor.submit(examine_task, to_text(asker.task(tool))): tool for tool in found.tools}
    left = None if run.until is None else max(0.0, run.until - time.monotonic())
    try:
        for future in as_completed(tuple(futures), timeout=left):
            tool = futures.pop(future)
            try:
                report = asker.report(tool, read_answer(future.result()))
            except BrokenExecutor:
                report = asker.failed(tool, HostError(LOST))
            yield tool, report
    except TimeoutError:
        for tool in futures.values():
            yield tool, asker.failed(tool, DeadlineError(NOT_EXAMINED))
    finally:
        for future in futures:
            future.cancel()
