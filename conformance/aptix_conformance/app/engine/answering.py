"""The program that answers one task: it reads a `Task` from the standard input, and writes an `Answer` to the standard output.

    python -P -m aptix_conformance.app.engine.answering < task.json > answer.json

It ends with the process that started it, and with it all processes of the tool.
"""

import contextlib
import json
import os
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from aptix_conformance.app.engine.task import Answer, Task, facts_of
from aptix_conformance.core.errors import ConfigurationError, ConformanceError
from aptix_conformance.core.extension import without_plugins
from aptix_conformance.core.model.codec import from_json, replace, to_json, to_text
from aptix_conformance.core.model.report import ToolReport
from aptix_conformance.runners.contain.privileges import die_with_parent


def answer(task: Task) -> Answer:
    """Examine the tool of a task, if this machine is equal to the one that made it."""
    try:
        directory = Path(task.directory)
        differences = task.facts.differences(facts_of(directory, task.left_out))
        if differences:
            return Answer(refused=differences)
        os.chdir(directory)
        named: AbstractContextManager[None] = (
            nullcontext() if task.extensions is None else without_plugins(task.extensions)
        )
        with named:
            report = _examined(task)
        differences = task.facts.differences(facts_of(directory, task.left_out))
        if differences:
            return Answer(refused=f"since the examination began, {differences}")
        return Answer(report=report)
    except (ConfigurationError, OSError) as error:
        return Answer(refused=str(error))
    except ConformanceError as error:
        return Answer(died=str(error))


def _examined(task: Task) -> ToolReport:
    from aptix_conformance.app.run import Run, RunOptions  # noqa: PLC0415 - loaded without plugins

    options = RunOptions(**to_json(task.options), jobs=1, baselines=False)
    with Run.open(task.directory, options) as run:
        found = run.find(task.target, shared=frozenset(task.shared))
        for tool in found.tools:
            if (tool.target.spec, tool.suite.edition.name) == (task.target, task.edition):
                (examined,) = run.results_of_each([replace(tool, name=task.tool)])
                return examined.report
        for failed in run.failed_reports(found):
            return replace(failed, tool=task.tool)
        failed = run.reports.failed_report(
            task.target, "it was found when the run began, and is not any more"
        )
        return replace(failed, tool=task.tool)


def main() -> None:
    """Answer the task on the standard input."""
    with contextlib.suppress(OSError):
        die_with_parent()
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as output:
        os.dup2(2, 1)  # what a library prints is no part of the answer
        task = from_json(Task, json.load(sys.stdin), "$")
        output.write(to_text(answer(task)))


if __name__ == "__main__":
    main()
