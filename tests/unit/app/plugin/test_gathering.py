"""What is known of the tools of a session, however it ends."""

from types import SimpleNamespace

import pytest
from tests.unit.present.reports.conftest import SUITE, full_tool

from aptix_conformance.app.plugin import gathering as module
from aptix_conformance.app.plugin.gathering import Gathering
from aptix_conformance.app.run.output_files import RunJournal, read_outputs
from aptix_conformance.core.model.codec import to_text
from aptix_conformance.core.model.report import RunReport
from aptix_conformance.present.reports import make_report, read_report


class Interrupted:
    """A journal during whose writing the session is interrupted."""

    def add(self, _tool):
        raise KeyboardInterrupt

    begin = add


@pytest.mark.parametrize(
    "sent",
    [
        {"aptix_tool": to_text(full_tool())},
        {"aptix_collection": {"aptix_collected": to_text({full_tool().target: full_tool()})}},
    ],
    ids=["examined", "collected"],
)
def test_a_tool_that_is_written_while_the_session_is_interrupted_is_known(sent):
    """The journal is removed once the report is written, so what it alone knew would be lost."""
    gathering = Gathering(
        SimpleNamespace(), SimpleNamespace(reports=SimpleNamespace(sharing=lambda tool: tool))
    )
    gathering.journal = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        gathering.pytest_runtest_logreport(SimpleNamespace(nodeid="other", **sent))
    assert gathering.known == [full_tool()]


def test_a_run_that_writes_only_json_lines_has_a_journal(tmp_path):
    journal = RunJournal(read_outputs(["html=report.html", "jsonl=report.jsonl"], tmp_path, "--report"), [])
    journal.begin(lambda: make_report([], SUITE, RunReport()))
    journal.add(full_tool())
    assert read_report(tmp_path / "report.jsonl").tools == (full_tool(),)
    journal.end()
    assert not list(tmp_path.iterdir())


def test_a_run_that_is_interrupted_while_its_journal_begins_says_so(monkeypatch):
    """The beginning is on the disk before it returns, so an interrupt may come in between."""
    gathering = Gathering(
        SimpleNamespace(), SimpleNamespace(reports=SimpleNamespace(sharing=lambda tool: tool))
    )
    monkeypatch.setattr(Gathering, "is_silent", True)
    monkeypatch.setattr(module, "RunJournal", lambda *_: Interrupted())
    monkeypatch.setattr(gathering, "_write", lambda: None)
    with pytest.raises(KeyboardInterrupt):
        next(gathering.pytest_runtestloop())
    assert gathering.stopped == "interrupted from the keyboard"
