"""The order of pytest's own texts on failed items: each tool's by cause, as the suite's own texts have them.

Items run in the order of their rules' codes, and what follows from a finding may run before it. So pytest's FAILURES section
and its short summary get the reports of a tool with the root cause first. Reports of other tests stay where they are.
"""

from collections.abc import Generator
from typing import Final

import pytest

from aptix_conformance.app.plugin.items import PREFIX, RuleItem
from aptix_conformance.present.reports.causes import by_cause

_PLACE: Final = "aptix_place"
"""The member of a failed item's report, also one that a worker sends: the place of its rule in the tool's causes."""


class FailureOrder:
    """The plugin object that orders failed items by cause."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Note the place of a rule among the causes of its tool; its lock and its status have none and come last."""
        report = yield
        if report.failed and isinstance(item, RuleItem) and item.state.report is not None:
            ordered = [verdict.rule for verdict, _ in by_cause(item.state.report.verdicts)]
            report.__dict__[_PLACE] = ordered.index(item.rule.code)
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None, None, None]:
        """Order the failed reports before pytest shows them: tools as they came, within a tool by cause."""
        failed = terminalreporter.stats.get("failed", [])
        places = [number for number, report in enumerate(failed) if report.nodeid.startswith(PREFIX)]
        ordered = _ordered([failed[place] for place in places])
        for place, report in zip(places, ordered, strict=True):
            failed[place] = report
        return (yield)


def _ordered(reports: list[pytest.TestReport]) -> list[pytest.TestReport]:
    tools: dict[str, int] = {}
    for report in reports:
        tools.setdefault(_node_id_of_tool(report), len(tools))

    def key(report: pytest.TestReport) -> tuple[int, bool, int]:
        place = report.__dict__.get(_PLACE)
        return tools[_node_id_of_tool(report)], place is None, place or 0

    return sorted(reports, key=key)


def _node_id_of_tool(report: pytest.TestReport) -> str:
    return report.nodeid.rpartition("::")[0]
