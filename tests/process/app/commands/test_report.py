"""`aptix-conformance report`, as it is called."""

import os
import subprocess
import sys

import pytest

from aptix_conformance.app.cli import main
from aptix_conformance.core.model.report import RunReport, SuiteReport
from aptix_conformance.present.reports import failed_target_report, make_report, read_report, write_report

NAME = "b\N{LATIN SMALL LETTER A WITH DIAERESIS}r"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder with a report on one tool that could not be loaded."""
    tool = failed_target_report(NAME, "aptix", "aptix-tul-011", "no such module")
    suite = SuiteReport(version="1.0", seed=7, examples=5, complete=True, isolated=True)
    write_report(tmp_path / "report.json", make_report([tool], suite, RunReport(), None))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(capsys, *words):
    """What the command says when it refuses: one line, and nothing on the standard output."""
    assert main(["report", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    return line


def test_a_file_has_the_bytes_that_are_printed(here):
    """In UTF-8, whatever the terminal has."""
    command = [sys.executable, "-m", "aptix_conformance", "report", "summary", "report.json"]
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    printed = subprocess.run(command, capture_output=True, check=True, env=env).stdout
    subprocess.run([*command, "-o", "deep/summary.txt"], check=True)
    assert printed == (here / "deep" / "summary.txt").read_bytes()
    assert NAME in printed.decode("utf-8")


def test_json_of_a_report_is_that_report(here):
    assert main(["report", "json", "report.json", "-o", "other.json"]) == 0
    assert (here / "other.json").read_bytes() == (here / "report.json").read_bytes()


def test_an_unknown_format_is_refused_with_those_that_there_are(capsys):
    said = refused(capsys, "jsn", "no-report.json")
    assert "there is no report format 'jsn' (did you mean json?): it is one of " in said


def test_a_file_that_cannot_be_written_is_refused_before_the_report_is_read(here, capsys):
    (here / "broken.json").write_text("{", encoding="utf-8")
    assert "cannot be written to report.json/x" in refused(
        capsys, "json", "broken.json", "-o", "report.json/x"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": "aptix-con', "not JSON, perhaps truncated"),
        ('{"format": "aptix-conformance-report/9"}', "is not a report of the format"),
        ('{"format": "aptix-conformance-report/2", "\\u001b[2J\\n": 1}', "malformed at"),
    ],
)
def test_a_bad_report_is_one_line(here, capsys, text, message):
    """Truncated, of a format to come, hostile. Nothing is written."""
    (here / "bad.json").write_text(text, encoding="utf-8")
    assert message in refused(capsys, "summary", "bad.json", "-o", "out.txt")
    assert not (here / "out.txt").exists()


def test_a_report_is_not_replaced_by_another_format_of_it(here, capsys):
    before = (here / "report.json").read_bytes()
    assert "name another file" in refused(capsys, "summary", "report.json", "-o", "./report.json")
    assert (here / "report.json").read_bytes() == before
    assert read_report(here / "report.json").tools


def test_what_changed_between_two_reports_decides_the_exit_status(here, capsys):
    suite = SuiteReport(version="1.0", seed=7, examples=5, complete=True, isolated=True)
    write_report(here / "empty.json", make_report([], suite, RunReport(), None))
    assert main(["report", "diff", "report.json", "report.json"]) == 0
    assert capsys.readouterr().out == "nothing changed\n"
    assert main(["report", "diff", "report.json", "empty.json", "--format", "markdown", "-o", "diff.md"]) == 1
    assert capsys.readouterr().out == ""
    assert "### Tools that are gone" in (here / "diff.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("diff", "report.json"), "diff takes two reports"),
        (("json", "report.json", "report.json"), "json takes one report"),
        (("json", "report.json", "--format", "text"), "--format is for diff only"),
        (("diff", "none.json", "report.json"), "none.json cannot be read"),
        (("diff", "report.json", "report.json", "-o", "report.json"), "name another file"),
    ],
)
def test_bad_use_of_the_comparison_is_one_line(capsys, words, message):
    assert message in refused(capsys, *words)
