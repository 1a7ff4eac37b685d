"""An error of the suite around an examination: the session ends as usual, red, and says what the suite was doing."""

import pytest

INJECTED = """
import pytest
from aptix_conformance.core.model.report import HarnessErrorReport

patched = pytest.MonkeyPatch()
JUDGING = (HarnessErrorReport("judging ARG002", "harness error: the suite failed", "", ("ARG002",)),)


def fail(*_, **__):
    raise KeyError("process")


def pytest_configure(config):
    patched.setattr("aptix_conformance.{place}", {instead})


def pytest_unconfigure(config):
    patched.undo()
"""
ALONE, SPREAD = ("-p", "no:xdist"), ("-n", "1")


@pytest.mark.parametrize(
    ("phase", "place", "workers"),
    [
        ("finding the tools of a target", "targets.discovery.settings_for", ALONE),
        ("reading what the tool declares", "app.run.target_resolution.narrow", ALONE),
        ("examining the tool", "app.run.composer.ExamineTool.of", ALONE),
        ("making the report", "present.reports.tool_reports.unreached", ALONE),
        ("making the report", "present.reports.tool_reports.unreached", SPREAD),
        ("comparing the tool with its lock", "app.plugin.session.shape_to_lock", ALONE),
        ("writing the reports", "app.plugin.gathering.write_all", ALONE),
        ("writing the summary", "app.plugin.gathering.summary_lines", ALONE),
    ],
)
def test_an_error_of_the_suite_ends_no_session(project, phase, place, workers):
    """It is named in one line, and pytest itself is not at fault."""
    project.conftest(INJECTED.format(place=place, instead="fail"))
    result = project.run(*workers, "--aptix-report", "report.json")
    said = " ".join(str(result.stdout).split())
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "INTERNALERROR" not in said
    assert (
        f"harness error: the suite failed while {phase}: KeyError: 'process'; the tool is not at fault"
        in said
    )
    assert 'raise KeyError("process")' in said


@pytest.mark.parametrize("workers", [ALONE, SPREAD], ids=["one process", "xdist"])
def test_the_items_that_an_error_left_without_an_answer_fail(project, workers):
    """No option for development hides it, and nothing is locked."""
    project.replace(unseen={"ARG002": "harness error: the suite failed"})
    project.conftest(
        INJECTED.format(place="present.reports.tool_reports.harness_errors_of", instead="lambda _: JUDGING")
    )
    result = project.run(
        *workers, "--aptix-allow-incomplete", "--snapshot-update", "-k", "ARG002 or ARG001 or lock or status"
    )
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(
        ["*could not be examined to the end*", "*the suite*harness error: the suite failed*"]
    )
    assert not (project.path / "snapshots").exists()
