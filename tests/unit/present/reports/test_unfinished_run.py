"""A run that did not end as it should says so in every format, and looks green in none."""

import json

import pytest
from tests.unit.present.reports.conftest import SUITE, full_tool

from aptix_conformance.app.cli import main
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import RunReport, ShardReport
from aptix_conformance.present.reports import failed_target_report, make_report, write_report
from aptix_conformance.present.reports.badge import shields
from aptix_conformance.present.reports.changes_texts import changes_text
from aptix_conformance.present.reports.renderers import render
from aptix_conformance.present.reports.report_changes import ChangeKind, changes

STOPPED = replace(SUITE, complete=False, stopped="SIGTERM")
LOST = replace(SUITE, stopped="worker gw0 crashed")
LEFT = replace(failed_target_report("owl", "aptix", "e", ""), error=None)


def report_of(*tools, suite=STOPPED):
    return make_report(tools, suite, RunReport(), None)


@pytest.mark.parametrize("form", ["summary", "github-summary", "html", "sarif"])
@pytest.mark.parametrize(
    ("suite", "said"),
    [
        (STOPPED, "The run ended before every tool was examined (SIGTERM). Not examined: owl."),
        (LOST, "Every tool was examined, but the run did not end as it should (worker gw0 crashed)."),
    ],
    ids=["stopped", "lost"],
)
def test_every_format_says_why_and_which_tools_were_not_examined(suite, said, form):
    assert said in render(form, report_of(LEFT, suite=suite))


@pytest.mark.parametrize("suite", [STOPPED, LOST])
def test_sarif_counts_the_run_as_failed(suite):
    (run,) = json.loads(render("sarif", report_of(LEFT, suite=suite)))["runs"]
    assert run["invocations"][0]["executionSuccessful"] is False


def test_sarif_and_junit_name_the_shard():
    """To GitHub, a further file of the same category would replace the one before."""
    shard = ShardReport(2, 8, f"sha256:{'0' * 64}", 1)
    for suite, category, name in (
        (SUITE, "aptix-conformance/", "aptix-conformance"),
        (replace(SUITE, shard=shard), "aptix-conformance/shard-2-of-8/", "aptix-conformance shard-2-of-8"),
    ):
        (run,) = json.loads(render("sarif", report_of(LEFT, suite=suite)))["runs"]
        assert run["automationDetails"]["id"] == category
        assert f'<testsuite name="{name}"' in render("junit", report_of(LEFT, suite=suite))


@pytest.mark.parametrize("suite", [STOPPED, LOST])
@pytest.mark.parametrize("tools", [(), (LEFT,), (replace(LEFT, status="conforming"),)])
def test_no_badge_is_green(tools, suite):
    """Not even where nothing is known of any tool."""
    assert json.loads(shields(report_of(*tools, suite=suite)))["color"] == "orange"


def test_a_tool_that_a_stopped_run_does_not_have_is_not_gone():
    """It was not examined, which is worse than before."""
    old, new = report_of(full_tool(), suite=SUITE), report_of()
    (change,) = found = changes(old, new)
    assert change.kind is ChangeKind.UNSEEN
    assert change.is_worse
    assert "The run ended before every tool was examined (SIGTERM)." in changes_text(old, new, found)


@pytest.mark.parametrize(
    "command",
    [
        ["baseline", "write", "report.json", "-o", "out"],
        ["baseline", "prune", "report.json", "out"],
        ["certificate", "issue", "--report", "report.json", "--key", "key", "-o", "out"],
    ],
    ids=["write", "prune", "issue"],
)
def test_no_baseline_and_no_certificate_is_made_of_it(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_report(tmp_path / "report.json", report_of(LEFT))
    assert main(command) == 2
    assert "Not examined: owl. Examine again, until the end of the run" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
