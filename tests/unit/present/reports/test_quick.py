"""The row of a tool says in each form that a quick plan left it open."""

import pytest

from aptix_conformance.core.model.codec import replace
from aptix_conformance.present.reports import github
from aptix_conformance.present.reports.html.summary import summary


@pytest.mark.parametrize(
    ("form", "row"), [(github.summary, "| incomplete (quick) |"), (summary, "<td>incomplete (quick)</td>")]
)
def test_the_row_of_a_tool_names_the_quick_plan(report, form, row):
    tool = replace(report.tools[0], status="incomplete", quick=True)
    assert row in form(replace(report, tools=(tool,)))
    assert row not in form(replace(report, tools=(replace(tool, quick=False),)))
