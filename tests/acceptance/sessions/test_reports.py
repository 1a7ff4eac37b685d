"""What a session writes: reports, annotations and the summary of a job, JUnit."""

import json

import pytest
from tests.process.app.plugin.projects import RAISES

from aptix_conformance.app.cli import main


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["one process", "xdist"])
def test_a_run_writes_its_report_in_several_formats_and_none_knows_its_path(project, capsys, workers):
    """What `report` makes of the JSON later is the same; what the run shows has the path, what it writes does not."""
    project.replace(broken={"ARG002": RAISES})
    asked = ("--aptix-report=summary=made/summary.txt", "--aptix-report=made/of-today.json")
    result = project.run(*workers, *asked)
    result.stdout.fnmatch_lines(["*replay made/of-today.json#agent_weather/ARG002", "nonconforming*"])
    result.stdout.fnmatch_lines(["report        made/of-today.json", "report        made/summary.txt"])
    assert "of-today" not in (project.path / "made" / "of-today.json").read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["report", "summary", "made/of-today.json"]) == 0
    assert capsys.readouterr().out == (project.path / "made" / "summary.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["one process", "xdist"])
def test_under_github_actions_findings_are_annotations_and_the_job_has_a_summary(
    project, monkeypatch, workers
):
    """Once, also with a worker; added to what the step has written already. `--aptix-format plain` switches it off."""
    project.replace(broken={"SCH006": {"message": "The parameters are no object."}})
    summary = project.path / "summary.md"
    summary.write_text("# Before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    plain = project.run("--aptix-format=plain")
    assert (plain.ret, summary.read_text(encoding="utf-8")) == (1, "# Before\n")
    plain.stdout.no_fnmatch_line("::error*")
    result = project.run(*workers)
    (command,) = [line for line in result.outlines if line.startswith("::error file=weather_tools.py,line=")]
    assert "agent_weather" in command
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("# Before\n## Aptix conformance\n")
    assert text.count("| `agent_weather` | nonconforming |") == 1


def test_elsewhere_there_are_neither_unless_they_are_asked_for(project, monkeypatch):
    """A summary that cannot be written is a note."""
    project.replace(broken={"SCH006": {"message": "The parameters are no object."}})
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project.path / "none" / "summary.md"))
    project.run().stdout.no_fnmatch_line("::error*")
    asked = project.run("--aptix-format=github")
    asked.stdout.fnmatch_lines(
        ["note *the summary of the job cannot be written to *: No such file*", "::error file=*"]
    )


def test_junit_properties_carry_rule_level_and_clauses(project):
    """--junitxml."""
    project.run("-k", "ARG002", "--junitxml", "junit.xml")
    text = (project.path / "junit.xml").read_text(encoding="utf-8")
    assert '<property name="aptix.rule" value="ARG002" />' in text
    assert '<property name="aptix.level" value="MUST" />' in text
    assert "AGN-005.3.2" in text


def test_a_report_path_that_pytest_would_mistake_is_refused_with_the_mend(project, tmp_path_factory):
    """An existing file elsewhere, behind a space: pytest would look for its root directory there."""
    path = tmp_path_factory.mktemp("elsewhere") / "report.json"
    path.write_text("{}", encoding="utf-8")
    result = project.run("--aptix-report", str(path))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*write --aptix-report={path}*"])
    assert project.run(f"--aptix-report={path}", "-k", "REG001").ret == 0
    assert json.loads(path.read_text(encoding="utf-8"))["tools"]
