"""The parts of an examination that `--durations` shows: each step of a tool, not all of them at the tool's first item."""

import pytest

from aptix_conformance.core.model.report import ToolReport
from aptix_conformance.targets import item_name

_SILENT = ""
"""The key of reports that the terminal counts nowhere: those of set-ups and tear-downs."""


def show_durations(reporter: pytest.TerminalReporter | None, tool: ToolReport) -> None:
    """Add a silent report for each step of a tool; pytest sorts them among the others."""
    if reporter is None:
        return
    silent = reporter.stats.setdefault(_SILENT, [])
    for step in tool.steps:
        silent.append(
            _report(f"aptix::{item_name(tool.tool)} ({step.calls:,} calls)", step.step, step.seconds)
        )


def _report(node_id: str, step: str, seconds: float) -> pytest.TestReport:
    return pytest.TestReport(
        nodeid=node_id,
        location=(node_id, None, node_id),
        keywords={},
        outcome="passed",
        longrepr=None,
        when=step,  # type: ignore[arg-type]  # shown as it is
        duration=seconds,
    )
