"""`aptix-conformance baseline`, as it is called."""

import datetime
import json

import pytest
from tests.unit.present.reports.conftest import SUITE, full_tool

from aptix_conformance.app.cli import main
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import RunReport
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.present.reports import make_report, write_report


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder with a report on a tool that breaks two rules."""
    tool = full_tool()
    write_report(tmp_path / "report.json", make_report([tool], SUITE, RunReport(), None))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def entries(here):
    return json.loads((here / "known.json").read_text(encoding="utf-8"))["entries"]


def refused(capsys, *words):
    """What the command says when it refuses: one line."""
    assert main(["baseline", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def write(*words):
    return main(["baseline", "write", "report.json", "-o", "known.json", *words])


def test_findings_are_written_with_their_words(here, capsys):
    assert write("--reason", "issue 12", "--expires", "2099-01-31") == 0
    printed = capsys.readouterr()
    assert printed.out == "known.json: 1 added, 0 kept\n"
    assert "ARG002 of owl has more causes than the report names" in printed.err
    (entry,) = entries(here)
    assert (entry["rule"], entry["reason"], entry["expires"]) == ("ARG001", "issue 12", "2099-01-31")
    assert write() == 0
    assert entries(here) == [entry]


def test_without_a_reason_the_day_is_the_reason(here):
    write()
    known, since, day = entries(here)[0]["reason"].split()
    assert (known, since) == ("known", "since")
    assert datetime.date.fromisoformat(day)


def test_what_is_gone_is_pruned(here, capsys):
    write()
    kept = replace(full_tool().verdicts[0], verdict=VerdictKind.PASS, finding=None)
    report = make_report([replace(full_tool(), verdicts=(kept,))], SUITE, RunReport(), None)
    write_report(here / "next.json", report)
    capsys.readouterr()
    assert main(["baseline", "prune", "next.json", "known.json"]) == 0
    assert capsys.readouterr().out == "known.json: 1 removed, 0 kept\n"
    assert entries(here) == []


def test_tools_that_the_report_does_not_have_stay_unless_they_are_gone(here):
    write()
    write_report(here / "none.json", make_report([], SUITE, RunReport(), None))
    assert main(["baseline", "prune", "none.json", "known.json"]) == 0
    assert len(entries(here)) == 1
    assert main(["baseline", "prune", "none.json", "known.json", "--gone"]) == 0
    assert entries(here) == []


def test_a_report_with_fewer_draws_prunes_nothing(here, capsys):
    write()
    capsys.readouterr()
    write_report(here / "quick.json", make_report([], replace(SUITE, examples=1), RunReport(), None))
    assert "examine with --aptix-examples=5" in refused(capsys, "prune", "quick.json", "known.json", "--gone")
    assert len(entries(here)) == 1


def test_what_is_no_baseline_is_not_replaced(here, capsys):
    before = (here / "report.json").read_bytes()
    assert "is not a baseline" in refused(capsys, "write", "report.json", "-o", "report.json")
    assert "is not a baseline" in refused(capsys, "prune", "report.json", "report.json")
    assert (here / "report.json").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("write", "none.json", "-o", "known.json"), "none.json cannot be read"),
        (("write", "report.json", "-o", "report.json/x"), "cannot be "),
        (("write", "report.json", "-o", "known.json", "--reason", " "), "is not written"),
        (("prune", "report.json", "none.json"), "there is no baseline none.json: make one with"),
    ],
)
def test_bad_use_is_one_line(here, capsys, words, message):
    assert message in refused(capsys, *words)
    assert not (here / "known.json").exists()


def test_a_wrong_day_is_refused_by_its_option(capsys):
    with pytest.raises(SystemExit) as ended:
        write("--expires", "soon")
    assert ended.value.code == 2
    assert "'soon' is not a day: write 2027-03-31" in capsys.readouterr().err
