"""What is known of a killed run is read from its journal; what is malformed in it is one clear line."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from aptix_conformance.core.errors import ReportError
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.report import RunReport, SuiteReport
from aptix_conformance.present.reports import (
    Journal,
    failed_target_report,
    make_report,
    read_report,
    write_report,
)
from aptix_conformance.present.reports import journal as module

SUITE = SuiteReport(version="0", seed=7, examples=12, complete=True, isolated=True)
WAITING = failed_target_report("m:First", "aptix", "", "not examined yet")
EXAMINED = replace(WAITING, error=None, status="conforming", calls=12)
SECOND = failed_target_report("m:Second", "aptix", "", "it failed")
BEGUN = make_report([WAITING], SUITE, RunReport(started="2026-01-01T00:00:00+00:00"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "report.json"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    made = Journal(path)
    made.begin(BEGUN)
    yield made
    made.close()


def test_a_killed_run_is_incomplete_and_keeps_what_it_knew(path: Path, journal: Journal) -> None:
    journal.add(SECOND)
    journal.add(EXAMINED)
    found = read_report(path)
    assert found.tools == (EXAMINED, SECOND)
    assert found.totals.tools["conforming"] == 1
    assert not found.suite.complete
    assert found.run == BEGUN.run
    assert read_report(journal.path) == found


def test_a_journal_goes_before_the_report_of_an_earlier_run(path: Path, journal: Journal) -> None:
    write_report(path, make_report([SECOND], SUITE, RunReport()))
    assert read_report(path).tools == (WAITING,)
    journal.remove()
    assert read_report(path).tools == (SECOND,)


def test_a_last_line_without_an_end_is_left_out(path: Path, journal: Journal) -> None:
    journal.add(EXAMINED)
    whole = journal.path.read_bytes()
    for length in (len(whole) - 1, len(whole) - 40):
        journal.path.write_bytes(whole[:length])
        assert read_report(path).tools == (WAITING,)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "line 2: "),
        (b"[" * 100_000, "line 2: "),
        (b"\xff", "line 2: "),
        (b"{}", "line 2 at .*: the member 'tool' is missing"),
        (b'"\\ud800"', "line 2 at "),
    ],
)
def test_a_malformed_line_is_one_clear_error(path: Path, journal: Journal, line: bytes, said: str) -> None:
    with journal.path.open("ab") as stream:
        stream.write(line + b"\n")
    with pytest.raises(ReportError, match=said) as caught:
        read_report(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("first", [b"", b"half a line", b"{}\n", b"null\n"])
def test_a_journal_without_its_first_line_is_one_clear_error(
    path: Path, journal: Journal, first: bytes
) -> None:
    journal.path.write_bytes(first)
    with pytest.raises(ReportError, match=r"report\.json\.journal"):
        read_report(path)


def test_a_link_that_stands_in_the_place_is_not_followed(path: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / "report.json.journal").symlink_to(precious)
    made = Journal(path)
    made.begin(BEGUN)
    made.close()
    assert precious.read_text() == "mine"


def test_a_place_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "report.json.journal").mkdir()
    with pytest.raises(ReportError, match="the journal cannot be written"):
        Journal(tmp_path / "report.json").begin(BEGUN)


def test_only_a_line_has_a_limit(path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of very many tools writes more than a report may have."""
    journal.add(EXAMINED)
    longest = max(map(len, journal.path.read_bytes().splitlines()))
    monkeypatch.setattr(module, "LARGEST", longest)
    assert read_report(path).tools == (EXAMINED,)
    monkeypatch.setattr(module, "LARGEST", longest - 1)
    with pytest.raises(ReportError, match="a line has more than"):
        read_report(path)
